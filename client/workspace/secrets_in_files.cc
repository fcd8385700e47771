#include "client/workspace/secrets_in_files.h"

#include "schemas/wire/masked.h"

namespace band::client {

std::vector<std::string> secrets_in(const ShippedFile& file, const std::map<std::string, std::string>& secrets) {
  std::vector<std::string> names;
  for (const auto& [name, value] : secrets)
    if (value.size() >= kMaskedFrom && file.content.find(value) != std::string::npos) names.push_back(name);
  return names;
}

Status check_no_secrets(const std::vector<ShippedFile>& files, const std::map<std::string, std::string>& secrets) {
  for (const ShippedFile& file : files)
    if (const auto names = secrets_in(file, secrets); !names.empty())
      return Error{.code = Code::PermissionDenied,
                   .doing = "nothing was written back: " + file.path + " contains the value of the secret " +
                            names.front() + ", and `band call` writes no secret into the workspace",
                   .hint = "let the script leave the value out of the file; `band run`, which people use, writes it"};
  return done();
}

}  // namespace band::client
