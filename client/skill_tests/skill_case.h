// A case of `band test`: one run and its expected result, from a file of a skill's tests/. Plain data.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "schemas/core/json_value.h"
#include "schemas/core/result.h"
#include "schemas/wire/wire.h"

namespace band::client {

struct ExpectedFile {
  enum class Want { Content, Parts, Absent };
  std::string path;
  Want want = Want::Absent;
  std::vector<std::string> texts;  // the content, or the parts
};

struct Expectation {
  std::optional<JsonValue> output, contains;
  std::optional<Code> code;  // absent: success
  std::optional<int> exit_status;
  std::vector<std::string> message, hint, stdout_log, stderr_log, refused;  // each must be contained
  std::vector<ExpectedFile> files;
  bool no_other_files = false;
};

using WorkspaceFiles = std::vector<ShippedFile>;  // path, mode, content

struct SkillCase {
  struct At {
    int line = 0, column = 0;
  };
  std::string name;
  std::string script;  // "greet"
  std::string file;    // as messages show it
  int line = 0;

  std::optional<JsonValue> input;
  std::vector<std::string> arguments;
  At input_at, arguments_at;  // the position of the case if not given
  JsonValue configuration;    // null: none
  std::map<std::string, std::string> variables;
  std::map<std::string, int> variable_lines;
  std::optional<std::string> standard_input;
  // At most one of the two is set. Cases that name the same directory share its files, which are read after the case.
  std::string workspace_directory;  // relative to tests/
  int workspace_line = 0;
  std::shared_ptr<const WorkspaceFiles> workspace;
  Expectation expect;

  std::string place() const { return file + ":" + std::to_string(line); }
};

}  // namespace band::client
