#include <algorithm>
#include <array>
#include <optional>

#include "client/hints/finders.h"
#include "client/hints/workspace_names.h"
#include "client/terminal/terminal.h"
#include "schemas/core/lines.h"
#include "schemas/core/words.h"
#include "schemas/pattern/shell_text.h"
#include "schemas/programs/essentials.h"
#include "schemas/programs/interpreters.h"
#include "schemas/programs/programs.h"

namespace band::client {
namespace {

constexpr std::size_t kMostFirstLine = 256;            // bytes of a `#!` line
constexpr std::size_t kMostFile = 8 << 20;             // bytes of a file whose beginning is read
constexpr std::string_view kLib = "/band/skill/lib/";  // $BAND_LIB in the sandbox

// The messages of strerror(3) and Go, and the code of Node.js.
bool reports_permission(std::string_view line) {
  return contains(line, "ermission denied") || contains(line, "EACCES");
}

// Returns the interpreter that the `#!` line of a text names, if it is one that a sandbox can have: "python3" for
// "#!/usr/bin/env -S python3 -u"; or "".
std::string interpreter_of_first_line(std::string_view text) {
  const std::string_view line = first_line(text);
  if (!line.starts_with("#!")) return "";
  for (const LogWord& word : words_of(line.substr(2))) {
    const std::string name = word.text.substr(word.text.rfind('/') + 1);
    if (name == "env" || name.starts_with('-') || contains(name, "=")) continue;
    const ProgramNeeds* known = built_in_programs().find(name);
    return is_essential(name) || (known != nullptr && known->interpreter) ? name : "";
  }
  return "";
}

// A file that the script has: its path in the sandbox, and the beginning of its content.
struct Program {
  std::string path, beginning;
};

std::optional<Program> among(const std::vector<ShippedFile>& files, std::string_view directory, std::string_view name,
                             bool as_end) {
  for (const ShippedFile& file : files)
    if (file.path == name || (as_end && file.path.ends_with("/" + std::string(name))))
      return Program{std::string(directory) + file.path, file.content.substr(0, kMostFirstLine)};
  return std::nullopt;
}

// Finds the file by the path that the log has: in the workspace, in the skill, or, for a relative path after `cd`, in
// the skill by its end.
std::optional<Program> find_program(const std::string& path, const Failure& failure) {
  constexpr std::string_view kSkill = "/band/skill/";
  const Script& script = failure.script;
  if (path.starts_with(kLib)) return among(script.lib, kLib, path.substr(kLib.size()), false);
  if (path.starts_with(kSkill)) return among(script.skill_files, kSkill, path.substr(kSkill.size()), false);
  if (failure.workspace != nullptr) {
    const auto relative = path_for_script(path, *failure.workspace);
    if (relative && failure.sent.contains(*relative)) {
      int err = 0;
      const auto file = failure.workspace->read(failure.workspace->resolve(*relative).path, kMostFile, err);
      return Program{path, file ? file->content.substr(0, kMostFirstLine) : ""};
    }
  }
  if (!path.starts_with("./") || path.size() < 3) return std::nullopt;
  if (auto found = among(script.lib, kLib, path.substr(2), true)) return found;
  return among(script.skill_files, kSkill, path.substr(2), true);
}

// Whether the line is about starting a program, and not about opening or writing a file. `by_python`: the log shows
// that Python has tried to start a program.
bool is_about_execution(std::string_view line, bool by_python) {
  if (contains(line, "spawn ") || contains(line, "spawnSync ") || contains(line, "exec: ") ||
      contains(line, "fork/exec"))
    return true;  // Node.js, Go
  if (by_python && contains(line, "PermissionError")) return true;
  if (!line.ends_with(": Permission denied")) return false;
  if (contains(line, ": line ")) return true;  // bash
  // dash: "a.sh: 2: ./tool: Permission denied"
  const std::size_t first = line.find(": "), second = line.find(": ", first + 2);
  const std::string_view number = line.substr(first + 2, second - first - 2);
  return second != std::string_view::npos && !number.empty() &&
         number.find_first_not_of("0123456789") == std::string_view::npos;
}

// A shell prints the same message when it cannot write a file. Its exit status is then another one.
bool can_be_executed(const Program& program, std::string_view line, const Failure& failure) {
  if (!line.ends_with(": Permission denied") || failure.answer.exit_status == 126) return true;
  return program.beginning.starts_with("#!") || !interpreter_of_name(program.path).empty();
}

std::string start_text(const Program& program) {
  std::string interpreter = interpreter_of_first_line(program.beginning);
  if (interpreter.empty()) interpreter = interpreter_of_name(program.path);
  if (interpreter.empty())
    return program.beginning.starts_with("\177ELF")
               ? "install it on the machine that runs the script, and allow its name in allow.cli"
               : "start the program that reads it, with the file as argument";
  const std::string shown = program.path.starts_with(kLib) ? "\"$BAND_LIB/" + program.path.substr(kLib.size()) + "\""
                                                           : quoted_word(program.path);
  return "start it with `" + printable_line(interpreter + " " + shown) + "`";
}

void find_execution(const Inquiry& inquiry, Hints& hints) {
  const Failure& failure = inquiry.failure;
  std::size_t words = 0;
  const bool by_python = contains(failure.log, "_execute_child") || contains(failure.log, "os.exec");
  for (const std::string_view line : lines_of(failure.log)) {
    if (!reports_permission(line) || !is_about_execution(line, by_python)) continue;
    if (contains(line, "fork/exec /tmp/")) {
      hints.add(Likelihood::Certain,
                "a program that the run itself has made (below /tmp) cannot be executed, and no rule allows it "
                "(noexec): build it outside the sandbox, and install it on the machine that runs the script");
      continue;
    }
    std::vector<LogWord> reversed = words_of(line);  // a shell's line begins with the path of the script
    std::reverse(reversed.begin(), reversed.end());
    for (const LogWord& word : reversed) {
      if (++words > kMostExamined) return;
      if (word.text.find('/') == std::string::npos) continue;  // a program is found by its name only in PATH
      const auto program = find_program(word.text, failure);
      if (!program || !can_be_executed(*program, line, failure)) continue;
      hints.add(Likelihood::Certain,
                "no file of the skill, of the workspace or of /tmp can be executed, regardless of its mode (noexec); " +
                    inquiry.mend.script(start_text(*program)),
                word.text);
      return;
    }
  }
  if (contains(failure.log, "cannot execute \u2018cc1\u2019") || contains(failure.log, "cannot execute 'cc1'"))
    hints.add(Likelihood::Certain,
              "gcc starts cc1, which the sandbox does not have: the operator allows it in server.yaml (commands: "
              "{programs: {gcc: {run: [/usr/lib/gcc], read: [/usr/include]}}})");
}

// Whether a line shows that bind(2) or listen(2) has failed.
bool is_about_listening(std::string_view line) {
  static constexpr std::array kCalls = {"server_bind",
                                        "bind: permission denied",
                                        "listen EACCES",
                                        "bind(2)",
                                        "bind error",
                                        "bind failed",
                                        "syscall: 'listen'",
                                        "cannot bind",
                                        "bind: Permission denied"};
  return std::any_of(kCalls.begin(), kCalls.end(), [&](const char* call) { return contains(line, call); });
}

// Python's message for a failed bind(2) has no name. Then the text of the program shows whether it listens.
bool listens_by_its_text(const Authored& authored) {
  return (authored.contains("socket") && authored.contains(".bind(")) || authored.contains("HTTPServer(") ||
         authored.contains("TCPServer(") || authored.contains("http.server");
}

void find_listening(const Inquiry& inquiry, Hints& hints) {
  constexpr std::string_view kNameless = "PermissionError: [Errno 13] Permission denied";
  bool listens = false, refused = false, nameless = false;
  for (const std::string_view line : lines_of(inquiry.failure.log)) {
    listens = listens || is_about_listening(line);
    refused = refused || reports_permission(line);
    nameless = nameless || line == kNameless;
  }
  const bool by_log = refused && listens;
  const bool by_text = nameless && (contains(inquiry.failure.log, ".bind(") || listens_by_its_text(inquiry.authored));
  if (by_log || by_text)
    hints.add(Likelihood::Certain,
              "a script cannot listen on a port, also not on localhost, and no rule allows it (bind(2) fails with "
              "EACCES); processes of one run can use a Unix domain socket, such as /tmp/s",
              "listening");
}

// "cp: cannot create regular file '/var/log/x': No such file or directory": the sandbox does not have this directory.
bool creates_outside(std::string_view log) {
  for (const std::string_view line : lines_of(log))
    for (const std::string_view act : {"cannot create", "mkdir '/"})  // coreutils, Node.js
      if (const std::size_t at = line.find(act); at != std::string_view::npos) {
        const std::string_view rest = line.substr(at);
        const std::size_t path = rest.find("'/");
        if (path != std::string_view::npos && !rest.substr(path).starts_with("'/work/")) return true;
      }
  return false;
}

// "PermissionError: [Errno 13] Permission denied: '/band/skill/references/log.md'"
bool writes_into_skill(std::string_view log) {
  static constexpr std::array kActs = {"[Errno 13]", "EACCES", "cannot create", "cannot touch", "cannot remove"};
  for (const std::string_view line : lines_of(log))
    if (reports_permission(line) && contains(line, "/band/skill/") &&
        std::any_of(kActs.begin(), kActs.end(), [&](const char* act) { return contains(line, act); }))
      return true;
  return false;
}

void find_read_only(const Inquiry& inquiry, Hints& hints) {
  const std::string& log = inquiry.failure.log;
  if (writes_into_skill(log)) {
    hints.add(
        Likelihood::Reported,
        inquiry.mend.script("the files of a skill are read-only in a sandbox: let it write into the workspace, as "
                            "in `./FILE`, and name the file in allow.write"),
        "read-only");
    return;
  }
  if (contains(log, "ead-only file system") || contains(log, "EROFS") || creates_outside(log))
    hints.add(
        Likelihood::Reported,
        inquiry.mend.script("write into the workspace (./FILE) or into /tmp: the rest of the sandbox is read-only, "
                            "except paths of the machine that `write` allows"),
        "read-only");
}

// git starts git-receive-pack for a remote that is a directory.
void find_push(const Inquiry& inquiry, Hints& hints) {
  if (contains(inquiry.failure.log, "cannot exec 'git-receive-pack") ||
      contains(inquiry.failure.log, "cannot exec 'git-upload-pack"))
    hints.add(
        Likelihood::Certain,
        "git cannot use a remote that is a directory in a sandbox, and no rule allows it; commits are not written "
        "back, either: commit and push outside of band, or let the script write a patch (git format-patch)",
        "push");
}

void find_open_files(const Inquiry& inquiry, Hints& hints) {
  if (contains(inquiry.failure.log, "oo many open files") || contains(inquiry.failure.log, "EMFILE"))
    hints.add(Likelihood::Reported, "raise limit.maxOpenFiles in the band, or open fewer files at the same time");
}

void find_standard_input(const Inquiry& inquiry, Hints& hints) {
  if (!inquiry.failure.has_standard_input && contains(inquiry.failure.log, "EOF when reading a line"))
    hints.add(Likelihood::Reported,
              inquiry.failure.reader == Reader::CommandLine
                  ? "standard input is empty: give `band exec` one, as in `... < FILE`"
                  : "the standard input of the script is empty; with `--stdin` it gets that of the caller");
}

}  // namespace

void find_forbidden_acts(const Inquiry& inquiry, Hints& hints) {
  find_execution(inquiry, hints);
  find_listening(inquiry, hints);
  find_read_only(inquiry, hints);
  find_push(inquiry, hints);
  find_open_files(inquiry, hints);
  find_standard_input(inquiry, hints);
}

}  // namespace band::client
