#include "client/convert/facts.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "client/shell/variables.h"
#include "schemas/core/lines.h"
#include "schemas/rules/checks.h"

namespace band::client {
namespace {

bool is_any(std::string_view text, std::initializer_list<std::string_view> of) {
  return std::find(of.begin(), of.end(), text) != of.end();
}

bool is_host_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ? (c & 0x80) == 0 : c == '.' || c == '-';
}

// Counts lines and columns of a text that is read forwards.
struct Place {
  std::string_view text;
  std::size_t at = 0, line_start = 0;
  int line = 1;

  void move_to(std::size_t to) {
    for (; at < to; ++at)
      if (text[at] == '\n') {
        ++line;
        line_start = at + 1;
      }
  }
  int column() const { return static_cast<int>(at - line_start) + 1; }
};

// Returns the quoted word after `at`, as in `require("x")` and `from 'x'`.
std::string quoted_behind(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '(')) ++at;
  if (at >= text.size() || (text[at] != '"' && text[at] != '\'')) return "";
  const std::size_t end = text.find(text[at], at + 1);
  if (end == std::string_view::npos || end - at > 200) return "";
  return std::string(text.substr(at + 1, end - at - 1));
}

bool is_node_builtin(std::string name) {
  if (name.starts_with("node:")) return true;
  name = name.substr(0, name.find('/'));
  return is_any(name, {"assert",      "async_hooks",
                       "buffer",      "child_process",
                       "cluster",     "console",
                       "constants",   "crypto",
                       "dgram",       "dns",
                       "events",      "fs",
                       "http",        "http2",
                       "https",       "module",
                       "net",         "os",
                       "path",        "perf_hooks",
                       "process",     "punycode",
                       "querystring", "readline",
                       "stream",      "string_decoder",
                       "timers",      "tls",
                       "tty",         "url",
                       "util",        "v8",
                       "vm",          "worker_threads",
                       "zlib"});
}

void node_packages(Facts& facts, std::string_view text) {
  for (const std::string_view word : {"require", "from ", "import "}) {
    Place place{text};
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
      const std::string name = quoted_behind(text, at + word.size());
      if (name.empty() || name[0] == '.' || name[0] == '/' || is_node_builtin(name)) continue;
      place.move_to(at);
      find_thing(facts, place.line, place.column(), "imports `" + name + "`, which is not a module of Node.js itself",
                 "send node_modules with `read: [\"./node_modules/**\"]`, or install it on the server's machine "
                 "(docs/skills.md, Packages for Node.js)");
    }
  }
}

void variables_of(Facts& facts, std::string_view text, std::string_view begin) {
  Place place{text};
  for (std::size_t at = text.find(begin); at != std::string_view::npos; at = text.find(begin, at + 1)) {
    std::size_t name = at + begin.size(), end = name;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) ++end;
    if (end == name || end - name > 100) continue;
    place.move_to(at);
    mention(facts.variables, std::string(text.substr(name, end - name)), place.line, place.column());
  }
}

std::string first_comment(std::string_view text) {
  for (const std::string_view line : lines_of(text)) {
    if (line.starts_with("#!")) continue;
    const std::size_t begin = line.find_first_not_of("#/* \t\r");
    if (line.empty() || begin == 0) return "";
    if (begin != std::string_view::npos) return std::string(line.substr(begin));
  }
  return "";
}

}  // namespace

void mention(std::vector<Mention>& list, std::string name, int line, int column) {
  if (list.size() >= kMostMentions || name.size() > 200) return;
  for (const Mention& known : list)
    if (known.name == name) return;
  list.push_back({std::move(name), line, column, ""});
}

void add_facts(Facts& facts, const Facts& more, const std::string& file) {
  const auto add = [&](std::vector<Mention>& list, const std::vector<Mention>& others) {
    for (const Mention& other : others) {
      const std::size_t before = list.size();
      mention(list, other.name, other.line, other.column);
      if (list.size() > before) list.back().file = file;
    }
  };
  add(facts.programs, more.programs);
  add(facts.hosts, more.hosts);
  add(facts.variables, more.variables);
  add(facts.reads, more.reads);
  add(facts.writes, more.writes);
  facts.reads_stdin = facts.reads_stdin || more.reads_stdin;
  facts.writes_computed = facts.writes_computed || more.writes_computed;
  facts.functions.insert(more.functions.begin(), more.functions.end());
  facts.assigned.insert(more.assigned.begin(), more.assigned.end());
}

void drop_defined(Facts& facts) {
  std::erase_if(facts.programs, [&](const Mention& program) { return facts.functions.contains(program.name); });
  std::erase_if(facts.variables, [&](const Mention& variable) { return facts.assigned.contains(variable.name); });
}

void find_thing(Facts& facts, int line, int column, std::string what, std::string hint) {
  if (facts.findings.size() >= kMostFindings) return;
  for (const Diagnostic& known : facts.findings)
    if (known.message == what) return;  // only the first of several places is kept
  facts.findings.push_back({"", line, column, std::move(what), std::move(hint)});
}

void find_hosts(Facts& facts, std::string_view text, int line, int column) {
  Place place{text};
  for (std::size_t at = text.find("://"); at != std::string_view::npos; at = text.find("://", at + 1)) {
    const std::size_t https = at >= 5 && text.substr(at - 5, 5) == "https" ? 5 : 0;
    if (https == 0 && (at < 4 || text.substr(at - 4, 4) != "http")) continue;
    std::size_t end = at + 3;
    while (end < text.size() && is_host_character(text[end])) ++end;
    std::string host(text.substr(at + 3, end - at - 3));
    // In `https://eu.{region}.example.com` a part of the name is made at run time, so it is skipped. In
    // `https://api.example.com{path}` the expansion is after the name.
    const bool cut =
        host.ends_with('.') && end < text.size() && (text[end] == '{' || text[end] == '$' || text[end] == '%');
    while (!host.empty() && host.back() == '.') host.pop_back();
    const bool whole = host == "localhost" || host.find('.') != std::string::npos;
    if (cut || !whole || host.size() > 253 || std::isalnum(static_cast<unsigned char>(host[0])) == 0) continue;
    if (end < text.size() && text[end] == ':') {
      std::size_t port = end + 1;
      while (port < text.size() && port - end < 6 && std::isdigit(static_cast<unsigned char>(text[port])) != 0) ++port;
      if (port > end + 1) host += text.substr(end, port - end);
    }
    place.move_to(at);
    mention(facts.hosts, host, line + place.line - 1, place.line == 1 ? column + place.column() - 1 : place.column());
  }
}

bool is_machine_path(std::string_view text) {
  if (text.size() < 3 || text[0] != '/' || text.find_first_of(" \n\t") != std::string_view::npos) return false;
  if (std::isalpha(static_cast<unsigned char>(text[1])) == 0) return false;
  // A path of the machine begins with one of these directories, unlike `/api/v1` and `/pattern/`.
  for (const std::string_view root : {"/home/", "/root/", "/Users/", "/etc/", "/var/", "/usr/", "/opt/", "/srv/",
                                      "/mnt/", "/bin/", "/media/", "/data/"})
    if (text.starts_with(root)) return true;
  return false;
}

bool is_own_variable(std::string_view name) { return is_set_by_shell_or_band(name) || !check_env_name(name).ok(); }

bool is_plain_path(std::string_view text) {
  if (text.empty() || text.size() > 200 || text[0] == '/' || text[0] == '-' || text[0] == '~') return false;
  if (text.find("..") != std::string_view::npos || text == "." || text.ends_with('/')) return false;
  return std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.' || c == '/';
  });
}

bool find_installer(Facts& facts, const std::string& program, int line, int column) {
  const auto find = [&](const std::string& what, const std::string& hint) {
    find_thing(facts, line, column, what, hint);
    return true;
  };
  if (is_any(program, {"sudo", "su", "doas"}))
    return find("starts `" + program + "`: a sandbox has no other user",
                "remove it; BAND.md states what the script may do");
  if (is_any(program, {"pip", "pip3", "npm", "npx", "gem", "apt", "apt-get", "brew", "uv", "uvx", "conda", "yum", "dnf",
                       "apk", "cpan"}))
    return find(
        "starts `" + program + "`: nothing can be installed in a sandbox, because written files cannot be executed",
        "remove it, and install what the script needs on the server's machine");
  if (is_any(program, {"open", "xdg-open", "osascript", "zenity", "notify-send", "code", "vim", "vi", "nano", "less",
                       "more", "pbcopy", "xclip"}))
    return find("starts `" + program + "`: a sandbox has no desktop, no terminal and no editor",
                "print the result instead");
  return false;
}

Facts plain_facts(std::string_view text, Language language) {
  Facts facts;
  facts.description = first_comment(text);
  find_hosts(facts, text, 1, 1);
  const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
  if (language == Language::Node) {
    node_packages(facts, text);
    variables_of(facts, text, "process.env.");
    facts.prints_json = has("JSON.stringify");
    facts.reads_stdin = has("process.stdin") || has("readFileSync(0") || has("/dev/stdin");
  } else if (language == Language::Ruby) {
    variables_of(facts, text, "ENV[\"");
    variables_of(facts, text, "ENV['");
    facts.prints_json = has("to_json") || has("JSON.generate") || has("JSON.pretty_generate");
    facts.reads_stdin = has("STDIN") || has("$stdin") || has("ARGF") || has("gets");
  } else {
    variables_of(facts, text, "$ENV{");
    facts.prints_json = has("encode_json") || has("to_json");
    facts.reads_stdin = has("STDIN") || has("<>");
  }
  std::erase_if(facts.variables, [](const Mention& variable) { return is_own_variable(variable.name); });
  return facts;
}

}  // namespace band::client
