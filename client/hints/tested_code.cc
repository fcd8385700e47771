// What a program in Python or JavaScript tests, as far as literals of its text show it.
#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "client/hints/tested.h"
#include "schemas/core/lines.h"
#include "schemas/core/words.h"

namespace band::client {
namespace {

constexpr std::size_t kMostLiterals = 5'000, kMostNames = 500, kMostArguments = 20;
constexpr std::size_t kMostPath = 200;     // bytes of a literal that is examined
constexpr std::size_t kMostContext = 120;  // bytes before a literal that are examined
constexpr std::size_t kMostCall = 600;     // bytes of the arguments of a call
constexpr std::size_t kMostSearched = 50;  // names that are searched in the text

bool is_name_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n"), end = text.find_last_not_of(" \t\r\n");
  return begin == std::string_view::npos ? text.substr(0, 0) : text.substr(begin, end + 1 - begin);
}

struct Literal {
  std::size_t begin = 0, end = 0;  // with the quotes, and with a prefix such as `f`
  std::string_view text;
};

bool is_javascript(std::string_view text) {
  static constexpr std::string_view kPython[] = {"python3\n",           "python\n",     "\ndef ",
                                                 "\nimport os",         "import sys",   "import subprocess",
                                                 "from pathlib import", "import json\n"};
  static constexpr std::string_view kJavascript[] = {"require(", "const ", "process.env", "process.argv",
                                                     "process.cwd"};
  const auto has = [&](std::string_view part) { return contains(text, part); };
  return std::none_of(std::begin(kPython), std::end(kPython), has) &&
         std::any_of(std::begin(kJavascript), std::end(kJavascript), has);
}

// Reads the literals of a program. Comments, and literals of several lines, are left out.
class Literals {
 public:
  explicit Literals(std::string_view text) : text_(text), javascript_(is_javascript(text)) {
    while (at_ < text_.size() && all_.size() < kMostLiterals) step();
  }
  const std::vector<Literal>& all() const { return all_; }
  // The literal that begins at `begin`; nullptr if there is none.
  const Literal* at(std::size_t begin) const {
    const auto found = std::lower_bound(all_.begin(), all_.end(), begin,
                                        [](const Literal& one, std::size_t place) { return one.begin < place; });
    return found != all_.end() && found->begin == begin ? &*found : nullptr;
  }

 private:
  bool starts(std::string_view what) const { return text_.substr(at_, what.size()) == what; }
  void skip_to(std::string_view end) {
    const std::size_t found = text_.find(end, at_ + end.size());
    at_ = found == std::string_view::npos ? text_.size() : found + end.size();
  }

  void step() {
    const char c = text_[at_];
    const bool line_comment = javascript_ ? starts("//") && (at_ == 0 || text_[at_ - 1] != ':') : c == '#';
    if (line_comment) return skip_to("\n");
    if (javascript_ && starts("/*")) return skip_to("*/");
    for (const std::string_view several : {"\"\"\"", "'''"})
      if (!javascript_ && starts(several)) return skip_to(several);
    if (c == '"' || c == '\'' || (javascript_ && c == '`')) return read(c);
    ++at_;
  }

  void read(char quote) {
    std::size_t begin = at_, end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
    at_ = std::min(end + 1, text_.size());
    if (end >= text_.size() || text_[end] != quote || end - begin > kMostPath) return;
    const std::string_view text = text_.substr(begin + 1, end - begin - 1);
    if (begin > 0 && contains("frbuFRBU", text_.substr(begin - 1, 1)) &&
        (begin == 1 || !is_name_part(text_[begin - 2])))
      --begin;
    all_.push_back({begin, end + 1, text});
  }

  std::string_view text_;
  bool javascript_;
  std::size_t at_ = 0;
  std::vector<Literal> all_;
};

// A path as the text shows it: literal components after a beginning that is computed.
struct Place {
  bool home = false;       // it begins with the home directory
  bool own = false;        // it begins with a directory of the program's own file, or one above
  bool whole = false;      // it has no other beginning
  bool elsewhere = false;  // it is absolute, or begins with `..`
  std::string segments;    // "data/x.json"; ""
};

// Adds components. A path that is longer than kMostPath does not grow any more.
void append(std::string& segments, std::string_view more) {
  if (segments.size() > kMostPath) return;
  while (more.starts_with("./")) more.remove_prefix(2);
  while (more.starts_with("../")) more.remove_prefix(3);
  while (more.starts_with('/')) more.remove_prefix(1);
  while (more.ends_with('/')) more.remove_suffix(1);
  if (more.empty() || more == "." || more == "..") return;
  segments.append(segments.empty() ? "" : "/").append(more);
}

Place whole_place(std::string_view text) {
  Place place;
  place.whole = true;
  place.elsewhere = text.starts_with('/') || text.starts_with("..");
  append(place.segments, text);
  return place;
}

bool is_home(std::string_view expression) {
  static constexpr std::string_view kHomes[] = {
      "Path.home()",       "homedir()", "expanduser(\"~\")", "expanduser('~')", "environ[\"HOME\"]",
      "environ['HOME']",   "env.HOME",  "getenv(\"HOME\"",   "getenv('HOME'",   "environ.get(\"HOME\"",
      "environ.get('HOME'"};
  return std::any_of(std::begin(kHomes), std::end(kHomes),
                     [&](std::string_view home) { return contains(expression, home); });
}

// Programs whose name, as the first element of a list, is probably a command line: own_helper(["git", "log"]).
bool is_common_program(std::string_view name) {
  static constexpr std::array kNames = {"cargo",   "curl",  "docker", "ffmpeg",  "gh",  "git",    "go",  "jq",
                                        "kubectl", "make",  "node",   "npm",     "npx", "pandoc", "pip", "python3",
                                        "rg",      "rsync", "ssh",    "sqlite3", "uv",  "wget"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool is_own(std::string_view expression) {
  return contains(expression, "__file__") || contains(expression, "__dirname") || contains(expression, "import.meta");
}

class CodeTests {
 public:
  CodeTests(std::string_view text, Tested& tested) : text_(text), literals_(text), tested_(tested) {
    read_beginnings();
    for (const Literal& literal : literals_.all()) read(literal);
    read_names();
    for (const std::string_view call : {"join(", "joinpath(", "resolve("}) read_joins(call);
    read_environment();
  }

 private:
  // Returns the end of the expression that ends before `end`: a name, attributes and calls.
  std::string_view expression_before(std::size_t end) const {
    end = std::min(end, text_.size());
    const std::size_t least = end > kMostContext ? end - kMostContext : 0;
    std::size_t begin = end, depth = 0;
    while (begin > least) {
      const char c = text_[begin - 1];
      if (c == ')' || c == ']')
        ++depth;
      else if ((c == '(' || c == '[') && depth > 0)
        --depth;
      else if (depth == 0 && !is_name_part(c) && c != '.')
        break;
      if (c == '\n') break;
      --begin;
    }
    return text_.substr(begin, end - begin);
  }

  std::size_t before_blanks(std::size_t end) const {
    while (end > 0 && (text_[end - 1] == ' ' || text_[end - 1] == '\t' || text_[end - 1] == '\n')) --end;
    return end;
  }

  Place place_of(std::string_view expression) const {
    expression = trimmed(expression);
    if (constexpr std::string_view kPath = "Path("; expression.starts_with(kPath)) {  // Path("data")
      const std::size_t begin = static_cast<std::size_t>(expression.data() - text_.data());
      const Literal* const literal = literals_.at(begin + kPath.size());
      if (literal != nullptr && literal->end + 1 == begin + expression.size()) return whole_place(literal->text);
    }
    const std::size_t end = static_cast<std::size_t>(
        std::find_if_not(expression.begin(), expression.end(), is_name_part) - expression.begin());
    const auto known = names_.find(std::string(expression.substr(0, end)));
    if (known != names_.end() && end == expression.size()) return known->second;
    Place place;
    place.home = is_home(expression);
    place.own = is_own(expression);
    if (known != names_.end()) {  // `ROOT.parent`
      place.home = place.home || known->second.home;
      place.own = place.own || known->second.own;
    }
    return place;
  }

  void keep(const Place& place) {
    if (place.elsewhere || place.segments.empty() || place.segments.size() > kMostPath ||
        place.segments.find("..") != std::string::npos || place.segments.find_first_of("*?[{$\\") != std::string::npos)
      return;
    std::set<std::string>& paths = place.home    ? tested_.of_home
                                   : place.own   ? tested_.beside
                                   : place.whole ? tested_.paths
                                                 : tested_.composed;
    if (paths.size() < kMostTested) paths.insert(place.segments);
  }

  void keep_mentioned(const Place& place) {
    if (!place.elsewhere && !place.segments.empty() && place.segments.size() <= kMostPath &&
        place.segments.find_first_of("*?[{$\\") == std::string::npos && !contains(place.segments, ".."))
      add(tested_.mentioned, place.segments);
  }

  // `base / "a" / NAME`: keeps the path, and the name to which it is assigned.
  void read(const Literal& literal) {
    if (contains(literal.text, "}/")) return read_template(literal);
    if (literal.text.find('.', 1) != std::string_view::npos && literal.text.find(' ') == std::string_view::npos)
      keep_mentioned(whole_place(literal.text));
    const std::size_t before = before_blanks(literal.begin);
    const char sign = before == 0 ? '\n' : text_[before - 1];
    if (sign == '/' && before > 1 && text_[before - 2] != '/') return read_chain(literal, before - 1);
    if (sign == '=' && before > 1 && text_[before - 2] != '=') {
      return assign(before - 1, whole_place(literal.text));
    }
    if (sign == '+' && literal.text.starts_with('/')) {
      Place place = place_of(expression_before(before_blanks(before - 1)));
      append(place.segments, literal.text);
      return keep(place);
    }
    if (sign == '[') {
      const std::size_t bracket = before_blanks(before - 1);
      const char opening = bracket == 0 ? '\n' : text_[bracket - 1];
      const bool list = opening == '(';  // run(["git"]), and not environ["X"]
      if ((list || opening == '=' || opening == ',') && is_common_program(literal.text))
        add(tested_.started, literal.text);
      return read_argument(literal, expression_before(list ? bracket - 1 : bracket));
    }
    if (sign == '(') read_argument(literal, expression_before(before - 1));
  }

  void read_chain(const Literal& literal, std::size_t slash) {
    if (literal.begin < chain_end_) return;  // a further component of a chain that was read
    const std::string_view base = expression_before(before_blanks(slash));
    Place place = place_of(base);
    for (const Literal* next = &literal; next != nullptr;) {
      append(place.segments, next->text);
      chain_end_ = next->end;
      const std::size_t sign = text_.find_first_not_of(" \t\n", next->end);
      if (sign == std::string_view::npos || text_[sign] != '/') break;
      next = literals_.at(text_.find_first_not_of(" \t\n", sign + 1));
    }
    keep(place);
    const std::size_t begin = static_cast<std::size_t>(base.data() - text_.data());
    if (const std::size_t equals = before_blanks(begin); equals > 0 && text_[equals - 1] == '=')
      assign(equals - 1, place);
  }

  // `equals`: the place of `=` in `NAME = ...`.
  void assign(std::size_t equals, const Place& place) {
    const std::string_view name = expression_before(before_blanks(equals));
    if (!name.empty() && std::all_of(name.begin(), name.end(), is_name_part) && names_.size() < kMostNames)
      names_.insert_or_assign(std::string(name), place);
  }

  // Lines such as `HERE = Path(__file__).parent` and `home = os.homedir()`, without literals.
  void read_beginnings() {
    for (std::string_view line : lines_of(text_)) {
      line = trimmed(line);
      for (const std::string_view word : {"const ", "let ", "var "})
        if (line.starts_with(word)) line.remove_prefix(word.size());
      const std::size_t end =
          static_cast<std::size_t>(std::find_if_not(line.begin(), line.end(), is_name_part) - line.begin());
      const std::size_t equals = line.find_first_not_of(' ', end);
      if (end == 0 || names_.size() >= kMostNames || equals == std::string_view::npos || line[equals] != '=' ||
          line.size() > kMostCall)
        continue;
      Place place = place_of(line.substr(equals + 1));
      if (place.home || place.own) names_.insert_or_assign(std::string(line.substr(0, end)), std::move(place));
    }
  }

  // `base / NAME` after NAME = "data".
  void read_names() {
    std::size_t searched = 0;
    const auto names = names_;
    for (const auto& [name, value] : names) {
      if (!value.whole || ++searched > kMostSearched) continue;
      for (std::size_t at = text_.find(name); at != std::string_view::npos; at = text_.find(name, at + 1)) {
        const std::size_t end = at + name.size(), before = before_blanks(at);
        if (before < 2 || text_[before - 1] != '/' || text_[before - 2] == '/' ||
            (end < text_.size() && is_name_part(text_[end])))
          continue;
        Place place = place_of(expression_before(before_blanks(before - 1)));
        append(place.segments, value.segments);
        keep(place);
      }
    }
  }

  void read_argument(const Literal& literal, std::string_view function) {
    static constexpr std::array kTests = {"exists", "isfile",  "isdir",       "existsSync",   "Path",    "listdir",
                                          "walk",   "scandir", "readdirSync", "readFileSync", "statSync"};
    static constexpr std::array kStarts = {"run",    "Popen",    "call",        "check_call", "check_output",
                                           "system", "popen",    "execSync",    "spawn",      "spawnSync",
                                           "exec",   "execFile", "execFileSync"};
    const std::string_view name = function.substr(function.rfind('.') + 1);
    const auto is = [&](const auto& names) { return std::find(names.begin(), names.end(), name) != names.end(); };
    const Place place = whole_place(literal.text);
    if (is(kTests) && !literal.text.starts_with('~')) keep(place);
    if (name == "which") add(tested_.programs, literal.text);
    if (is(kStarts)) add(tested_.started, literal.text.substr(0, literal.text.find(' ')));
    if ((name == "get" && contains(function, "environ")) || name == "getenv" || contains(function, "process.env"))
      add(tested_.variables, literal.text);
    if (name == "glob" || name == "rglob") read_glob(literal, function);
  }

  void read_glob(const Literal& literal, std::string_view function) {
    const std::size_t wildcard = literal.text.find_first_of("*?["), slash = literal.text.rfind('/', wildcard);
    if (wildcard == std::string_view::npos) return;
    const bool here = contains(function, "Path(\".\")") || contains(function, "Path('.')") ||
                      contains(function, "Path()") || contains(function, "cwd()") || function.starts_with("glob");
    if (slash == std::string_view::npos || literal.text.starts_with("**"))
      tested_.lists_directory = tested_.lists_directory || here;
    else if (tested_.looped.size() < kMostTested)
      tested_.looped.insert(std::string(literal.text.substr(0, slash)));
  }

  // `${root}/data/x.json` and f"{root}/data/x.json".
  void read_template(const Literal& literal) {
    const std::size_t brace = literal.text.rfind("}/");
    if (brace == std::string_view::npos) return;
    const std::size_t begin = literal.text.rfind('{', brace);
    if (begin == std::string_view::npos) return;
    Place place = place_of(literal.text.substr(begin + 1, brace - begin - 1));
    const std::string_view rest = literal.text.substr(brace + 2);
    append(place.segments, rest.substr(0, rest.find_first_of(" \"'`,;")));
    keep(place);
  }

  // os.path.join(base, "a", NAME), path.join(...), base.joinpath("a").
  void read_joins(std::string_view call) {
    for (std::size_t at = text_.find(call); at != std::string_view::npos && ++joins_ <= kMostLiterals;
         at = text_.find(call, at + call.size())) {
      const std::size_t begin = at + call.size();
      Place place;
      bool first = true;
      if (call == "joinpath(") {
        place = place_of(expression_before(at > 0 ? at - 1 : 0));
        first = false;
      }
      std::size_t from = begin;
      for (std::size_t i = 0; i < kMostArguments; ++i) {
        const std::size_t to = end_of_argument(from, begin);
        if (to == std::string_view::npos) break;
        const std::string_view argument = trimmed(text_.substr(from, to - from));
        const std::size_t place_in_text = static_cast<std::size_t>(argument.data() - text_.data());
        const Literal* literal = argument.empty() ? nullptr : literals_.at(place_in_text);
        if (literal != nullptr && literal->end == place_in_text + argument.size()) {
          if (first)
            place = whole_place(literal->text);
          else
            append(place.segments, literal->text);
        } else if (!argument.empty()) {
          Place own = place_of(argument);
          if (!first && own.whole)
            append(place.segments, own.segments);
          else
            place = own;
        }
        first = false;
        if (text_[to] != ',') break;
        from = to + 1;
      }
      keep(place);
      const std::string_view function = expression_before(at);
      const std::size_t start = static_cast<std::size_t>(function.data() - text_.data());
      if (const std::size_t equals = before_blanks(start); equals > 0 && text_[equals - 1] == '=')
        assign(equals - 1, place);
    }
  }

  // Returns the place of the comma or bracket after the argument that begins at `from`; npos if the call is too long.
  std::size_t end_of_argument(std::size_t from, std::size_t call) const {
    std::size_t depth = 0;
    for (std::size_t at = from; at < text_.size() && at < call + kMostCall; ++at) {
      if (const Literal* literal = literals_.at(at); literal != nullptr) {
        at = literal->end - 1;
        continue;
      }
      const char c = text_[at];
      if (c == '(' || c == '[' || c == '{') ++depth;
      const bool closes = c == ')' || c == ']' || c == '}';
      if (depth == 0 && (closes || c == ',')) return at;
      if (closes) --depth;
    }
    return std::string_view::npos;
  }

  // process.env.NAME is undefined if the variable is not set.
  void read_environment() {
    constexpr std::string_view kBefore = "process.env.";
    for (std::size_t at = text_.find(kBefore); at != std::string_view::npos; at = text_.find(kBefore, at + 1)) {
      const std::string_view rest = text_.substr(at + kBefore.size(), kMostPath);
      add(tested_.variables,
          rest.substr(
              0, static_cast<std::size_t>(std::find_if_not(rest.begin(), rest.end(), is_name_part) - rest.begin())));
    }
  }

  static void add(std::set<std::string>& names, std::string_view name) {
    if (!name.empty() && names.size() < kMostTested) names.emplace(name);
  }

  const std::string_view text_;
  const Literals literals_;
  Tested& tested_;
  std::map<std::string, Place> names_;
  std::size_t chain_end_ = 0, joins_ = 0;
};

}  // namespace

void find_tests_of_code(std::string_view text, Tested& tested) { CodeTests(text, tested); }

}  // namespace band::client
