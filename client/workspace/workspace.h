// The caller's files: files that `read` allows are sent with the request, and files that the script changed and that
// `write` allows are written back (docs/architecture.md 6.3). The workspace is not trusted, because another user may
// have created links in it; the answer is not trusted either.
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

// Opens the directory `given` (--workspace). Without it, opens the current directory, if that is not $HOME or `/`.
// Error: Code::Usage.
Result<Tree> open_workspace(const std::optional<std::string>& given);

// ---- sending ------------------------------------------------------------------------------------------------------

struct PlannedFile {
  std::string path;    // the path in the workspace and in the sandbox
  std::string source;  // `path` with all links resolved; it is in the workspace
  std::int64_t bytes = 0;
};

struct LeftOut {
  std::string path, why;
};
// LeftOut::why of a name that a wildcard of `read` would match if it did not begin with a dot. The path of a directory
// then ends with `/`, and stands for everything below it.
inline constexpr std::string_view kWhyHidden = "begins with a dot, and wildcards of allow.read do not match such names";

struct ShipPlan {
  std::vector<PlannedFile> files;  // sorted by path
  std::vector<LeftOut> left_out;   // files that `read` allows and that cannot be sent: a link that points outside the
                                   // workspace, a FIFO, an invalid name ...
  std::vector<Rule> unmatched;     // workspace rules that are not optional, and that match none of these files
  std::set<std::string> named;     // paths of patterns without wildcards: if such a file is unreadable, ship() fails
  std::int64_t bytes = 0;
};

// Decides which files are sent to the script. Reads only names and sizes of files. `other_bytes`: size of the request
// without files. Errors: Code::LimitExceeded for too many files or bytes; the error names the largest directories or
// files, and states whether the number or size also exceeds the fixed maximum, which no band can raise.
// Code::PermissionDenied for an unreadable directory.
Result<ShipPlan> plan_shipment(const Tree& workspace, const Domain& read, const EffectiveLimits& limits,
                               std::size_t other_bytes = 0);

struct Unshipped {
  std::vector<std::string> files;  // sorted
  bool more = false;               // Search::Some has ended before it had examined all names
  std::string incomplete;          // why `files` may be incomplete; "" if it is complete, or if `more` is true
};
// Some: examines at most 500 names, and finds at most six files, so that a run in a huge workspace does not wait for a
// walk through all of it. All: examines all names that the rules may open.
enum class Search { Some, All };
// Returns the existing files of the workspace that a wildcard in `write` allows and that are not in `shipped`. The
// script does not see these files. If the script writes one of them with content that differs from that in the
// workspace, the run fails at its end (WRITE_CONFLICT): write_back() examines each file that the script has changed.
// The result only warns of this before the run. Error: Code::WriteConflict if a pattern without wildcards names
// such a file, because the script will probably write it.
Result<Unshipped> unshipped_targets(const Tree& workspace, const Domain& write, const std::set<std::string>& shipped,
                                    Search search);

// Hashes of the sent files. write_back() compares files in the workspace with these hashes, to detect files that were
// changed during the run.
using SentFiles = std::map<std::string, std::string>;  // path -> SHA-256, hex

struct Shipment {
  std::vector<ShippedFile> files;
  SentFiles sent;
  std::int64_t began_us = 0;      // the time at which ship() began to read (BackTerms::began_us)
  std::vector<LeftOut> left_out;  // files that could not be read and that only patterns with wildcards match
  std::set<std::string> paths() const;
};

// Reads the files of `plan`. Skips files that were removed in the meantime. Errors: Code::LimitExceeded if the files
// have grown beyond limits.maxDiskBytes, Code::PermissionDenied if a file cannot be read. If only the permission to
// read is missing, and the file is not in ShipPlan::named, this is not an error: the file is in Shipment::left_out.
Result<Shipment> ship(const Tree& workspace, const ShipPlan& plan, const EffectiveLimits& limits);

// ---- writing back -------------------------------------------------------------------------------------------------

struct WriteBack {
  std::vector<std::string> written;    // sorted
  std::vector<std::string> unchanged;  // files that are not written: the workspace already has them with this content
  std::vector<std::string> cleared;    // removed temporary files of killed write-backs
};

std::int64_t now_us();  // the current time, as in ShippedFile::modified_us

struct BackTerms {
  // The time at which the run started, by the clock of this machine, in microseconds as in ShippedFile::modified_us.
  std::int64_t began_us = 0;
  // `band call`: an executable file is replaced only if the rules spell its name (PathRules::spells_name()).
  bool keeps_executables = false;
  // An existing file that was not sent is replaced. Otherwise it is a conflict.
  bool replaces_unsent = false;
};

// Writes all files of the answer. If write_back() returns an error, it has written no file. Exception: the errors of
// store() after which files remain (store.h). If this process crashes, some of the files may have been written. In both
// cases, each file has either its complete old content or its complete new content. The modification time of a written
// file is the time in the answer, but not earlier than BackTerms::began_us and not later than now: the script chooses
// the time in the answer, and make(1) would otherwise not notice a change. If this time is not newer than the time of
// the replaced file, the current time is used. Errors: Code::WriteConflict when a file in the workspace was changed
// during the run, or exists and was not sent; when SQLite's log of a replaced database would remain (sqlite.h); or when
// two names differ only in letter case or Unicode form. Code::PermissionDenied for a path that `write` does not allow,
// a path in `.git` or `_darcs`, a directory that is or would become a git repository, a directory of band and a file
// that band reads (own.h), a read-only file, an executable file that is kept, and a path with a link.
// Code::LimitExceeded for more files or bytes than `limits` allow, and for a full disk.
Result<WriteBack> write_back(const Tree& workspace, const Domain& write, const EffectiveLimits& limits,
                             const SentFiles& sent, const std::vector<ShippedFile>& files, const BackTerms& terms);

// Returns an error (Code::PermissionDenied) if `workspace` is a directory of band, or is below one: nothing would be
// written back into it.
Status check_not_own(const Tree& workspace);

std::string content_hash(std::string_view bytes);  // SHA-256, hex

}  // namespace band::client
