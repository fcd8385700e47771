// The caller's files: what the rules open goes out with the request, what the script changed comes back (design
// section 5). Neither the tree (somebody may plant links in it) nor the answer is trusted.
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

// `given` (--workspace), or the current directory, which must then be neither $HOME nor `/`. Error: Code::Usage.
Result<Tree> open_workspace(const std::optional<std::string>& given);

// ---- out ----------------------------------------------------------------------------------------------------------

struct PlannedFile {
  std::string path;    // as the script will see it
  std::string source;  // the same with links resolved, beneath the workspace
  std::int64_t bytes = 0;
};

struct LeftOut {
  std::string path, why;
};

struct ShipPlan {
  std::vector<PlannedFile> files;  // sorted by path
  std::vector<LeftOut> left_out;   // matched, but a link out of the workspace, a FIFO, a name that cannot travel ...
  std::vector<Rule> unmatched;     // of the workspace, not optional, and nothing that is opened matches
  std::set<std::string> named;     // by patterns without wildcards: must be readable
  std::int64_t bytes = 0;
};

// What `read` opens, by looking at names and sizes only. `other_bytes`: of the request without files. Errors:
// Code::LimitExceeded for too many files or bytes, with the directories or files that weigh most, and the limit that no
// band can raise where that one is met; Code::PermissionDenied for a directory that cannot be listed.
Result<ShipPlan> plan_shipment(const Tree& workspace, const Domain& read, const EffectiveLimits& limits,
                               std::size_t other_bytes = 0);

struct Unshipped {
  std::vector<std::string> files;  // sorted
  std::string incomplete;          // why there may be more, or ""
};
// Files that are in the workspace, that a wildcard of `write` opens, and that are not among `shipped`. The script does
// not see them, and a run that writes other content into one of them fails at its end (WRITE_CONFLICT). Error:
// Code::WriteConflict where a pattern without wildcards names something that is there and not shipped, because a script
// writes what is named.
Result<Unshipped> unshipped_targets(const Tree& workspace, const Domain& write, const std::set<std::string>& shipped);

// What was sent, to know later whether the caller's side changed meanwhile.
using SentFiles = std::map<std::string, std::string>;  // path -> SHA-256, hex

struct Shipment {
  std::vector<ShippedFile> files;
  SentFiles sent;
  std::vector<LeftOut> left_out;  // matched by wildcards only, and not readable
  std::set<std::string> paths() const;
};

Result<Shipment> ship(const Tree& workspace, const ShipPlan& plan, const EffectiveLimits& limits);

// ---- back ---------------------------------------------------------------------------------------------------------

struct WriteBack {
  std::vector<std::string> written;    // sorted
  std::vector<std::string> unchanged;  // in the answer, and already so on this side
  std::vector<std::string> cleared;    // temporary files of a write-back that was killed
};

// Writes the answer's files, all or (but for a crash half-way) nothing. Each file is old or new, never torn. A file has
// the modification time of the answer, at most now; where that is not newer than what it replaces, it is now: else
// make(1) would not see the change. Errors:
// Code::WriteConflict when the caller's side changed, or has SQLite's log of a database that would be replaced;
// Code::PermissionDenied for a path that the rules do not open, a `.git` or `_darcs`, a directory that is or would be a
// git repository, a link in the way; Code::LimitExceeded.
Result<WriteBack> write_back(const Tree& workspace, const Domain& write, const EffectiveLimits& limits,
                             const SentFiles& sent, const std::vector<ShippedFile>& files);

// ---- names (pure) -------------------------------------------------------------------------------------------------

// `.git`, or the name under which another version control system keeps a checkout (`_darcs` ...), in small letters, if
// some file system would take one of the segments for it; else "". Letter case, ignorable code points, trailing dots
// and spaces, NTFS short names and streams, `\` as a separator.
std::string_view touched_checkout(std::string_view path);
// Would some file system take `name` for `plain`, by the same rules? `plain` is in small ASCII letters.
bool may_be(std::string_view name, std::string_view plain);
// Two names with the same key may be one file on a file system that folds case or normalises: canonical caseless
// matching of Unicode (full case folding), and default ignorable code points are dropped.
std::string collision_key(std::string_view name);

std::string content_hash(std::string_view bytes);  // SHA-256, hex

}  // namespace band::client
