#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "client/hints/authored.h"
#include "client/hints/finders.h"
#include "client/hints/workspace_names.h"
#include "client/logs/reading.h"
#include "client/terminal/terminal.h"
#include "schemas/core/lines.h"
#include "schemas/programs/interpreters.h"

namespace band::client {
namespace {

constexpr std::size_t kMostFirstLine = 256;  // bytes of a `#!` line
constexpr std::size_t kMostFile = 1 << 20;   // bytes of a file whose first line is read
constexpr std::size_t kMostWords = 2000;
constexpr std::string_view kLib = "/band/skill/lib/";  // $BAND_LIB in the sandbox

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// The messages of strerror(3) and Go, and the code of Node.js.
bool reports_permission(std::string_view line) {
  return contains(line, "ermission denied") || contains(line, "EACCES");
}

// Returns the interpreter that the `#!` line of a text names: "python3" for "#!/usr/bin/env -S python3 -u"; or "".
std::string interpreter_of_first_line(std::string_view text) {
  std::string_view line = first_line(text.substr(0, kMostFirstLine));
  if (!line.starts_with("#!")) return "";
  for (const LogWord& word : words_of(line.substr(2))) {
    const std::string name = word.text.substr(word.text.rfind('/') + 1);
    if (name != "env" && !name.starts_with('-') && name.find('=') == std::string::npos) return name;
  }
  return "";
}

// Returns the content of a file that the script has: of the skill, or of the workspace.
std::optional<std::string> content_of(const std::string& path, const Failure& failure) {
  constexpr std::string_view kSkill = "/band/skill/";
  const auto among = [](const std::vector<ShippedFile>& files, std::string_view name) -> std::optional<std::string> {
    for (const ShippedFile& file : files)
      if (file.path == name) return file.content;
    return std::nullopt;
  };
  if (path.starts_with(kLib)) return among(failure.script.lib, path.substr(kLib.size()));
  if (path.starts_with(kSkill)) return among(failure.script.skill_files, path.substr(kSkill.size()));
  if (failure.workspace == nullptr) return std::nullopt;
  const auto relative = path_for_script(path, *failure.workspace);
  if (!relative || !failure.sent.contains(*relative)) return std::nullopt;
  int err = 0;
  const Tree::Found found = failure.workspace->resolve(*relative);
  auto file = failure.workspace->read(found.path, kMostFile, err);
  if (!file) return err == EFBIG ? std::optional<std::string>("") : std::nullopt;
  return std::move(file->content);
}

// Whether the line is about starting a program, and not about opening or writing a file.
bool is_about_execution(std::string_view line, const std::string& path, std::string_view log) {
  if (contains(line, "spawn") || contains(line, "exec")) return true;            // Node.js, Go, env(1)
  if (contains(log, "_execute_child") || contains(log, "os.exec")) return true;  // Python
  const bool shell = contains(line, ": line ") || line.starts_with("sh: ") || line.starts_with("bash: ");
  return shell && line.ends_with(path + ": Permission denied");
}

std::string start_text(const std::string& path, const std::string& content) {
  std::string interpreter = interpreter_of_first_line(content);
  if (interpreter.empty()) interpreter = interpreter_of_name(path);
  if (interpreter.empty())
    return content.starts_with("\177ELF")
               ? "; a program is installed on the machine that runs the script, and declared in allow.cli"
               : "; start the program that reads it, with the file as argument";
  const std::string shown = path.starts_with(kLib) ? "\"$BAND_LIB/" + path.substr(kLib.size()) + "\"" : path;
  return "; start it with `" + printable_line(interpreter + " " + shown) + "`";
}

void find_execution(const Inquiry& inquiry, Hints& hints) {
  const Failure& failure = inquiry.failure;
  std::size_t words = 0;
  for (const std::string_view line : lines_of(failure.log)) {
    if (!reports_permission(line)) continue;
    if (contains(line, "fork/exec /tmp/")) {
      hints.add(Likelihood::Reported,
                "a program that the run itself has made (below /tmp) cannot be executed, and no rule allows it "
                "(noexec): build it outside the sandbox, and install it on the machine that runs the script");
      continue;
    }
    for (const LogWord& word : words_of(line)) {
      if (++words > kMostWords) return;
      const auto content = content_of(word.text, failure);
      if (!content || !is_about_execution(line, word.text, failure.log)) continue;
      hints.add(Likelihood::Reported,
                "no file of the skill, of the workspace or of /tmp can be executed, regardless "
                "of its mode (noexec)" +
                    start_text(word.text, *content));
      break;
    }
  }
  if (contains(failure.log, "cannot execute \u2018cc1\u2019") || contains(failure.log, "cannot execute 'cc1'"))
    hints.add(Likelihood::Reported,
              "gcc starts cc1, which the sandbox does not have: the operator allows it in server.yaml (commands: "
              "{programs: {gcc: {run: [/usr/lib/gcc], read: [/usr/include]}}})");
}

// Whether a line shows that bind(2) or listen(2) has failed.
bool is_about_listening(std::string_view line) {
  static constexpr std::array kCalls = {".bind(",
                                        "server_bind",
                                        "bind: permission denied",
                                        "listen EACCES",
                                        "bind(2)",
                                        "bind error",
                                        "bind failed",
                                        "syscall: 'listen'",
                                        "create_server(",
                                        "cannot bind",
                                        "bind: Permission denied"};
  return std::any_of(kCalls.begin(), kCalls.end(), [&](const char* call) { return contains(line, call); });
}

// Whether the text of the script or of the command calls bind(2) or listen(2).
bool listens_by_its_text(const Failure& failure) {
  static constexpr std::array kCalls = {".bind(",     ".listen(",    "HTTPServer(",
                                        "TCPServer(", "http.server", "net.Listen("};
  const std::vector<std::string> texts = authored_texts(failure);
  return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
    return std::any_of(kCalls.begin(), kCalls.end(), [&](const char* call) { return contains(text, call); });
  });
}

void find_listening(const Inquiry& inquiry, Hints& hints) {
  bool listens = false, refused = false, bare = false;
  for (const std::string_view line : lines_of(inquiry.failure.log)) {
    listens = listens || is_about_listening(line);
    refused = refused || reports_permission(line);
    bare = bare || line.ends_with("Permission denied");  // names no file
  }
  if (refused && (listens || (bare && listens_by_its_text(inquiry.failure))))
    hints.add(Likelihood::Reported,
              "a script cannot listen on a port, also not on localhost, and no rule allows it (bind(2) fails with "
              "EACCES); processes of one run can use a socket of the file system, below /tmp");
}

}  // namespace

void find_forbidden_acts(const Inquiry& inquiry, Hints& hints) {
  find_execution(inquiry, hints);
  find_listening(inquiry, hints);
}

}  // namespace band::client
