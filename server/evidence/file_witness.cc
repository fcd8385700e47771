#include "server/evidence/file_witness.h"

#include <fcntl.h>
#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>

#include "server/view/mounts.h"

namespace band::run {
namespace {

// Maximum number of reads that do not count and that are still compared with the insists, for "nearest" in the error.
constexpr std::size_t kMaxUnknownReads = 1'000;

Result<std::vector<PathPattern>> patterns_of(const RuleSet& insist, bool absolute) {
  std::vector<PathPattern> patterns;
  for (const Rule& rule : insist) {
    BAND_TRY(PathPattern pattern, PathPattern::parse(rule.pattern));
    if (pattern.absolute() == absolute) patterns.push_back(std::move(pattern));
  }
  return patterns;
}

watch::FileId id_of(const view::MachineFile& file) { return {file.device, file.inode}; }

}  // namespace

Result<std::unique_ptr<FileWitness>> FileWitness::call(const Parts& parts) {
  std::unique_ptr<FileWitness> witness;
  BAND_TRY(auto writes, patterns_of(parts.rules.write.insist, true));
  if (parts.rules.read.insist.empty() && writes.empty()) return witness;
  witness.reset(new FileWitness(parts));
  witness->machine_writes_ = std::move(writes);
  BAND_TRY(witness->machine_reads_, patterns_of(parts.rules.read.insist, true));
  BAND_CHECK(witness->prepare());
  return witness;
}

Status FileWitness::prepare() {
  poll_.reset(::epoll_create1(EPOLL_CLOEXEC));
  if (!poll_) return layer_error("run", "cannot make an epoll instance", errno);
  BAND_TRY(const auto shipped_reads, patterns_of(parts_.rules.read.insist, false));
  if (!shipped_reads.empty()) BAND_CHECK(watch_shipped());
  if (machine_reads_.empty() && machine_writes_.empty()) return done();
  BAND_TRY(events_, watch::MountEvents::open());
  BAND_CHECK(poll_for(events_->fd()));
  BAND_CHECK(expect_machine_files());
  if (machine_writes_.empty()) return done();
  account_.want_writes();
  BAND_TRY(const auto files, view::find_machine_files(machine_writes_, parts_.links, parts_.who, parts_.go_on));
  BAND_TRY(before_, view::Contents::of(files, parts_.links, parts_.who, parts_.go_on));
  return done();
}

// Watches all files that the client sent. A file that does not match an insist is watched, too, because the error can
// name it as the nearest.
Status FileWitness::watch_shipped() {
  for (const ShippedFile& file : parts_.shipped) BAND_CHECK(await_touch(parts_.workspace, file.path, {file.path, {}}));
  return done();
}

Status FileWitness::expect_machine_files() {
  BAND_TRY(const auto files, view::find_machine_files(machine_reads_, parts_.links, parts_.who, parts_.go_on));
  std::size_t writable_files = 0;
  for (const view::MachineFile& file : files) {
    account_.expect(id_of(file), file.path);
    if (!writable(file.path)) continue;
    if (++writable_files > view::Contents::kMaxFiles)
      return Error{.code = Code::LimitExceeded,
                   .layer = "run",
                   .doing = "insist.read matches more than " + std::to_string(view::Contents::kMaxFiles) +
                            " files that the script may write",
                   .hint = "insist on fewer files, or allow them in `read` and not in `write`"};
    // The file is opened through its directory and not by a descriptor of its own: see FirstTouch::add().
    const std::size_t slash = file.path.rfind('/');
    const std::string parent = slash == std::string::npos ? "" : file.path.substr(0, slash);
    const auto directory = parts_.links.open(parent, O_PATH | O_DIRECTORY);
    // A link to a file is skipped: the file has another name in its own directory.
    if (directory.ok() && !parts_.links.is_link(file.path))
      BAND_CHECK(await_touch(directory->get(), file.path.substr(slash + 1), {file.path, id_of(file)}));
  }
  return done();
}

Status FileWitness::await_touch(int directory, const std::string& path, Subject subject) {
  if (touches_.empty() || touches_.back().full()) {
    BAND_TRY(auto touch, watch::FirstTouch::open());
    BAND_CHECK(poll_for(touch.fd()));
    touches_.push_back(std::move(touch));
  }
  BAND_CHECK(touches_.back().add(directory, path, subjects_.size()));
  subjects_.push_back(std::move(subject));
  return done();
}

Status FileWitness::poll_for(int fd) {
  epoll_event wanted{};
  wanted.events = EPOLLIN;
  if (::epoll_ctl(poll_.get(), EPOLL_CTL_ADD, fd, &wanted) != 0)
    return layer_error("run", "cannot add a descriptor to the epoll instance", errno);
  return done();
}

bool FileWitness::concerned(const view::DeclaredMount& mount) const {
  if (mount.empty) return false;
  const auto meets = [&](const PathPattern& pattern) {
    return mount.directory ? pattern.may_match_below(mount.path) : pattern.matches(mount.path);
  };
  return std::any_of(machine_reads_.begin(), machine_reads_.end(), meets) ||
         std::any_of(machine_writes_.begin(), machine_writes_.end(), meets);
}

bool FileWitness::writable(const std::string& path) const {
  const auto& mounts = parts_.declared;
  return std::any_of(mounts.begin(), mounts.end(), [&](const view::DeclaredMount& mount) {
    return mount.writable && (path == mount.path || path.rfind(mount.path + "/", 0) == 0);
  });
}

Status FileWitness::enter(int root) {
  if (!events_) return done();
  for (const view::DeclaredMount& mount : parts_.declared) {
    if (!concerned(mount)) continue;
    BAND_TRY(const base::Fd place, view::open_beneath(root, mount.place(), O_PATH));
    BAND_CHECK(events_->mark(place.get(), mount.writable));
  }
  return done();
}

Result<bool> FileWitness::on_readable() {
  bool all = true;
  std::vector<watch::MountEvents::Event> events;
  const bool names = unknown_reads_ < kMaxUnknownReads && parts_.record.insists().waits_for_reads();
  if (events_) {
    BAND_TRY(all, events_->read(events, names));
  }
  // Called after the events were read: if one of the events is a read that followed a change, FirstTouch has then
  // reported the change.
  BAND_CHECK(read_touches());
  for (const auto& event : events) note_event(event);
  let_go();
  return all;
}

Status FileWitness::read_touches() {
  for (watch::FirstTouch& touch : touches_) {
    BAND_TRY(const auto touched, touch.read());
    for (const auto& each : touched) {
      const Subject& subject = subjects_[each.file];
      if (subject.machine && !each.read)
        account_.first_changed(*subject.machine);
      else if (!subject.machine && each.read)
        read(subject.path, false);
      else if (!subject.machine)
        parts_.record.insists().file_not_read(subject.path, false, "was changed before it was read");
    }
  }
  return done();
}

void FileWitness::note_event(const watch::MountEvents::Event& event) {
  const auto paths = account_.note(event);
  for (const std::string& path : paths) read(path, true);
  if (!event.read || !paths.empty() || event.path.empty() || ++unknown_reads_ > kMaxUnknownReads) return;
  parts_.record.insists().file_not_read(event.path, true,
                                        "did not exist at the start, or was changed before it was read");
}

void FileWitness::read(const std::string& path, bool absolute) {
  if (!parts_.record.insists().waits_for_reads()) return;
  parts_.record.ledger().add(ledger::FileRead{(absolute ? "/" : "") + path});
  parts_.record.insists().file_read(path, absolute);
}

// Stops watching reads when all insisted reads have happened, because the watching slows the script down.
void FileWitness::let_go() {
  if (parts_.record.insists().waits_for_reads()) return;
  touches_.clear();
  if (machine_writes_.empty()) events_.reset();
}

Status FileWitness::finish() {
  for (bool all = false; !all;) {
    BAND_TRY(all, on_readable());
  }
  BAND_CHECK(account_.complete());
  return account_.wrote_anything() ? look_at_writes() : done();
}

Status FileWitness::look_at_writes() {
  BAND_TRY(const auto files, view::find_machine_files(machine_writes_, parts_.links, parts_.who, parts_.go_on));
  for (const view::MachineFile& file : files) {
    if (!account_.wrote(id_of(file))) continue;
    BAND_TRY(const bool differs, before_->differs(file, parts_.links, parts_.who, parts_.go_on));
    if (!differs) {
      parts_.record.insists().file_not_written(file.path, true, "was written with unchanged content");
      continue;
    }
    parts_.record.ledger().add(ledger::FileWritten{"/" + file.path, static_cast<std::size_t>(file.size)});
    parts_.record.insists().file_written(file.path, true);
  }
  return done();
}

}  // namespace band::run
