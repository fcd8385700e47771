// Finds values of secrets in the files of an answer (ExecRequest::whole_files: their content is not masked).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/result.h"
#include "schemas/wire/wire.h"

namespace band::client {

class SecretSearch {
 public:
  // `secrets`: values by the names of their variables (ExecRequest::secrets). Values shorter than kMaskedFrom bytes
  // (schemas/wire/masked.h) are ignored.
  explicit SecretSearch(const std::map<std::string, std::string>& secrets);

  bool empty() const { return forms_.empty(); }
  // Returns the names of the secrets, sorted, that occur in the text: unchanged, with JSON's escapes, or with a
  // carriage return before each line feed. Does not find other forms, such as base64.
  std::vector<std::string> names_in(std::string_view text) const;

 private:
  std::map<std::string, std::vector<std::string>> forms_;  // by the name of the variable
};

// For `band call`: the agent that called it can read the workspace, and must not get the secrets of a skill. Error
// (Code::PermissionDenied): files contain values of secrets; the message has the names of both.
Status check_no_secrets(const std::vector<ShippedFile>& files, const std::map<std::string, std::string>& secrets);

}  // namespace band::client
