// Finds lines of `read` and `write` that a script may need. A line is an entry of `allow` or `insist` in a BAND.md
// (client/learn/lines.h). Derives the lines from values of the script's input, words of its log, its text, and the
// files that it wrote. Pure: examines the caller's files only through the functions in Workspace.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "client/learn/evidence.h"
#include "client/learn/lines.h"
#include "client/shell/reading.h"

namespace band::client::learn {

enum class FileKind { Missing, File, Directory, Other };

// The caller's files.
struct Workspace {
  std::string path;                                  // its directory on the caller's machine
  std::function<FileKind(const std::string&)> look;  // returns what is at this path of the workspace
  std::function<bool(const std::string&)> matches;   // returns true when the pattern matches at least one file
};

// The arguments that all functions below have in common.
struct FileSearch {
  const Workspace& workspace;
  const std::set<std::string>& properties;  // properties of the input that may name a file
  const std::vector<InputValue>& values;
  std::function<bool(const std::string&)> reads, writes;   // return true when the rules already allow the path
  std::function<bool(const std::string&)> hidden_default;  // has_hidden_default() (evidence.h) of a property
};

struct FileLines {
  std::vector<Line> lines;
  std::vector<Decision> decisions;
  std::vector<std::string> unknown;  // as Proposal::unknown
  // Texts about files that the input names, that the log reports as missing, and that do not exist.
  std::vector<std::string> missing;
};

// Warning of a line in which a `*` replaces a value of the input. Such a line may allow more than the runs used.
inline constexpr const char* kWideValue = "`*` stands for a value of the input, and allows any text there";
// Warning of a single line that stands for several written files, such as `./out/*.csv`: it allows more than these
// files.
inline constexpr const char* kWideGroup = "allows every file with this ending";

// Returns the pattern that matches exactly this path of the workspace.
std::string literal_pattern(const std::string& path);
// A file that the script writes needs a line of `write`. It also needs a line of `read`, {path: PATTERN, optional:
// true}, because an existing file is replaced only if it was sent to the script. pair_reason() returns Line::reason of
// this line of `read`. If a person has to decide on the line, pair_decision() returns Decision::write of the decision.
std::string pair_reason(const std::string& path);
std::string pair_decision(const std::string& pattern);

// Adds lines for files that the input names. After a successful run (`failed` is false), it considers only values that
// look like paths.
void lines_of_input(const FileSearch& search, bool failed, FileLines& found);
// Adds lines for files that the log of a failed run reports as missing, or that the error's message names. If the log
// shows that git found no repository, adds a Decision about the workspace's `.git` and no line, because the script can
// write any text into the log, and .git/config may contain credentials.
void lines_of_log(const FileSearch& search, const Evidence& evidence, FileLines& found);
// Adds lines for files that run.sh names without an expansion: in `< FILE`, in the words of `for NAME in`, as
// arguments, and by glob patterns of the shell and of find(1).
void lines_of_script(const FileSearch& search, const ShellReading& script, FileLines& found);
// Adds lines of `write` for files that were not written back (Evidence::stayed). Learner::pair_reads() adds the lines
// of `read` that these files need.
void lines_of_written(const FileSearch& search, const std::vector<std::string>& stayed, FileLines& found);

// Returns `./out/*.csv` for `./out/a.csv` and `./out/b.csv`. Returns "" when the directories or the extensions differ,
// when `a` and `b` are equal, or when `a` or `b` has no extension, is not a relative path without wildcards, or
// contains a name that begins with a dot.
std::string common_pattern(const std::string& a, const std::string& b);

}  // namespace band::client::learn
