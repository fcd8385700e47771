// A test case of `band test`, parsed from a file of a skill's tests/: the input of one run and the expected result.
// Plain data.
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
  enum class Want { Content, Parts, Absent };  // exactly this content; contains these parts; does not exist
  std::string path;
  Want want = Want::Absent;
  std::vector<std::string> texts;  // the content, or the parts
};

struct Expectation {
  std::optional<JsonValue> output, contains;  // the whole output; members that the output must have
  std::optional<Code> code;                   // absent: success
  std::optional<int> exit_status;
  std::vector<std::string> message, hint, stdout_log, stderr_log, refused;  // each text must occur in the actual text
  std::vector<ExpectedFile> files;
  bool no_other_files = false;  // the run must not write files that are not in `files`
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
  At input_at, arguments_at;  // the position of the key; of the case if the key is absent
  JsonValue configuration;    // in place of the user's configuration of the skill; null: none
  std::map<std::string, std::string> variables;
  std::map<std::string, int> variable_lines;
  std::optional<std::string> standard_input;
  // `workspace`: the files with which the run begins; null: none. read_cases() (reading.h) sets `workspace` or
  // workspace_directory, or neither. If it has set workspace_directory, load_tests() (files.h) later sets `workspace`
  // to the files of this directory; cases that name the same directory share these files.
  std::string workspace_directory;  // relative to tests/
  int workspace_line = 0;
  std::shared_ptr<const WorkspaceFiles> workspace;
  Expectation expect;

  std::string place() const { return file + ":" + std::to_string(line); }
};

}  // namespace band::client
