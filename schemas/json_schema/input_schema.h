// The JSON Schemas (draft-07) of a skill, for the input and the output of its scripts. Uses valijson 1.0 and avoids
// errors of valijson (nodes.h, program.h).
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "schemas/core/json_fwd.h"
#include "schemas/core/result.h"

namespace band {

struct Violation {
  std::string pointer;  // JSON pointer of the part that violates the schema, "" for the whole value
  std::string rule;     // the schema keyword: "type", "required", ...
  std::string message;  // "expected integer, got string \"abc\""
};

class InputSchema {
 public:
  // Loads `file`: schemas/input/<name>.json or schemas/output/<name>.json. `root` is the skill's `schemas` directory;
  // `$ref` can refer to files in this directory. Errors (Code::SkillInvalid): a file is not JSON or not a schema of
  // draft-07, a `$ref` refers to a file outside `root` or has no target, references form a cycle (bundle.h), RE2 does
  // not accept a pattern, or a `default` is not valid under its own schema.
  static Result<InputSchema> load(const std::filesystem::path& file, const std::filesystem::path& root);
  // Uses `schema`, which must not refer to files. `name` names the schema in messages.
  static Result<InputSchema> from_json(const Json& schema, std::string name);
  // Uses `schema`. Resolves its references to files as if the schema were a file in `directory` ("input",
  // "defs/shared"), a directory below `root`.
  static Result<InputSchema> from_json_in(const Json& schema, const std::string& directory,
                                          const std::filesystem::path& root);

  // Adds absent properties that have a `default`, at every depth, except those in alternatives (anyOf, oneOf, if).
  void apply_defaults(Json& value) const;
  // Returns all violations, at most 50; empty if `value` is valid.
  std::vector<Violation> validate(const Json& value) const;

  const Json& bundled() const;  // the bundle (bundle.h), which `band show --json` prints

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace band
