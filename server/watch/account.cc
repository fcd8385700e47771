#include "server/watch/account.h"

#include <utility>

namespace band::watch {

void Account::first_changed(const FileId& file) {
  if (const auto found = expected_.find(file); found != expected_.end()) found->second.changed = true;
}

std::vector<std::string> Account::note(const MountEvents::Event& event) {
  if (wants_writes_ && (event.changed || event.closed_after_writing)) {
    if (written_.size() < kMaxWritten)
      written_.insert(event.file);
    else if (!wrote(event.file))
      too_many_ = true;
  }
  const auto found = expected_.find(event.file);
  if (found == expected_.end()) return {};
  File& file = found->second;
  const bool counts = event.read && !file.changed;
  if (event.changed) file.changed = true;
  return counts ? std::exchange(file.paths, {}) : std::vector<std::string>();
}

Status Account::complete() const {
  if (!too_many_) return done();
  return Error{
      .code = Code::LimitExceeded,
      .layer = "watch",
      .doing = "the script wrote to more than " + std::to_string(kMaxWritten) + " files of the machine",
      .hint = "insist.write on absolute paths supports no larger number; write fewer files, or write to the workspace"};
}

}  // namespace band::watch
