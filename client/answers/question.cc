#include "client/answers/question.h"

#include "client/host/tree.h"
#include "schemas/core/json_text.h"
#include "schemas/core/usage.h"
#include "schemas/pattern/shell_text.h"

namespace band::client {
namespace {

constexpr std::size_t kMaxShownPath = 200;

}  // namespace

const char* Question::domain() const {
  switch (kind) {
    case Kind::Command:
      return "cli";
    case Kind::Read:
      return "read";
    case Kind::Write:
      return "write";
    case Kind::Net:
      return "net";
  }
  return "";
}

std::string Question::written_path() const { return (absolute ? "/" : "./") + path; }

std::string Question::text() const {
  if (kind == Kind::Command) return shell_text(argv);
  if (kind == Kind::Net) return "connect to " + host.text_with_port(port);
  return std::string(domain()) + " " + escaped(written_path().substr(0, kMaxShownPath));
}

Result<Question> ask_command(std::vector<std::string> argv) {
  if (argv.empty() || argv.front().empty())
    return usage("no command follows `--`", "write the command line, as in -- gh repo delete x");
  Question question;
  question.argv = std::move(argv);
  return question;
}

Result<Question> ask_path(Question::Kind kind, const std::string& path) {
  Question question;
  question.kind = kind;
  const std::string flag = std::string("--") + question.domain() + " " + shown_string(path);
  if (path.find('\0') != std::string::npos) return usage(flag + " has a NUL byte", "remove it");
  question.absolute = path.starts_with('/');
  for (const std::string& segment : split_path(path)) {
    if (segment == "..")
      return usage(flag + " has the segment `..`",
                   "write a path without `..`: notes/today.md for a file of the workspace, /srv/x/a.csv for a file of "
                   "the machine that runs the script");
    if (segment != ".") question.path = join_path(question.path, segment);
  }
  if (question.path.empty())
    return usage(flag + " names no file", "name one, as in --" + std::string(question.domain()) + " notes/today.md");
  if (path.ends_with('/'))
    return usage(
        flag + " is a directory, and rules allow files",
        "name a file of this directory, as in --" + std::string(question.domain()) + " " + escaped(path) + "x.txt");
  return question;
}

Result<Question> ask_net(const std::string& host) {
  const auto pattern = one_host(host);
  if (!pattern)
    return usage(
        "--net " + shown_string(host) + " is not one host",
        "write a name or an address, with a port or without: api.github.com, 192.0.2.1:8080, [2001:db8::1]:443");
  Question question;
  question.kind = Question::Kind::Net;
  question.host = pattern->is_address() ? NetHost::literal(pattern->range.network) : NetHost::named(pattern->host);
  question.port = pattern->port.value_or(443);
  return question;
}

}  // namespace band::client
