// Runs code in a child process, so that what the code changes in its process does not affect the test.
#pragma once

#include <sys/resource.h>

#include <functional>
#include <string>

#include "schemas/core/result.h"

namespace band::test {

// Returns the result of `act` in the child, or "killed SIGNAL".
std::string in_child(const std::function<std::string()>& act);

// Raises this process's limit of open descriptors: a shell's soft limit is 1,024 on most machines, and some tests hold
// both ends of more connections.
void allow_descriptors(rlim_t most);

std::string did_if(bool success);        // "did", or "refused ERRNO"
std::string said(const Status& status);  // "did", or the error's message

}  // namespace band::test
