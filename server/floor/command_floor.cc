#include "server/floor/command_floor.h"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>

#include "server/base/fd.h"
#include "server/base/undo.h"
#include "server/floor/command_tree.h"

namespace band::floor {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLayer = "floor";
constexpr std::size_t kMaxSets = 64;  // each has some 300 hard links and symbolic links

Status make_directories(const std::string& path) {
  std::error_code failed;
  fs::create_directories(path, failed);
  if (failed) return layer_error(kLayer, "cannot make " + path, failed.value());
  return done();
}

// Compares the signature of the open file before and after the copy with the signature of the checked file, so that the
// copy has the content that was checked.
Status copy_file(const ProgramFile& file, const std::string& target) {
  const auto changed = [&] {
    return layer_error(kLayer, "cannot copy " + file.source + ": the file was changed while it was copied", 0,
                       "try again");
  };
  base::Fd from(::open(file.source.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info {};
  if (!from || ::fstat(from.get(), &info) != 0) return layer_error(kLayer, "cannot open " + file.source, errno);
  if (signature_of(info) != file.signature) return changed();
  const mode_t mode = file.executable ? 0755 : 0644;
  base::Fd to(::open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!to) return layer_error(kLayer, "cannot create " + target, errno);
  for (off_t left = info.st_size; left > 0;) {
    const ssize_t n = ::sendfile(to.get(), from.get(), nullptr, static_cast<std::size_t>(left));
    if (n == 0) return changed();
    if (n < 0) return layer_error(kLayer, "cannot copy " + file.source, errno);
    left -= n;
  }
  if (::fchmod(to.get(), mode) != 0) return layer_error(kLayer, "cannot chmod " + target, errno);
  if (::fstat(from.get(), &info) != 0 || signature_of(info) != file.signature) return changed();
  return done();
}

std::string stored_name(const ProgramFile& file) {
  Digest digest;
  digest.add(file.source);
  digest.add(file.signature);
  digest.add(file.executable ? "x" : "");
  return digest.hex(32);
}

// Copies the files that the store does not have yet. One syncfs(2) for all files, before the first rename: so after a
// power failure each file with its final name is complete.
Status fill_store(const std::string& store, const Tree& tree) {
  BAND_CHECK(make_directories(store));
  std::set<std::string> fresh;
  base::Undo remove([&] {
    for (const std::string& path : fresh) ::unlink((path + ".new").c_str());
  });
  for (const auto& [path, file] : tree.files) {
    const std::string target = store + "/" + stored_name(file);
    if (::access(target.c_str(), F_OK) == 0 || !fresh.insert(target).second) continue;
    ::unlink((target + ".new").c_str());  // left by a killed server
    BAND_CHECK(copy_file(file, target + ".new"));
  }
  if (fresh.empty()) return done();
  base::Fd fd(::open(store.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd || ::syncfs(fd.get()) != 0) return layer_error(kLayer, "cannot sync " + store, errno);
  for (const std::string& path : fresh)
    if (::rename((path + ".new").c_str(), path.c_str()) != 0)
      return layer_error(kLayer, "cannot rename " + path, errno);
  return done();
}

class Maker {
 public:
  explicit Maker(std::string root) : root_(std::move(root) + "/") {}

  Status make(const Tree& tree, const std::string& store) {
    for (const auto& [path, source] : tree.floor_files) BAND_CHECK(put_file(source, path));
    for (const auto& [path, file] : tree.files) BAND_CHECK(put_file(store + "/" + stored_name(file), path));
    for (const auto& [path, target] : tree.links) BAND_CHECK(put_link(target, path));
    for (const std::string& path : tree.places) BAND_CHECK(make_directory(path));
    return done();
  }

 private:
  Status make_directory(const std::string& path) {
    if (!made_.insert(path).second) return done();
    return make_directories(root_ + path);
  }
  Status make_parent(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? done() : make_directory(path.substr(0, slash));
  }
  Status put_file(const std::string& source, const std::string& path) {
    BAND_CHECK(make_parent(path));
    if (::link(source.c_str(), (root_ + path).c_str()) != 0) return layer_error(kLayer, "cannot link " + source, errno);
    return done();
  }
  Status put_link(const std::string& target, const std::string& path) {
    BAND_CHECK(make_parent(path));
    if (::symlink(target.c_str(), (root_ + path).c_str()) != 0)
      return layer_error(kLayer, "cannot make /" + path, errno);
    return done();
  }

  std::string root_;
  std::set<std::string> made_;
};

// Makes the set in a temporary directory, which is renamed when the set is complete. The set is not synced to the disk,
// because a new server removes the sets of an earlier server.
Status make_set(const std::string& sets, const Tree& tree, const std::string& store, const std::string& path) {
  BAND_CHECK(make_directories(sets));
  std::string scratch = sets + "/new.XXXXXX";
  if (::mkdtemp(scratch.data()) == nullptr) return layer_error(kLayer, "cannot make " + scratch, errno);
  base::Undo remove([&] {
    std::error_code ignored;
    fs::remove_all(scratch, ignored);
  });
  if (::chmod(scratch.c_str(), 0755) != 0) return layer_error(kLayer, "cannot chmod " + scratch, errno);
  BAND_CHECK(Maker(scratch).make(tree, store));
  if (::rename(scratch.c_str(), path.c_str()) != 0) return layer_error(kLayer, "cannot rename " + scratch, errno);
  remove.keep();
  return done();
}

// Removes the files of the store to which no set has a link.
void sweep_store(const std::string& store) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(store, ignored))
    if (entry.hard_link_count(ignored) == 1) fs::remove(entry.path(), ignored);
}

}  // namespace

CommandFloors::Question CommandFloors::question_of(const Floor& floor,
                                                   const std::vector<std::shared_ptr<const Program>>& programs,
                                                   const std::vector<std::string>& shimmed) {
  Question question;
  Digest key;
  key.add(floor.key);
  for (const auto& program : programs) {
    question.what += program->name + "\n";
    key.add(program->key);
  }
  question.what += "\n";
  for (const std::string& name : shimmed) question.what += name + "\n";
  key.add(question.what);
  question.key = key.hex(32);
  return question;
}

Status CommandFloors::clean() {
  // Called before the sets are removed, so that files of the store that a set uses are kept.
  sweep_store(directory_ + "/store");
  std::error_code failed;
  fs::remove_all(directory_ + "/sets", failed);
  if (failed) return layer_error(kLayer, "cannot remove " + directory_ + "/sets", failed.value());
  return done();
}

std::shared_ptr<const CommandFloor> CommandFloors::recall(const Question& question) {
  const std::lock_guard lock(mutex_);
  if (const auto found = sets_.find(question.what); found != sets_.end() && found->second.key == question.key) {
    found->second.used = ++clock_;
    return found->second.floor;
  }
  // An outdated set can become current again, for example when an earlier version of a package is installed again. The
  // set is then reused.
  const auto back = std::find_if(outdated_.begin(), outdated_.end(),
                                 [&](const auto& floor) { return floor->path == path_of(question); });
  if (back == outdated_.end()) return nullptr;
  const std::shared_ptr<const CommandFloor> floor = *back;
  outdated_.erase(back);
  keep(question, floor);
  return floor;
}

void CommandFloors::keep(const Question& question, std::shared_ptr<const CommandFloor> floor) {
  if (const auto old = sets_.find(question.what); old != sets_.end()) outdated_.push_back(old->second.floor);
  sets_[question.what] = {question.key, std::move(floor), ++clock_};
  if (sets_.size() <= kMaxSets) return;
  const auto oldest = std::min_element(sets_.begin(), sets_.end(),
                                       [](const auto& a, const auto& b) { return a.second.used < b.second.used; });
  outdated_.push_back(oldest->second.floor);
  sets_.erase(oldest);
}

void CommandFloors::remove_unused() {
  std::vector<std::shared_ptr<const CommandFloor>> unused;
  {
    const std::lock_guard lock(mutex_);
    const auto gone =
        std::partition(outdated_.begin(), outdated_.end(), [](const auto& floor) { return floor.use_count() > 1; });
    unused.assign(gone, outdated_.end());
    outdated_.erase(gone, outdated_.end());
  }
  std::error_code ignored;
  for (const auto& floor : unused) fs::remove_all(floor->path, ignored);
  if (!unused.empty()) sweep_store(directory_ + "/store");
}

Result<std::shared_ptr<const CommandFloor>> CommandFloors::get(
    const Floor& floor, const std::vector<std::shared_ptr<const Program>>& programs,
    const std::vector<std::string>& shimmed) {
  const Question question = question_of(floor, programs, shimmed);
  if (auto known = recall(question)) return known;
  const std::lock_guard building(building_);
  if (auto known = recall(question)) return known;  // another thread has just built it
  auto made = std::make_shared<CommandFloor>();
  made->path = path_of(question);
  BAND_TRY(const Tree tree, plan_tree(floor, programs, {shimmed.begin(), shimmed.end()}, *made));
  BAND_CHECK(fill_store(directory_ + "/store", tree));
  BAND_CHECK(make_set(directory_ + "/sets", tree, directory_ + "/store", made->path));
  {
    const std::lock_guard lock(mutex_);
    keep(question, made);
  }
  remove_unused();
  return std::shared_ptr<const CommandFloor>(made);
}

}  // namespace band::floor
