// The JSON files of a schema. Each file is read once, and only files in the skill's `schemas` directory are read.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "schemas/core/json_value.h"
#include "schemas/core/result.h"

namespace band {

inline constexpr std::size_t kMaxSchemaBytes = 1 << 20;  // maximum size of a file
inline constexpr std::size_t kMaxSchemaFiles = 64;       // maximum number of files of one schema

class SchemaFiles {
 public:
  // For a schema that is not a file: this object has no root directory, and refuses every reference to a file.
  SchemaFiles() = default;
  // Returns an object with the root directory `root`. Error (Code::SkillInvalid): `root` does not exist or is not
  // accessible.
  static Result<SchemaFiles> beneath(const std::filesystem::path& root);

  struct Document {
    std::string name;  // the path relative to the root: "input/greet.json"
    JsonValue content;
  };

  // Reads a file, if it was not read before; follows links. The returned document is valid as long as this object.
  // Errors (Code::SkillInvalid): the file is outside the root, also through a link; it is missing, not a regular file,
  // larger than kMaxSchemaBytes, or not JSON; or the schema already has kMaxSchemaFiles files.
  Result<const Document*> open(const std::filesystem::path& path);
  // Reads the file with the path `relative`, which is relative to the directory of the file `from`.
  Result<const Document*> open_from(const Document& from, const std::string& relative);
  const Document* add(const std::string& name, Json content);  // adds a document that is not a file

 private:
  bool has_root_ = false;
  std::filesystem::path root_;
  std::map<std::string, Document> documents_;  // a std::map, because returned pointers must stay valid
};

}  // namespace band
