// The caller's files: files that the rules open are sent with the request, and files that the script changed are
// written back (docs/architecture.md 6.3). Neither the tree (another user may plant links in it) nor the answer is
// trusted.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "client/host/tree.h"
#include "schemas/core/result.h"
#include "schemas/rules/rules.h"
#include "schemas/wire/wire.h"

namespace band::client {

// Opens `given` (--workspace), or the current directory, which must then be neither $HOME nor `/`. Error: Code::Usage.
Result<Tree> open_workspace(const std::optional<std::string>& given);

// ---- sending ------------------------------------------------------------------------------------------------------

struct PlannedFile {
  std::string path;    // the script's path
  std::string source;  // the same with links resolved, below the workspace
  std::int64_t bytes = 0;
};

struct LeftOut {
  std::string path, why;
};

struct ShipPlan {
  std::vector<PlannedFile> files;  // sorted by path
  std::vector<LeftOut> left_out;   // matched, but a link to the outside, a FIFO, a name that cannot be sent ...
  std::vector<Rule> unmatched;     // not optional, and no opened file of the workspace matches
  std::set<std::string> named;     // in patterns without wildcards: must be readable
  std::int64_t bytes = 0;
};

// Plans the shipment of the files that `read` opens, from their names and sizes only. `other_bytes`: size of the
// request without files. Errors: Code::LimitExceeded for too many files or bytes, with the largest directories or
// files, and, if that is exceeded, the limit that no band can raise; Code::PermissionDenied for an unreadable
// directory.
Result<ShipPlan> plan_shipment(const Tree& workspace, const Domain& read, const EffectiveLimits& limits,
                               std::size_t other_bytes = 0);

struct Unshipped {
  std::vector<std::string> files;  // sorted
  std::string incomplete;          // why the list may be incomplete, or ""
};
// Returns the existing files of the workspace that a wildcard of `write` opens and that are not in `shipped`. The
// script does not see them, and a run that writes other content to one of them fails at its end (WRITE_CONFLICT).
// Error: Code::WriteConflict if a pattern without wildcards names such a file, because scripts do write the files that
// are named.
Result<Unshipped> unshipped_targets(const Tree& workspace, const Domain& write, const std::set<std::string>& shipped);

// Hashes of the sent files, to detect changes in the workspace during the run.
using SentFiles = std::map<std::string, std::string>;  // path -> SHA-256, hex

struct Shipment {
  std::vector<ShippedFile> files;
  SentFiles sent;
  std::vector<LeftOut> left_out;  // matched only by wildcards, and not readable
  std::set<std::string> paths() const;
};

Result<Shipment> ship(const Tree& workspace, const ShipPlan& plan, const EffectiveLimits& limits);

// ---- writing back -------------------------------------------------------------------------------------------------

struct WriteBack {
  std::vector<std::string> written;    // sorted
  std::vector<std::string> unchanged;  // in the answer, with the content that the workspace already has
  std::vector<std::string> cleared;    // temporary files of a killed write-back
};

// Writes the answer's files, all or (except after a crash) none. Each file has its complete old or new content. Its
// modification time is that of the answer, at most now. If that is not newer than the time of the replaced file, it is
// now, because otherwise make(1) would not notice the change. Errors: Code::WriteConflict when the workspace has
// changed, or has SQLite's log of a database that would be replaced; Code::PermissionDenied for a path that the rules
// do not open, a `.git` or `_darcs`, a directory that is or would become a git repository, a link in the path;
// Code::LimitExceeded.
Result<WriteBack> write_back(const Tree& workspace, const Domain& write, const EffectiveLimits& limits,
                             const SentFiles& sent, const std::vector<ShippedFile>& files);

// ---- names (pure) -------------------------------------------------------------------------------------------------

// Returns `.git`, or the name of another version control system's checkout (`_darcs` ...), in small letters, if any
// file system could treat a segment as this name; else "". Covers letter case, ignorable code points, trailing dots and
// spaces, NTFS short names and streams, and `\` as a separator.
std::string_view touched_checkout(std::string_view path);
// Returns whether any file system could treat `name` as `plain`, by the same rules. `plain`: small ASCII letters.
bool may_be(std::string_view name, std::string_view plain);
// Two names with the same key may be one file on a file system that folds case or normalises. Canonical caseless
// matching of Unicode (full case folding), without default ignorable code points.
std::string collision_key(std::string_view name);

std::string content_hash(std::string_view bytes);  // SHA-256, hex

}  // namespace band::client
