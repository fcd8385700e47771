// What the text of a script says about its needs, in whatever language it is written. Plain data, and the readers that
// fill it. Pure: nothing is executed, and a name that the script makes at run time is not found.
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
  bool prints_json = false;            // some of its output is made by a writer of JSON
  std::vector<Mention> programs;       // that it starts: "git"
  std::vector<Mention> hosts;          // "api.example.com", "localhost:8080"
  std::vector<Mention> variables;      // of the environment
  std::vector<Mention> reads, writes;  // relative paths that the text opens
  bool writes_computed = false;        // it opens a path for writing that is not in its text
  // Of a shell script: names that are neither programs nor variables of the environment, in the files that it sources,
  // too.
  std::set<std::string> functions, assigned;
  std::set<std::string> uses;        // siblings that it imports, sources or starts: "common", "lib.sh"
  std::vector<Diagnostic> findings;  // without `file`
};

inline constexpr std::size_t kMostMentions = 30;   // of a kind: a BAND.md has at most 64 KiB
inline constexpr std::size_t kMostFindings = 100;  // of a script

// `siblings`: names in the script's directory without `.py`.
Facts python_facts(const std::vector<PythonToken>& tokens, const std::set<std::string>& siblings);
// `siblings`: names of files in the script's directory.
Facts shell_facts(const ShellReading& reading, const std::vector<ShellToken>& tokens,
                  const std::set<std::string>& siblings);
enum class Language { Python, Shell, Node, Ruby, Perl };
// Of a language for which there is no reader: what can be found in any text.
Facts plain_facts(std::string_view text, Language language);

// ---- for the readers
// ---------------------------------------------------------------------------------------------------

// What a script needs because of a file that it uses; and without what one of the two defines for the other.
void add_facts(Facts& facts, const Facts& more, const std::string& file);
void drop_defined(Facts& facts);

void mention(std::vector<Mention>& list, std::string name, int line, int column);
void find_thing(Facts& facts, int line, int column, std::string what, std::string hint);
// Adds the hosts of http:// and https:// addresses in `text`, which begins at this place.
void find_hosts(Facts& facts, std::string_view text, int line, int column);
// A path of the machine, and not of every sandbox: not /tmp, not /dev/null.
bool is_machine_path(std::string_view text);
// Variables that band or the shell sets, and names that no band may declare.
bool is_own_variable(std::string_view name);
// An ordinary relative path: "data/table.csv", without blanks, wildcards and expansions.
bool is_plain_path(std::string_view text);
// Names that need a finding of their own (`sudo`, `pip`, `apt-get` ...); false for all others.
bool find_installer(Facts& facts, const std::string& program, int line, int column);

}  // namespace band::client
