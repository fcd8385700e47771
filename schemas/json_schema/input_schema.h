// A skill's JSON Schemas (draft-07). Uses valijson 1.0 and works around its errors (nodes.h, program.h).
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "schemas/core/json_fwd.h"
#include "schemas/core/result.h"

namespace band {

struct Violation {
  std::string pointer;  // JSON pointer of the value, "" for the whole value
  std::string rule;     // the schema keyword: "type", "required", ...
  std::string message;  // "expected integer, got string \"abc\""
};

class InputSchema {
 public:
  // `file` is schemas/input/<name>.json or schemas/output/<name>.json; `$ref` into files beneath `root` (the skill's
  // `schemas` directory) are bundled. Errors (Code::SkillInvalid): not JSON, not in the form of draft-07, a `$ref` to a
  // file outside `root` or without a target, a cycle of references only, a pattern that RE2 does not accept.
  static Result<InputSchema> load(const std::filesystem::path& file, const std::filesystem::path& root);
  static Result<InputSchema> from_json(const Json& schema, std::string name);
  // Resolves the file references of `schema` as if it were a file in `directory` ("input", "defs/shared") below `root`.
  static Result<InputSchema> from_json_in(const Json& schema, const std::string& directory,
                                          const std::filesystem::path& root);

  // Adds absent properties that have a `default`, at every depth that is reached without alternatives (anyOf ...).
  void apply_defaults(Json& value) const;
  // Returns all violations, at most 50; empty if `value` is valid.
  std::vector<Violation> validate(const Json& value) const;

  const Json& bundled() const;  // the schema with only local references; `--help` prints it

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace band
