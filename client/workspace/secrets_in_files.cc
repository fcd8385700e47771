#include "client/workspace/secrets_in_files.h"

#include <algorithm>
#include <set>

#include "client/terminal/terminal.h"
#include "schemas/core/json.h"
#include "schemas/core/lines.h"
#include "schemas/wire/masked.h"

namespace band::client {
namespace {

// Without the quotes.
std::string in_json(const std::string& value, bool only_ascii) {
  const std::string text = Json(value).dump(-1, ' ', only_ascii, Json::error_handler_t::ignore);
  return text.substr(1, text.size() - 2);
}

}  // namespace

SecretSearch::SecretSearch(const std::map<std::string, std::string>& secrets) {
  for (const auto& [name, value] : secrets) {
    if (value.size() < kMaskedFrom) continue;
    std::set<std::string> forms = {value, with_carriage_returns(value), in_json(value, false), in_json(value, true)};
    std::erase_if(forms, [](const std::string& form) { return form.size() < kMaskedFrom; });
    forms_[name].assign(forms.begin(), forms.end());
  }
}

std::vector<std::string> SecretSearch::names_in(std::string_view text) const {
  std::vector<std::string> names;
  for (const auto& [name, forms] : forms_)
    if (std::any_of(forms.begin(), forms.end(),
                    [&](const std::string& form) { return text.find(form) != std::string_view::npos; }))
      names.push_back(name);
  return names;
}

Status check_no_secrets(const std::vector<ShippedFile>& files, const std::map<std::string, std::string>& secrets) {
  const SecretSearch search(secrets);
  if (search.empty()) return done();
  std::vector<std::string> paths;
  std::set<std::string> names;
  for (const ShippedFile& file : files) {
    const std::vector<std::string> found = search.names_in(file.content);
    if (!found.empty()) paths.push_back(file.path);
    names.insert(found.begin(), found.end());
  }
  if (paths.empty()) return done();
  const std::vector<std::string> variables(names.begin(), names.end());
  return Error{.code = Code::PermissionDenied,
               .doing = "nothing was written back: " + listed(paths) + (paths.size() == 1 ? " contains" : " contain") +
                        " the value of " + listed(variables) + ", and `band call` writes no secret into the workspace",
               .hint = "let the script leave the value out; if it is not a secret, write env: {" + variables.front() +
                       ": {secret: false}} in the band"};
}

}  // namespace band::client
