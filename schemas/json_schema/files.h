// The JSON files of a schema: each is read once, and never from outside the skill's `schemas` directory.
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
  // For a schema that is not a file: every reference to a file is refused.
  SchemaFiles() = default;
  // Error: `root` is not a directory.
  static Result<SchemaFiles> beneath(const std::filesystem::path& root);

  struct Document {
    std::string name;  // relative to root, '/'-joined: "input/greet.json"
    JsonValue content;
  };

  // Opens a file, with links resolved. Errors (Code::SkillInvalid): outside root (also through a link), missing, not a
  // regular file, too large, not JSON, too many files.
  Result<const Document*> open(const std::filesystem::path& path);
  // Opens the file that a reference in `from` names as `relative`.
  Result<const Document*> open_from(const Document& from, const std::string& relative);
  const Document* add(const std::string& name, Json content);  // adds a document that is not a file

 private:
  bool has_root_ = false;
  std::filesystem::path root_;
  std::map<std::string, Document> documents_;  // a std::map, so that addresses stay valid
};

}  // namespace band
