// The names of files that programs execute or obey: one table for everything that protects such files, with a reason
// for each name. Pure.
//
// A name of the table is a file, or a directory with everything below it, at any depth of a path. A path is compared
// with the table as the most tolerant file system would compare it: without regard to letter case, Unicode form,
// ignorable code points, dots and spaces at the end, NTFS streams and NTFS short names (`VSCODE~1`), and with `\` as a
// separator.
//
// Does not cover bare git repositories (client/workspace/git.h), which no single name shows, and names without a limit
// such as the modules of Python (docs/security.md, "What a script leaves behind").
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace band {

// Which rules of `write` let a script write a file of this name into the caller's workspace.
enum class OpenedBy {
  NoRule,
  // Only a rule that spells the name: each part of the name is in the pattern, without wildcards. The value of a
  // placeholder (schemas/rules/placeholders.h) does not count as spelled.
  Spelling,
  // Every rule that matches. Programs use the file only after a person has started a build, a test ..., and many skills
  // exist to write such files.
  AnyRule,
};

struct ObeyedName {
  std::string_view name;    // parts joined by `/`; a part may contain one `*`, which stands for any characters
  std::string_view reason;  // a sentence without its first word, which is the name: "is executed by ..."
  OpenedBy opened_by;
};

// Returns the whole table. Names with the same OpenedBy are together; NoRule is first, AnyRule is last.
std::span<const ObeyedName> obeyed_names();

// Returns the first row of the table that `path` touches: one of the files, or a path in one of the directories.
// Returns null if there is none. `path` is relative, as for PathPattern::matches().
const ObeyedName* obeyed_name(std::string_view path);

// The place of a name in a path: the segments (texts between slashes) `first` to `end`, without `end`.
struct ObeyedPart {
  const ObeyedName* name;
  std::size_t first, end;
};
// Returns every place of every name that `path` touches, in the order of the path. The time is linear in the length of
// the path.
std::vector<ObeyedPart> obeyed_parts(std::string_view path);

}  // namespace band
