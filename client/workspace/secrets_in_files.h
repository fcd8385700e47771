// Finds values of secrets in the files of an answer. The server does not mask the content of files, because a file with
// a part replaced would be another file.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "schemas/wire/wire.h"

namespace band::client {

// Returns the names of the secrets, sorted, whose values occur in the content of the file. Ignores values shorter than
// kMaskedFrom bytes (schemas/wire/masked.h), and values that the script has changed, for example with base64.
// `secrets`: values by the names of their variables (ExecRequest::secrets).
std::vector<std::string> secrets_in(const ShippedFile& file, const std::map<std::string, std::string>& secrets);

// For `band call`: the agent that called it can read the workspace, and must not get the secrets of a skill. Error
// (Code::PermissionDenied): a file contains the value of a secret; the message has the names of both.
Status check_no_secrets(const std::vector<ShippedFile>& files, const std::map<std::string, std::string>& secrets);

}  // namespace band::client
