// The needs of a script, read from its text in any supported language: plain data, and the readers that fill it. Pure:
// executes nothing, and does not find names that the script makes at run time.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "client/convert/python_tokens.h"
#include "client/convert/shell_tokens.h"
#include "client/shell/reading.h"
#include "schemas/core/diagnostic.h"

namespace band::client {

struct Mention {
  std::string name;
  int line = 0, column = 0;
  std::string file;  // relative to scripts/; "" for the script itself
};

struct Facts {
  std::string description;  // the first line of a docstring or of the comment at the top
  bool reads_stdin = false;
  bool prints_json = false;            // it calls a function or program that writes JSON
  std::vector<Mention> programs;       // programs that it starts: "git"
  std::vector<Mention> hosts;          // "api.example.com", "localhost:8080"
  std::vector<Mention> variables;      // environment variables
  std::vector<Mention> reads, writes;  // relative paths that the text opens
  bool writes_computed = false;        // it opens a path for writing that is not in its text
  // For a shell script: names that are neither programs nor environment variables, also in the files that it sources.
  std::set<std::string> functions, assigned;
  std::set<std::string> uses;        // siblings that it imports, sources or starts: "common", "lib.sh"
  std::vector<Diagnostic> findings;  // without `file`
};

inline constexpr std::size_t kMostMentions = 30;   // per kind, because a BAND.md has at most 64 KiB
inline constexpr std::size_t kMostFindings = 100;  // per script

// `siblings`: names in the script's directory without `.py`.
Facts python_facts(const std::vector<PythonToken>& tokens, const std::set<std::string>& siblings);
// `siblings`: names of files in the script's directory.
Facts shell_facts(const ShellReading& reading, const std::vector<ShellToken>& tokens,
                  const std::set<std::string>& siblings);
enum class Language { Python, Shell, Node, Ruby, Perl };
// For a language without its own reader: facts that can be found in any text.
Facts plain_facts(std::string_view text, Language language);

// ---- for the readers
// ---------------------------------------------------------------------------------------------------

// add_facts(): adds the needs of a file that the script uses. drop_defined(): removes the names that the script or one
// of these files defines itself.
void add_facts(Facts& facts, const Facts& more, const std::string& file);
void drop_defined(Facts& facts);

void mention(std::vector<Mention>& list, std::string name, int line, int column);
void find_thing(Facts& facts, int line, int column, std::string what, std::string hint);
// Adds the hosts of http:// and https:// addresses in `text`, which begins at this place.
void find_hosts(Facts& facts, std::string_view text, int line, int column);
// Returns true for an absolute path that not every sandbox has: false for /tmp and /dev/null.
bool is_machine_path(std::string_view text);
// Returns true for variables that band or the shell sets, and for names that no band may declare.
bool is_own_variable(std::string_view name);
// Returns true for a relative path such as "data/table.csv", without blanks, wildcards and expansions.
bool is_plain_path(std::string_view text);
// Adds a specific finding for programs such as `sudo`, `pip` or `apt-get`; returns false for all others.
bool find_installer(Facts& facts, const std::string& program, int line, int column);

}  // namespace band::client
