// A skill's JSON Schemas (draft-07), by valijson, with the traps that valijson 1.0 leaves open closed around it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "schemas/core/json_fwd.h"
#include "schemas/core/result.h"

namespace band {

struct Violation {
  std::string pointer;  // JSON pointer of the value, "" is the whole
  std::string rule;     // the schema keyword: "type", "required", ...
  std::string message;  // "expected integer, got string \"abc\""
};

class InputSchema {
 public:
  // `file` is schemas/input/<name>.json or schemas/output/<name>.json; `$ref` into files beneath `root` (the skill's
  // `schemas` directory) are bundled. Errors (Code::SkillInvalid): not JSON, not draft-07 in form, a `$ref` that leaves
  // `root` or leads nowhere, a cycle of references only, a pattern that RE2 does not take.
  static Result<InputSchema> load(const std::filesystem::path& file, const std::filesystem::path& root);
  static Result<InputSchema> from_json(const Json& schema, std::string name);
  // `schema` as if it stood in `directory` ("input", "defs/shared") beneath `root`: its references to files lead there.
  static Result<InputSchema> from_json_in(const Json& schema, const std::string& directory,
                                          const std::filesystem::path& root);

  // Fills absent properties that have a `default`, at every depth that is reached without a choice (anyOf ... are not).
  void apply_defaults(Json& value) const;
  // Empty: valid. All violations at once, at most 50.
  std::vector<Violation> validate(const Json& value) const;

  const Json& bundled() const;  // the schema with every reference local: what `--help` shows

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace band
