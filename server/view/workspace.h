// The workspace copy: writes the caller's files into it, and collects the files that the script made or changed.
//
// Promises: a shipped file is written with its mode and modification time, owned by the slot's uid. A file that is
// returned is a regular file, opened without following a link; the rules open its path for writing, its content differs
// from the shipped content, and the sum of the sizes is within the limit. Changes of the copy that are not returned are
// named. Does not cover: the client, which checks all of it again (client/workspace).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "schemas/rules/rules.h"
#include "schemas/wire/wire.h"
#include "server/view/declared.h"

namespace band::view {

// Writes into an empty directory to which no untrusted process has access yet. Returns the inode of each file, in the
// same order; it identifies a file that was renamed (a tmpfs does not reuse inode numbers).
Result<std::vector<ino_t>> write_files(int directory, const std::vector<ShippedFile>& files, Who owner);

// See Answer (schemas/wire/wire.h) for the four lists and `unnamed`.
struct Changes {
  std::vector<ShippedFile> files;
  std::vector<std::string> not_written, removed, mode_changed;
  std::vector<RenamedFile> renamed;
  std::uint64_t unnamed = 0;
  std::vector<std::string> unchanged;  // files that exist with their shipped content, written again or not
  // Size and number of the changed files. With `too_much` a maximum is exceeded: `files` is empty, and these are lower
  // bounds, because files with their shipped length are then not compared.
  std::int64_t bytes = 0, count = 0;
  bool too_much = false;
};

struct Copied {
  const std::vector<ShippedFile>& files;
  const std::vector<ino_t>& inodes;  // returned by write_files()
};

// Call it when every process of the execution is dead. A sparse file counts with its length: it uses no space of the
// tmpfs, but would use memory here.
Result<Changes> collect_changes(int directory, const Copied& copied, const Domain& write, std::int64_t max_bytes,
                                std::int64_t max_files);

// Returns which resource is used up of the tmpfs that the workspace, /tmp and the homes of commands share (stage.h).
enum class Room { Left, NoBytes, NoFiles };
Room room_left(int directory);

// Reads a file that the script wrote for the server (output.json): a regular file, not a link, of at most `max_bytes`.
// It does not block on a FIFO. A missing file is an error with ENOENT.
Result<std::string> read_result(int directory, const std::string& name, std::int64_t max_bytes);

}  // namespace band::view
