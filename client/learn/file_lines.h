// Lines of `read` and `write` that a script may need: from values of its input, the words of its log, its text, and the
// files that it made. Pure: what the workspace has is asked through Workspace.
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
  std::string path;  // of it, on this side
  std::function<FileKind(const std::string&)> look;
  std::function<bool(const std::string&)> matches;  // is there a file that this pattern opens?
};

// What the search for lines knows besides the evidence.
struct FileSearch {
  const Workspace& workspace;
  const std::set<std::string>& properties;  // of the input that may name a file
  const std::vector<InputValue>& values;
  std::function<bool(const std::string&)> reads, writes;   // is this path open already?
  std::function<bool(const std::string&)> hidden_default;  // has_hidden_default() of this property
};

struct FileLines {
  std::vector<Line> lines;
  std::vector<Decision> decisions;
  std::vector<std::string> unknown;
  std::vector<std::string> missing;  // files that the input names and the script missed, and that are not there
};

// Why a line with a `*` may open more than what was seen.
inline constexpr const char* kWideValue = "`*` stands for a value of the input, and opens any text there";
// Why a line of several written files may open more than they are.
inline constexpr const char* kWideGroup = "opens every file with this ending";

// The path of the workspace itself, as a pattern.
std::string literal_pattern(const std::string& path);
// For the line of `read` that a written file needs beside that of `write`: {path: PATTERN, optional: true}.
std::string pair_reason(const std::string& path);
std::string pair_decision(const std::string& pattern);

// Files that the input names. Of a run that went well only values that look like paths.
void lines_of_input(const FileSearch& search, bool failed, FileLines& found);
// Files that the log of a failed run says are missing, or that the error's message names; a repository is a decision,
// because the log is the script's, and .git/config may hold credentials.
void lines_of_log(const FileSearch& search, const Evidence& evidence, FileLines& found);
// Files that run.sh names without an expansion: `< FILE`, arguments, patterns of the shell and of find.
void lines_of_script(const FileSearch& search, const ShellReading& script, FileLines& found);
// What stayed in the sandbox: lines of `write` alone (Learner::pair_reads).
void lines_of_written(const FileSearch& search, const std::vector<std::string>& stayed, FileLines& found);

// `./out/a.csv` and `./out/b.csv`: `./out/*.csv`; "" where the two are not of one directory with one ending, or are no
// plain paths.
std::string common_pattern(const std::string& a, const std::string& b);

}  // namespace band::client::learn
