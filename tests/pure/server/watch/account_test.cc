// The evaluation of the kernel's events on declared files (server/watch/account.h).
#include <doctest/doctest.h>

#include <string>

#include "server/watch/account.h"

using namespace band;
using namespace band::watch;

namespace {

constexpr FileId kFile{1, 10}, kOther{1, 11}, kElsewhere{2, 10};

Account expecting() {
  Account account;
  account.expect(kFile, "srv/a");
  return account;
}

MountEvents::Event read(const FileId& file) { return {file, true, false, false}; }
MountEvents::Event change(const FileId& file) { return {file, false, true, true}; }

std::string recorded(Account& account, const MountEvents::Event& event) {
  std::string text;
  for (const std::string& path : account.note(event)) text += path + " ";
  return text;
}

}  // namespace

TEST_CASE("a file that existed at the start is reported once when it is read, with the name that it had") {
  Account account = expecting();
  CHECK(recorded(account, read(kFile)) == "srv/a ");
  CHECK(recorded(account, read(kFile)) == "");
}

TEST_CASE("a file that did not exist at the start is not reported, even with the inode of one on another file system") {
  Account account = expecting();
  CHECK(recorded(account, read(kOther)) == "");
  CHECK(recorded(account, read(kElsewhere)) == "");
}

TEST_CASE("opening for writing is not a read") {
  Account account = expecting();
  CHECK(recorded(account, {kFile, false, false, true}) == "");
  CHECK(recorded(account, read(kFile)) == "srv/a ");  // and is not a change
}

TEST_CASE("a file that was changed before it was read is not reported") {
  Account account = expecting();
  CHECK(recorded(account, change(kFile)) == "");
  CHECK(recorded(account, read(kFile)) == "");
}

TEST_CASE("a file that is read and then changed is reported, with one event or two") {
  Account account = expecting();
  CHECK(recorded(account, {kFile, true, true, true}) == "srv/a ");
  Account later = expecting();
  CHECK(recorded(later, read(kFile)) == "srv/a ");
  CHECK(recorded(later, change(kFile)) == "");
}

TEST_CASE("an event with both a read and a change does not count when first_changed() was called") {
  Account account = expecting();
  account.first_changed(kFile);
  CHECK(recorded(account, {kFile, true, true, true}) == "");
}

TEST_CASE("a file with two names is reported with both") {
  Account account = expecting();
  account.expect(kFile, "srv/b");
  CHECK(recorded(account, read(kFile)) == "srv/a srv/b ");
}

TEST_CASE("files that were written to are recorded after want_writes(), including new files") {
  Account account = expecting();
  recorded(account, change(kOther));
  CHECK_FALSE(account.wrote_anything());
  account.want_writes();
  recorded(account, change(kOther));
  recorded(account, {kElsewhere, false, false, true});
  recorded(account, read(kFile));
  CHECK(account.wrote(kOther));
  CHECK(account.wrote(kElsewhere));
  CHECK_FALSE(account.wrote(kFile));
  CHECK(account.complete().ok());
}

TEST_CASE("more written files than the maximum are an error") {
  Account account;
  account.want_writes();
  for (std::uint64_t i = 0; i < Account::kMaxWritten; ++i) account.note(change({1, i}));
  account.note(change({1, 0}));
  CHECK(account.complete().ok());
  account.note(change({1, Account::kMaxWritten}));
  REQUIRE_FALSE(account.complete().ok());
  CHECK(account.complete().error().code == Code::LimitExceeded);
}
