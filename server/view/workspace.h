// The workspace copy: files of the caller in, files that the script made or changed out.
//
// Promises: what is written in exists with the mode and the modification time it came with and belongs to the slot;
// what comes back is a regular file, opened without following a link, whose path the rules open for writing, whose
// content differs from what came in, and whose sizes together fit the limit. What happened to the copy and does not
// come back is named. Does not cover: the caller's side, which checks all of it again (client/workspace).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "schemas/rules/rules.h"
#include "schemas/wire/wire.h"
#include "server/view/declared.h"

namespace band::view {

// Into an empty directory in which nothing hostile runs yet. Returns the inode of each file, in the same order: by it a
// file is known again under another name (a tmpfs gives a number once).
Result<std::vector<ino_t>> write_files(int directory, const std::vector<ShippedFile>& files, Who owner);

// See Answer (schemas/wire/wire.h) for the four lists and `unnamed`.
struct Changes {
  std::vector<ShippedFile> files;
  std::vector<std::string> not_written, removed, mode_changed;
  std::vector<RenamedFile> renamed;
  std::uint64_t unnamed = 0;
  std::vector<std::string> unchanged;  // there with the content that they came with, written again or not
  // How much there is. More than was asked for: `files` is empty, and there may be more still, because files of the
  // length that they came with are not compared any more.
  std::int64_t bytes = 0, count = 0;
  bool too_much = false;
};

struct Copied {
  const std::vector<ShippedFile>& files;
  const std::vector<ino_t>& inodes;  // of write_files
};

// After every process of the execution is dead. A sparse file counts with its length: it takes nothing of the tmpfs,
// but would take memory here.
Result<Changes> collect_changes(int directory, const Copied& copied, const Domain& write, std::int64_t max_bytes,
                                std::int64_t max_files);

// Of the tmpfs that the workspace, /tmp and the homes of commands share (stage.h).
enum class Room { Left, NoBytes, NoFiles };
Room room_left(int directory);

// A file that the script left for the server (output.json): no link, a regular file, at most `max_bytes`; nothing
// blocks on a FIFO. Absent is ENOENT in the error.
Result<std::string> read_result(int directory, const std::string& name, std::int64_t max_bytes);

}  // namespace band::view
