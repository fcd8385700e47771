// Any bytes as the scripts and the SKILL.md of a skill that `band convert` reads: no crash and no hang; run.sh has
// only names from them between its quotes, the schemas are JSON, and each note has a place and a remedy.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "client/convert/convert.h"
#include "schemas/core/json.h"
#include "schemas/yaml/yaml.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const band::client::SkillFile& file) {
  if (!file.is_new) return;
  if (file.path.ends_with("/run.sh")) {
    const auto quotes = std::count(file.content.begin(), file.content.end(), '\'');
    require(quotes == 0 || quotes == 2 || quotes == 4);
    for (const char* odd : {"`", "$(", ";;", "@FILE"})
      require(file.content.substr(file.content.find("\n. ")).find(odd) == std::string::npos);
  } else if (file.path.ends_with(".json")) {
    require(band::parse_json(file.content, "schema").ok());
  } else if (file.path.ends_with("/BAND.md")) {
    std::vector<band::Diagnostic> errors;
    const std::size_t end = file.content.find("\n---\n");
    require(file.content.starts_with("---\n") && end != std::string::npos);
    (void)band::parse_yaml(std::string_view(file.content).substr(4, end - 3), "f", 2, errors);
    require(errors.empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::vector<band::client::SkillFile> files{
      {"SKILL.md", text},       {"scripts/a.py", text},
      {"scripts/b.sh", text},   {"scripts/c.js", text},
      {"scripts/d", text},      {"scripts/e.py", "import argparse\np = argparse.ArgumentParser()\n" + text},
      {"scripts/ok.sh", "true"}};
  const auto made = band::client::convert_skill(files, "made", {"input"}, "src", "/out");
  if (!made.ok()) return require(!made.error().hint.empty()), 0;
  for (const auto& file : made->files) check(file);
  for (const auto* list : {&made->errors, &made->notes})
    for (const band::Diagnostic& one : *list) require(!one.file.empty() && !one.message.empty() && !one.hint.empty());
  return 0;
}
