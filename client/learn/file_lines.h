// Lines of `read` and `write` that a script may need, derived from values of its input, words of its log, its text, and
// the files that it made. Pure: reads the workspace only through Workspace.
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
  std::string path;  // on the caller's machine
  std::function<FileKind(const std::string&)> look;
  std::function<bool(const std::string&)> matches;  // returns true when the pattern opens at least one file
};

// The data of the search for lines, in addition to the evidence.
struct FileSearch {
  const Workspace& workspace;
  const std::set<std::string>& properties;  // properties of the input that may name a file
  const std::vector<InputValue>& values;
  std::function<bool(const std::string&)> reads, writes;   // return true when the path is open already
  std::function<bool(const std::string&)> hidden_default;  // has_hidden_default() of this property
};

struct FileLines {
  std::vector<Line> lines;
  std::vector<Decision> decisions;
  std::vector<std::string> unknown;
  std::vector<std::string> missing;  // texts about files that the input names, that the script missed and do not exist
};

// Why a line with a `*` may open more than the runs used.
inline constexpr const char* kWideValue = "`*` stands for a value of the input, and opens any text there";
// Why one line for several written files may open more than these.
inline constexpr const char* kWideGroup = "opens every file with this ending";

// Returns the pattern that matches exactly this path of the workspace.
std::string literal_pattern(const std::string& path);
// For the line of `read` that a written file needs in addition to that of `write`: {path: PATTERN, optional: true}.
std::string pair_reason(const std::string& path);
std::string pair_decision(const std::string& pattern);

// Adds lines for files that the input names. After a successful run, only for values that look like paths.
void lines_of_input(const FileSearch& search, bool failed, FileLines& found);
// Adds lines for files that the log of a failed run reports as missing, or that the error's message names. A repository
// is only a decision, because the script writes the log, and .git/config may contain credentials.
void lines_of_log(const FileSearch& search, const Evidence& evidence, FileLines& found);
// Adds lines for files that run.sh names without an expansion: `< FILE`, arguments, patterns of the shell and of find.
void lines_of_script(const FileSearch& search, const ShellReading& script, FileLines& found);
// Adds lines of `write` for files that stayed in the sandbox. Learner::pair_reads adds their lines of `read`.
void lines_of_written(const FileSearch& search, const std::vector<std::string>& stayed, FileLines& found);

// Returns `./out/*.csv` for `./out/a.csv` and `./out/b.csv`; "" when directory or extension differ, or when one of them
// is not a literal path.
std::string common_pattern(const std::string& a, const std::string& b);

}  // namespace band::client::learn
