#include <algorithm>
#include <map>
#include <utility>

#include "client/convert/facts.h"
#include "client/convert/python_modules.h"
#include "schemas/programs/essentials.h"

namespace band::client {
namespace {

std::string install_text(const std::string& package) {
  return package.empty()
             ? "install it on the server's machine (`apt-cache search python3-` lists Debian's packages), or "
               "put it into the script's directory"
             : "install it on the server's machine: `apt-get install " + package + "`";
}

using TokenKind = PythonToken::Kind;
using Kind = PythonValue::Kind;

constexpr std::size_t kMostTokens = 60;  // tokens of an expression that are read

bool is_any(std::string_view text, std::initializer_list<std::string_view> of) {
  return std::find(of.begin(), of.end(), text) != of.end();
}

class Reader {
 public:
  Reader(const std::vector<PythonToken>& tokens, const std::set<std::string>& siblings)
      : tokens_(tokens), siblings_(siblings) {}

  Facts read() {
    docstring();
    for (at_ = 0; at_ < tokens_.size(); ++at_) {
      const PythonToken& token = tokens_[at_];
      if (token.kind == TokenKind::String) {
        string(token);
      } else if (token.is_name()) {
        if (begins_line(at_) && (token.text == "import" || token.text == "from")) import();
        if (at_ + 1 < tokens_.size() && tokens_[at_ + 1].is("(")) call();
        if (at_ + 1 < tokens_.size() && tokens_[at_ + 1].is("=")) assignment();
        name();
      }
    }
    if (network_ && facts_.hosts.empty())
      find_thing(facts_, network_line_, 1, "uses the network (`" + network_by_ + "`), and the text names no host",
                 "write the hosts in BAND.md: `net: [api.example.com]`");
    return std::move(facts_);
  }

 private:
  bool begins_line(std::size_t at) const {
    return at == 0 || tokens_[at - 1].kind == TokenKind::LineEnd || tokens_[at - 1].is(";") || tokens_[at - 1].is(":");
  }

  void docstring() {
    if (tokens_.empty() || tokens_[0].kind != TokenKind::String || !tokens_[0].literal) return;
    const std::string& text = tokens_[0].text;
    const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    facts_.description = text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin);
  }

  // Reads `import a.b, c` and `from a.b import c`; `from . import c` and `from .a import c` import siblings.
  void import() {
    const PythonToken& keyword = tokens_[at_];
    const bool from = keyword.text == "from";
    std::size_t at = at_ + 1;
    bool relative = false;
    for (; at < tokens_.size() && tokens_[at].is("."); ++at) relative = true;
    while (at < tokens_.size() && tokens_[at].is_name()) {
      if (from && tokens_[at].is("import")) {  // from . import a, b
        for (++at; at < tokens_.size() && tokens_[at].kind != TokenKind::LineEnd; ++at)
          if (tokens_[at].is_name()) use(tokens_[at].text, keyword, true);
        return;
      }
      use(tokens_[at].text, keyword, relative);
      if (from) return;
      while (at < tokens_.size() && tokens_[at].kind != TokenKind::LineEnd && !tokens_[at].is(",")) ++at;
      if (at >= tokens_.size() || tokens_[at].kind == TokenKind::LineEnd) return;
      ++at;
    }
  }

  void use(const std::string& module, const PythonToken& place, bool relative) {
    if (siblings_.contains(module)) {
      facts_.uses.insert(module);
      return;
    }
    if (relative) return;
    if (is_any(module, {"tkinter", "turtle", "pygame", "PyQt5", "PyQt6", "wx", "gi"}))
      return find_thing(facts_, place.line, place.column, "imports `" + module + "`: a sandbox has no desktop",
                        "print the result, or write it to a file");
    if (is_any(module, {"socket", "urllib", "http", "requests", "httpx", "aiohttp", "smtplib", "ftplib", "urllib3",
                        "websockets"}) &&
        !network_) {
      network_ = true;
      network_by_ = module;
      network_line_ = place.line;
    }
    if (is_python_module(module)) return;
    find_thing(facts_, place.line, place.column,
               "imports `" + module + "`, which is neither a module of Python itself nor in the script's directory",
               install_text(debian_package_of(module)));
  }

  void string(const PythonToken& token) {
    const std::string& text = token.text;
    find_hosts(facts_, text, token.line, token.column);
    if (text.starts_with("~/"))
      find_thing(facts_, token.line, token.column,
                 "names a file of the home directory (`" + text.substr(0, 60) + "`): the home of a sandbox is empty",
                 "take the path, or the file's content, from an argument or a variable");
    if (is_machine_path(text))
      find_thing(facts_, token.line, token.column,
                 "names a path of the machine (`" + text.substr(0, 60) + "`), which a sandbox does not have",
                 "allow it in BAND.md (`read: [\"" + text.substr(0, 60) + "\"]`), or take a file of the workspace");
  }

  // Reads the names in `environ["NAME"]`, `sys.stdin` and `__file__`.
  void name() {
    const PythonToken& token = tokens_[at_];
    if (token.text == "stdin" && at_ > 0 && tokens_[at_ - 1].is(".")) facts_.reads_stdin = true;
    if (token.text == "environ" && at_ + 2 < tokens_.size() && tokens_[at_ + 1].is("[")) variable(at_ + 2);
  }

  void variable(std::size_t at) {
    if (at >= tokens_.size() || tokens_[at].kind != TokenKind::String || !tokens_[at].literal) return;
    const std::string& text = tokens_[at].text;
    const bool plain = !text.empty() && std::all_of(text.begin(), text.end(),
                                                    [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    if (plain && !is_own_variable(text)) mention(facts_.variables, text, tokens_[at].line, tokens_[at].column);
  }

  void call() {
    const std::string& name = tokens_[at_].text;
    std::size_t first = at_;
    const std::string whole = python_dotted(tokens_, at_, first);
    const PythonToken& token = tokens_[at_];
    if (whole == "input" || whole == "getpass.getpass" || whole == "getpass") return question(token, whole);
    if (whole == "json.dumps" || whole == "dumps" || (whole == "json.dump" && names_stdout()))
      facts_.prints_json = true;
    if (is_any(name, {"getenv"}) || whole.ends_with("environ.get") || whole.ends_with("environ.pop"))
      return variable(at_ + 2);
    if (whole.starts_with("fileinput.")) facts_.reads_stdin = true;
    if (whole.starts_with("subprocess.") ||
        is_any(whole, {"os.system", "os.popen", "Popen", "check_output", "check_call", "os.execvp", "shutil.which"}))
      return program();
    if (name == "open" || name == "write_text" || name == "write_bytes" || name == "read_text" ||
        name == "read_bytes" || name == "mkdir")
      file(whole);
    if (whole == "import_module" || whole == "importlib.import_module") {
      const auto parts = python_arguments(tokens_, at_ + 1);
      const PythonValue value = parts.empty() ? PythonValue{} : python_value(tokens_, parts[0].begin, parts[0].end);
      if (value.kind == Kind::String) use(value.text.substr(0, value.text.find('.')), token, false);
    }
  }

  // Returns true for json.dump(x, sys.stdout), false for json.dump(x, f).
  bool names_stdout() const {
    const auto parts = python_arguments(tokens_, at_ + 1);
    return std::any_of(parts.begin(), parts.end(), [&](const PythonArgument& part) {
      return part.end - part.begin == 3 && tokens_[part.end - 1].is("stdout");
    });
  }

  void question(const PythonToken& token, const std::string& by) {
    if (by == "input") facts_.reads_stdin = true;
    find_thing(
        facts_, token.line, token.column, "prompts for an answer (`" + by + "`): no user can answer in a sandbox",
        by == "input"
            ? "take the answer from an argument; without this change, the property `stdin` of the input is the answer"
            : "take the answer from an argument");
  }

  // Reads the first word of a command, which is a list or a string for the shell.
  void program() {
    const auto parts = python_arguments(tokens_, at_ + 1);
    if (parts.empty() || !parts[0].keyword.empty()) return;
    std::size_t begin = parts[0].begin;
    if (begin < tokens_.size() && tokens_[begin].is("[")) ++begin;
    if (begin >= parts[0].end || tokens_[begin].kind != TokenKind::String) return unknown_program(parts[0].begin);
    std::string word = tokens_[begin].text.substr(0, tokens_[begin].text.find_first_of(" \n"));
    word = word.substr(word.rfind('/') + 1);
    if (word.empty() || word.find_first_of("{}$*?'\"|&;<>()") != std::string::npos) return;
    if (siblings_.contains(word.substr(0, word.rfind('.')))) facts_.uses.insert(word.substr(0, word.rfind('.')));
    if (!find_installer(facts_, word, tokens_[begin].line, tokens_[begin].column) && !is_essential(word))
      mention(facts_.programs, word, tokens_[begin].line, tokens_[begin].column);
  }

  void unknown_program(std::size_t at) {
    const bool itself =
        at + 3 < tokens_.size() && tokens_[at].is("[") && tokens_[at + 1].is("sys") && tokens_[at + 3].is("executable");
    find_thing(facts_, tokens_[at].line, tokens_[at].column,
               itself ? "starts Python itself (`sys.executable`), which needs a rule of its own"
                      : "starts a program whose name is computed at run time",
               itself ? "write the command line in BAND.md: `cli: [\"python3 -m NAME *\"]`"
                      : "write its command line in BAND.md: `cli: [\"NAME *\"]`");
  }

  // Collects names of paths in the script's directory: `here = Path(__file__).parent`, `data = here / "data"`.
  void assignment() {
    if (!begins_line(at_)) return;
    bool beside = false;
    for (std::size_t at = at_ + 2;
         at < tokens_.size() && at < at_ + kMostTokens && tokens_[at].kind != TokenKind::LineEnd; ++at)
      beside =
          beside || (tokens_[at].is_name() && (tokens_[at].text == "__file__" || beside_.contains(tokens_[at].text)));
    if (beside && beside_.size() < 200) beside_.insert(tokens_[at_].text);
  }

  // Reads `open(...)` and `Path(...).write_text(...)`: relative paths, and writes into the script's directory.
  void file(const std::string& whole) {
    const auto parts = python_arguments(tokens_, at_ + 1);
    const std::string& name = tokens_[at_].text;
    const bool opens = whole == "open" || whole == "io.open";
    std::string mode;
    std::size_t begin = 0, end = 0;
    if (opens && !parts.empty()) {
      begin = parts[0].begin;
      end = parts[0].end;
      mode = mode_of(parts, 1);
    } else if (at_ >= 2 && tokens_[at_ - 1].is(".")) {
      begin = receiver_begin();
      end = at_ - 1;
      mode = name == "open" ? mode_of(parts, 0) : name.starts_with("read") ? "r" : "w";
    }
    const bool writes = mode.find_first_of("wax+") != std::string::npos;
    bool beside = false;
    const PythonToken* path = nullptr;
    end = std::min(end, begin + kMostTokens);
    for (std::size_t at = begin; at < end; ++at) {
      if (tokens_[at].is_name() && (tokens_[at].text == "__file__" || beside_.contains(tokens_[at].text)))
        beside = true;
      if (tokens_[at].kind == TokenKind::String && tokens_[at].literal) path = &tokens_[at];
    }
    if (beside && writes)
      return find_thing(facts_, tokens_[at_].line, tokens_[at_].column,
                        "writes into the script's directory: the files of a skill are read-only in a sandbox",
                        "write into the workspace or to /tmp");
    facts_.writes_computed =
        facts_.writes_computed || (writes && !beside && path == nullptr && begin < end && name != "mkdir");
    const bool only_path = path != nullptr && (end - begin == 1 || (end - begin == 4 && tokens_[begin].is("Path")));
    if (!beside && only_path && name != "mkdir" && is_plain_path(path->text))
      mention(writes ? facts_.writes : facts_.reads, path->text, path->line, path->column);
  }

  std::string mode_of(const std::vector<PythonArgument>& parts, std::size_t index) const {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool is_mode = parts[i].keyword == "mode" || (parts[i].keyword.empty() && i == index);
      const PythonValue value = is_mode ? python_value(tokens_, parts[i].begin, parts[i].end) : PythonValue{};
      if (value.kind == Kind::String) return value.text;
    }
    return "r";
  }

  // Returns the beginning of the expression before `.write_text` on its line: `Path("x")`, `out`.
  std::size_t receiver_begin() const {
    std::size_t begin = at_ - 1;
    int depth = 0;
    for (std::size_t steps = 0; begin > 0 && steps < kMostTokens; ++steps) {
      const PythonToken& before = tokens_[begin - 1];
      if (before.is(")") || before.is("]")) ++depth;
      if ((before.is("(") || before.is("[")) && depth-- == 0) break;
      if (depth == 0 && (before.kind == TokenKind::LineEnd || before.is("=") || before.is(",") || before.is(":")))
        break;
      --begin;
    }
    return begin;
  }

  const std::vector<PythonToken>& tokens_;
  const std::set<std::string>& siblings_;
  std::size_t at_ = 0;
  Facts facts_;
  std::set<std::string> beside_;  // names of paths in the script's directory
  bool network_ = false;
  std::string network_by_;
  int network_line_ = 0;
};

}  // namespace

Facts python_facts(const std::vector<PythonToken>& tokens, const std::set<std::string>& siblings) {
  return Reader(tokens, siblings).read();
}

}  // namespace band::client
