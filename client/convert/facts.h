// Finds in the text of a script of the source skill (the skill that `band convert` converts) what the script needs when
// it runs: programs, hosts, variables, files. Python and shell each have a reader; for other languages see
// plain_facts(). Pure: executes nothing. Does not find names that the script computes at run time.
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
  bool prints_json = false;            // the script calls a function or program that writes JSON
  std::vector<Mention> programs;       // programs that the script starts: "git"
  std::vector<Mention> hosts;          // "api.example.com", "localhost:8080"
  std::vector<Mention> variables;      // environment variables
  std::vector<Mention> reads, writes;  // relative paths of files that the script reads or writes
  bool writes_computed = false;        // the script writes to a path that it computes
  // For a shell script and the files that it sources: names that are not programs because they are functions, and names
  // that are not environment variables because the script assigns them.
  std::set<std::string> functions, assigned;
  std::set<std::string> uses;        // elements of `siblings` (below) that the script imports, sources or starts
  std::vector<Diagnostic> findings;  // the caller sets Diagnostic::file
};

inline constexpr std::size_t kMostMentions = 30;   // per kind, because a BAND.md has at most 64 KiB
inline constexpr std::size_t kMostFindings = 100;  // per script

// `siblings`: names of the Python files in the script's directory, with the ending `.py` removed.
Facts python_facts(const std::vector<PythonToken>& tokens, const std::set<std::string>& siblings);
// `siblings`: names of files in the script's directory.
Facts shell_facts(const ShellReading& reading, const std::vector<ShellToken>& tokens,
                  const std::set<std::string>& siblings);
enum class Language { Python, Shell, Node, Ruby, Perl };
// For a language without a reader: finds only facts that do not depend on the grammar of the language, such as
// URLs.
Facts plain_facts(std::string_view text, Language language);

// ---- for the readers ------------------------------------------------------------------------------------------------

// add_facts() adds `more`, the facts of `file`, to `facts`, the facts of a script that uses this file. drop_defined()
// removes from `programs` and `variables` the names in Facts::functions and Facts::assigned.
void add_facts(Facts& facts, const Facts& more, const std::string& file);
void drop_defined(Facts& facts);

// Adds `name` to `list`, unless `list` has this name already or is full (kMostMentions).
void mention(std::vector<Mention>& list, std::string name, int line, int column);
// Adds a finding with the message `what` to Facts::findings, unless there is already one with this message.
void find_thing(Facts& facts, int line, int column, std::string what, std::string hint);
// Adds the hosts of the http:// and https:// URLs in `text`. `line` and `column`: the position of the beginning of
// `text`.
void find_hosts(Facts& facts, std::string_view text, int line, int column);
// Returns true for an absolute path below a directory of the machine such as /home, /etc or /usr; false for others,
// such as /tmp/x, /dev/null and `/api/v1`.
bool is_machine_path(std::string_view text);
// Returns true for variables that band or the shell sets, and for names that no band may declare.
bool is_own_variable(std::string_view name);
// Returns true for a relative path without blanks, wildcards or expansions, such as "data/table.csv".
bool is_plain_path(std::string_view text);
// If `program` gains privileges, installs software, or needs a desktop or an editor (`sudo`, `pip`, `xdg-open` ...):
// adds a finding with the alternative, and returns true. Otherwise returns false.
bool find_installer(Facts& facts, const std::string& program, int line, int column);

}  // namespace band::client
