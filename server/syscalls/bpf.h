// Programs of classic BPF, as filters of system calls: see seccomp(2). A program is a string that contains an array of
// struct sock_filter.
#pragma once

#include <string>

#include "schemas/core/result.h"

namespace band::syscalls {

// Compiles a filter of libseccomp (seccomp_export_bpf(3)) into a program. `filter`: an scmp_filter_ctx. `layer`: names
// the layer in errors.
Result<std::string> compile_bpf(void* filter, const std::string& layer);

// Loads the program into the calling process, which must have no_new_privs or CAP_SYS_ADMIN. `what`: names the filter
// in errors, for example "the list filter".
Status load_bpf(const std::string& program, const std::string& layer, const std::string& what);

}  // namespace band::syscalls
