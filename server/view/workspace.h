// Functions for the copy of the caller's workspace in the sandbox: they write the files that the client sent, and
// collect the files that the script made or changed.
//
// Promises: a file that the client sent is written with its mode and modification time, and the slot's uid owns it. A
// changed file is returned only if it is a regular file (opened without following a link), the write rules allow its
// path, and its content differs from the content that the client sent. The number and the total size of the returned
// files are within the limits; if they would exceed a limit, no file is returned. Changes that are not returned are
// listed by name.
// Does not cover: where the client writes the returned files; the client checks the returned files again
// (client/workspace).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "schemas/rules/rules.h"
#include "schemas/wire/wire.h"
#include "server/view/declared.h"

namespace band::view {

// Writes `files` into an empty directory to which no untrusted process has access yet. `owner` gets the files and their
// directories. For a file `.git/HEAD`, also makes the directories `.git/refs` and `.git/objects`, which git needs even
// if they are empty. Returns the inode number of each file, in the order of `files`. The inode number identifies a file
// even after the script has renamed it (a tmpfs does not reuse inode numbers).
Result<std::vector<ino_t>> write_files(int directory, const std::vector<ShippedFile>& files, Who owner);

// Returns the directories that write_files() makes for this file, besides those above it.
std::vector<std::string> git_directories(const std::string& path);

// See Answer (schemas/wire/wire.h) for the four lists and `unnamed`.
struct Changes {
  std::vector<ShippedFile> files;
  std::vector<std::string> not_written, removed, mode_changed;
  std::vector<RefusedFile> refused;
  std::vector<RenamedFile> renamed;
  std::uint64_t unnamed = 0;
  // Files with the content that the client sent: those to which the script did not write, and those to which it wrote
  // the same content.
  std::vector<std::string> unchanged;
  // Total size and number of the changed files that the write rules allow. If `too_much` is true, a maximum was
  // exceeded, and `files` is empty. From then on contents are not compared, so changed files of unchanged length are
  // missing in `bytes` and `count`.
  std::int64_t bytes = 0, count = 0;
  bool too_much = false;
};

struct Copied {
  std::vector<ShippedFile>& files;   // collect_changes() empties the contents that it has compared
  const std::vector<ino_t>& inodes;  // returned by write_files()
};

// Collects the changes in `directory`, the copy of the workspace. `write`: the write rules. Call it when every process
// of the execution is dead. A sparse file counts with its full length: holes of the file use no space of the tmpfs, but
// would use memory of the engine.
Result<Changes> collect_changes(int directory, const Copied& copied, const Domain& write, std::int64_t max_bytes,
                                std::int64_t max_files);

// Returns whether bytes or inodes are used up in the tmpfs that contains `directory`: the tmpfs of the workspace, /tmp
// and the homes of commands (stage.h).
enum class Room { Left, NoBytes, NoFiles };
Room room_left(int directory);

// Reads a file that the script wrote for the server (output.json). Returns an error when it is not a regular file (a
// link, a FIFO; the function does not block on a FIFO), when it is larger than `max_bytes`, or when it is missing
// (ENOENT).
Result<std::string> read_result(int directory, const std::string& name, std::int64_t max_bytes);

}  // namespace band::view
