// An act in a child of its own, so that what it does to itself ends with it.
#pragma once

#include <sys/resource.h>

#include <functional>
#include <string>

#include "schemas/core/result.h"

namespace band::test {

// What `act` returns in the child, or "killed SIGNAL".
std::string in_child(const std::function<std::string()>& act);

// A shell's soft limit is 1,024 on most machines, and some tests hold more of both ends. Raises this process's.
void allow_descriptors(rlim_t most);

std::string did_if(bool success);        // "did", or "refused ERRNO"
std::string said(const Status& status);  // "did", or the error's message

}  // namespace band::test
