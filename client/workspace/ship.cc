#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <set>

#include "client/host/environment.h"
#include "client/terminal/terminal.h"
#include "client/workspace/opening.h"
#include "client/workspace/workspace.h"

namespace band::client {
namespace {

constexpr std::size_t kMaxSeen =
    1'000'000;                          // limit of directory entries in one walk, so that `./**` in a huge tree ends
constexpr std::size_t kMaxDepth = 200;  // limit of the recursion
// Search::Some. A thousand names take some milliseconds, and a message names five files.
constexpr std::size_t kFirstNames = 500, kFirstFiles = 6;

Error too_much(std::string doing, std::string hint) {
  return Error{.code = Code::LimitExceeded, .doing = std::move(doing), .hint = std::move(hint)};
}

// Returns the directories (top two levels) with the most files, for the message.
std::string biggest_directories(const std::vector<PlannedFile>& files) {
  std::map<std::string, std::size_t> counts;
  for (const PlannedFile& file : files) {
    const std::size_t first = file.path.find('/');
    const std::size_t second = first == std::string::npos ? first : file.path.find('/', first + 1);
    const std::size_t end = second != std::string::npos ? second : first;
    ++counts[end == std::string::npos ? "." : file.path.substr(0, end)];
  }
  std::vector<std::pair<std::size_t, std::string>> order;
  order.reserve(counts.size());
  for (const auto& [directory, count] : counts) order.emplace_back(count, directory);
  std::sort(order.rbegin(), order.rend());
  std::string text;
  for (std::size_t i = 0; i < order.size() && i < 3; ++i)
    text += (i > 0 ? ", " : "") + order[i].second + " (" + std::to_string(order[i].first) + ")";
  return text;
}

std::string biggest_files(std::vector<PlannedFile> files) {
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  std::string text;
  for (std::size_t i = 0; i < files.size() && i < 3; ++i)
    text += (i > 0 ? ", " : "") + files[i].path + " (" + human_bytes(files[i].bytes) + ")";
  return text;
}

// When a walk that need not find all files stops: after it has listed `names` names, or found `files` files for which
// `counts` returns true.
struct Enough {
  std::size_t names = 0, files = 0;
  std::function<bool(const std::string& path)> counts;
};

class Walk {
 public:
  // Hidden::Reported: names that only their dot closes are left out by name.
  enum class Hidden { Ignored, Reported };
  Walk(const Tree& tree, const Opening& opening, Hidden hidden)
      : tree_(tree), opening_(opening), reports_hidden_(hidden == Hidden::Reported) {}
  Walk(const Tree& tree, const Opening& opening, Enough enough)
      : tree_(tree), opening_(opening), enough_(std::move(enough)) {}

  bool stopped() const { return stopped_; }  // the walk has stopped because of `enough`

  Result<ShipPlan> run() {
    for (const std::string& start : opening_.starts()) {
      const Status visited = visit(start);
      if (stopped_) break;
      BAND_CHECK(visited);
      above_.clear();
    }
    std::sort(plan_.files.begin(), plan_.files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
    for (const PlannedFile& file : plan_.files)
      plan_.bytes = std::min(plan_.bytes + std::min(file.bytes, kMostBytes), kMostBytes);
    return std::move(plan_);
  }

 private:
  // One entry, under the name that the script will see.
  Status visit(const std::string& path) {
    BAND_CHECK(count_entry());
    const Tree::Found found = tree_.resolve(path);
    switch (found.kind) {
      case Tree::Kind::File:
        return file(path, found);
      case Tree::Kind::Directory:
        return directory(path, found);
      case Tree::Kind::Missing:
        return done();
      case Tree::Kind::Outside:
        return leave_out(path, "is a link that points outside the workspace");
      case Tree::Kind::TooManyLinks:
        return leave_out(path, "is a cyclic link");
      case Tree::Kind::Other:
        return leave_out(path, "is not a regular file");
      case Tree::Kind::Closed:
        return closed(path, found.err);
    }
    return done();
  }

  // Its error ends the walk.
  Error stop() {
    stopped_ = true;
    return Error{};
  }

  Status count_entry() {
    if (++seen_ > kMaxSeen)
      return too_much("the patterns of the rules make band examine more than " + std::to_string(kMaxSeen) +
                          " names in " + tree_.path(),
                      "begin the patterns with a directory, such as `./data/**`, or choose a smaller --workspace");
    return done();
  }

  Status file(const std::string& path, const Tree::Found& found) {
    // Both names must be open: the one that the script uses, and the target of the links.
    if (!opening_.opens(path)) return done();
    if (found.path != path && !opening_.opens(found.path))
      return leave_out(path, "is a link to " + found.path + ", which allow.read does not allow");
    if (!is_safe_relative_path(path))
      return leave_out(path, "has a name that cannot be sent (control characters, or not UTF-8)");
    plan_.files.push_back({path, found.path, static_cast<std::int64_t>(found.status.st_size)});
    if (enough_ && enough_->counts(path) && ++counted_ == enough_->files) return stop();
    return done();
  }

  Status directory(const std::string& path, const Tree::Found& found) {
    if (!opening_.may_open_below(path) || !opening_.may_open_below(found.path)) return done();
    const auto id = std::pair(found.status.st_dev, found.status.st_ino);
    if (std::find(above_.begin(), above_.end(), id) != above_.end()) return done();  // a link to a parent directory
    if (above_.size() >= kMaxDepth)
      return too_much(path + " is more than " + std::to_string(kMaxDepth) + " directories deep",
                      "begin the patterns with a directory, or choose a smaller --workspace");
    std::vector<std::string> others;  // directories and links, visited after this directory is closed
    BAND_CHECK(files_of(path, found.path, others));
    above_.push_back(id);
    for (const std::string& below : others) BAND_CHECK(visit(below));
    above_.pop_back();
    return done();
  }

  // Plain files, the majority in a large tree, need no link resolution.
  Status files_of(const std::string& path, const std::string& resolved, std::vector<std::string>& others) {
    int err = 0;
    const Fd directory = tree_.open_directory(resolved, err);
    const std::size_t most = enough_ ? enough_->names - listed_ : SIZE_MAX;
    const auto names = directory ? list_directory(directory.get(), err, most) : std::nullopt;
    if (!names) return err == ENOENT ? done() : closed(path, err);
    listed_ += names->size();
    const bool in_hidden = path.starts_with('.') || path.find("/.") != std::string::npos;
    for (const std::string& name : *names) {
      const std::string below = join_path(path, name);
      const bool may_open = opening_.may_open_below(below);
      if (!may_open && !(reports_hidden_ && (in_hidden || name.starts_with('.')))) continue;
      Tree::Found entry{Tree::Kind::File, join_path(resolved, name), {}, 0};
      const bool there = ::fstatat(directory.get(), name.c_str(), &entry.status, AT_SYMLINK_NOFOLLOW) == 0;
      if (!may_open) {
        BAND_CHECK(count_entry());
        if (there) hidden(below, S_ISDIR(entry.status.st_mode));
        continue;
      }
      const bool plain = there && S_ISREG(entry.status.st_mode);
      if (!plain) {
        others.push_back(below);
        continue;
      }
      BAND_CHECK(count_entry());
      BAND_CHECK(file(below, entry));
    }
    if (enough_ && listed_ == enough_->names) return stop();
    return done();
  }

  Status closed(const std::string& path, int err) const {
    return Error{.code = Code::PermissionDenied,
                 .doing = "cannot examine " + (path.empty() ? "." : path) + " in the workspace " + tree_.path(),
                 .err = err,
                 .hint = "make it readable, or change allow.read so that it does not include it"};
  }

  Status leave_out(const std::string& path, std::string why) {
    if (opening_.opens(path)) plan_.left_out.push_back({path, std::move(why)});
    return done();
  }

  void hidden(const std::string& path, bool directory) {
    if (directory ? opening_.may_open_below_but_for_dots(path) : opening_.opens_but_for_dots(path))
      plan_.left_out.push_back({path + (directory ? "/" : ""), std::string(kWhyHidden)});
  }

  const Tree& tree_;
  const Opening& opening_;
  std::optional<Enough> enough_;
  const bool reports_hidden_ = false;
  ShipPlan plan_;
  std::size_t seen_ = 0, listed_ = 0, counted_ = 0;
  bool stopped_ = false;
  std::vector<std::pair<dev_t, ino_t>> above_;
};

// Checks whether the files fit into one request with `other_bytes`. Base64 makes files a third larger.
Status check_request(const ShipPlan& plan, std::size_t other_bytes) {
  std::size_t bytes = other_bytes;
  for (const PlannedFile& file : plan.files)
    bytes += bytes_in_request(file.path, static_cast<std::size_t>(std::min(file.bytes, kMostBytes)));
  if (bytes <= kMaxBodyBytes) return done();
  const auto over = static_cast<std::int64_t>((bytes - kMaxBodyBytes + 3) / 4 * 3);
  const std::int64_t room = std::max<std::int64_t>(plan.bytes - over, 0);
  return too_much(
      "allow.read allows " + human_bytes(plan.bytes) + " of the workspace, but this request has room for only " +
          std::to_string(room) + " bytes of files (" + human_bytes(room) +
          "), regardless of limit.maxDiskBytes: a request has at most 90 MiB, with files as base64; the biggest are " +
          biggest_files(plan.files),
      "narrow allow.read, deny those files, choose a smaller --workspace, or name the data by an absolute path of the "
      "machine that runs the script: such data is mounted, not sent");
}

// Checks the fixed limits first. Then checks the limits that a band can raise, in one step, so that the error names
// every limit that must be raised.
Status check_plan(const ShipPlan& plan, const EffectiveLimits& limits, std::size_t other_bytes) {
  const auto count = static_cast<std::int64_t>(plan.files.size());
  constexpr auto kMostFiles = static_cast<std::int64_t>(kMaxWireFiles);
  if (count > kMostFiles)
    return too_much("allow.read allows " + std::to_string(count) + " files of the workspace, but at most " +
                        std::to_string(kMostFiles) +
                        " fit into a request, regardless of limit.maxFiles; most of the files are in " +
                        biggest_directories(plan.files),
                    "narrow allow.read, deny those directories, choose a smaller --workspace, or name an absolute path "
                    "of the machine that runs the script: its files are mounted, not sent");
  BAND_CHECK(check_request(plan, other_bytes));
  const bool many = count > limits.maxFiles, large = plan.bytes > limits.maxDiskBytes;
  if (!many && !large) return done();
  std::string doing, raise;
  if (many) {
    doing = "allow.read allows " + std::to_string(count) + " files of the workspace, but at most " +
            std::to_string(limits.maxFiles) + " are sent; most of the files are in " + biggest_directories(plan.files);
    raise = "limit.maxFiles";
  }
  if (large) {
    doing += (many ? "; they have " : "allow.read allows ") + human_bytes(plan.bytes) +
             (many ? "" : " of the workspace") + ", but at most " + human_bytes(limits.maxDiskBytes) +
             " are sent; the biggest are " + biggest_files(plan.files);
    raise += (many ? " and " : "") + std::string("limit.maxDiskBytes");
  }
  return too_much(doing, "narrow allow.read, deny those " + std::string(many ? "directories" : "files") +
                             ", choose a smaller --workspace, or raise " + raise + " in BAND.md");
}

bool matches_any(const Rule& rule, const ShipPlan& plan) {
  const auto pattern = PathPattern::parse(rule.pattern);
  const auto matches = [&](const auto& file) { return pattern->matches(file.path); };
  return !pattern.ok() || std::any_of(plan.files.begin(), plan.files.end(), matches) ||
         std::any_of(plan.left_out.begin(), plan.left_out.end(), matches);
}

Error unreadable(const std::string& path, const Tree& workspace, int err) {
  return Error{.code = Code::PermissionDenied,
               .doing = "cannot read " + path + " in the workspace " + workspace.path(),
               .err = err,
               .hint = "make it readable, or change allow.read so that it does not name it"};
}

Error named_and_not_shipped(const std::string& path, const Tree::Found& found) {
  Error error{
      .code = Code::WriteConflict,
      .doing = path +
               " exists in the workspace, `write` names it, and it is not sent to the script: changes by the script "
               "would not be written back",
      .hint = "allow it in allow.read, too, as `{path: ./" + path + ", optional: true}` (band exec: --read " + path +
              "), or rename or remove it"};
  if (found.kind == Tree::Kind::Directory)
    error.hint = "to allow the files in this directory, write `./" + path + "/**`";
  if (found.kind != Tree::Kind::Directory && (found.kind != Tree::Kind::File || found.path != path))
    error.hint = "band does not write through links, and only to regular files: rename or remove it";
  return error;
}

}  // namespace

std::string content_hash(std::string_view bytes) { return sha256_hex(bytes); }

Result<Tree> open_workspace(const std::optional<std::string>& given) {
  if (given) return Tree::open(*given);
  BAND_TRY(Tree here, Tree::open("."));
  std::string home = home_directory();
  if (auto tree = home.empty() ? Result<Tree>(Error{}) : Tree::open(home); tree.ok()) home = tree->path();
  if (here.path() != "/" && here.path() != home) return here;
  return Error{.code = Code::Usage,
               .doing = "the workspace would be " + here.path() + ", " +
                        (here.path() == "/" ? "the whole machine" : "your whole home directory"),
               .hint = "go to a project's directory, or confirm it with --workspace " + here.path()};
}

Result<ShipPlan> plan_shipment(const Tree& workspace, const Domain& read, const EffectiveLimits& limits,
                               std::size_t other_bytes) {
  BAND_TRY(const Opening opening, Opening::of(read, false, PathRules::Use::Read));
  BAND_TRY(ShipPlan plan, Walk(workspace, opening, Walk::Hidden::Reported).run());
  BAND_CHECK(check_plan(plan, limits, other_bytes));
  plan.named = opening.literals();
  for (const RuleSet& layer : read.opened)
    for (const Rule& rule : layer)
      if (rule.pattern.starts_with('.') && !rule.optional && !matches_any(rule, plan)) plan.unmatched.push_back(rule);
  return plan;
}

Result<Unshipped> unshipped_targets(const Tree& workspace, const Domain& write, const std::set<std::string>& shipped,
                                    Search search) {
  BAND_TRY(const Opening opening, Opening::of(write, false, PathRules::Use::Write));
  for (const std::string& path : opening.literals()) {
    const Tree::Found found = workspace.resolve(path);
    const bool links = found.kind == Tree::Kind::File && found.path != path;
    if (found.kind == Tree::Kind::Missing || !opening.opens(path) || (shipped.contains(path) && !links)) continue;
    return named_and_not_shipped(path, found);
  }
  Unshipped targets;
  const auto counts = [&](const std::string& path) { return !shipped.contains(path); };
  Walk walk = search == Search::All ? Walk(workspace, opening, Walk::Hidden::Ignored)
                                    : Walk(workspace, opening, Enough{kFirstNames, kFirstFiles, counts});
  const auto found = walk.run();
  targets.more = walk.stopped();
  if (!found.ok()) targets.incomplete = found.error().message();
  if (found.ok())
    for (const PlannedFile& file : found->files)
      if (!shipped.contains(file.path)) targets.files.push_back(file.path);
  return targets;
}

std::set<std::string> Shipment::paths() const {
  std::set<std::string> all;
  for (const auto& [path, unused] : sent) all.insert(path);
  return all;
}

Result<Shipment> ship(const Tree& workspace, const ShipPlan& plan, const EffectiveLimits& limits) {
  Shipment shipment;
  shipment.began_us = now_us();
  std::int64_t left = limits.maxDiskBytes;
  for (const PlannedFile& planned : plan.files) {
    int err = 0;
    // No link is followed here: `source` was resolved, and a link that was put there since is refused.
    auto file = workspace.read(planned.source, static_cast<std::size_t>(left), err);
    if (file && file->is_closed_to_owner()) file.reset(), err = EACCES;
    if (!file && err == ENOENT) continue;  // removed since the walk: treated as missing
    if (!file && err == EFBIG) return too_much("the workspace's files grew while they were read", "run again");
    if (!file && (err == EACCES || err == EPERM) && !plan.named.contains(planned.path)) {
      shipment.left_out.push_back({planned.path, "is not readable for your user"});
      continue;
    }
    if (!file) return unreadable(planned.path, workspace, err);
    left -= static_cast<std::int64_t>(file->content.size());
    shipment.sent[planned.path] = content_hash(file->content);
    shipment.files.push_back({planned.path, file->mode, std::move(file->content), file->modified_us});
  }
  return shipment;
}

}  // namespace band::client
