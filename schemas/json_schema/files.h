// The JSON files that a schema consists of: read once each, never from outside the skill's `schemas` directory.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "schemas/core/json_value.h"
#include "schemas/core/result.h"

namespace band {

inline constexpr std::size_t kMaxSchemaBytes = 1 << 20;  // of one file
inline constexpr std::size_t kMaxSchemaFiles = 64;       // that one schema takes in

class SchemaFiles {
 public:
  // For a schema that is no file: every reference to a file is refused.
  SchemaFiles() = default;
  // Error: `root` is no directory.
  static Result<SchemaFiles> beneath(const std::filesystem::path& root);

  struct Document {
    std::string name;  // relative to root, '/'-joined: "input/greet.json"
    JsonValue content;
  };

  // By its path, links resolved. Errors (Code::SkillInvalid): outside root (also by a link), absent, not a regular
  // file, too large, not JSON, one file too many.
  Result<const Document*> open(const std::filesystem::path& path);
  // `relative` as a reference in `from` names it.
  Result<const Document*> open_from(const Document& from, const std::string& relative);
  const Document* add(const std::string& name, Json content);  // a document that is no file

 private:
  bool has_root_ = false;
  std::filesystem::path root_;
  std::map<std::string, Document> documents_;  // nodes: addresses stay
};

}  // namespace band
