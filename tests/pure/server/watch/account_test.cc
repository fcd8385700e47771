// What the kernel's events on declared files come to (server/watch/account.h).
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

std::string told(Account& account, const MountEvents::Event& event) {
  std::string text;
  for (const std::string& path : account.note(event)) text += path + " ";
  return text;
}

}  // namespace

TEST_CASE("a file that was there is told once when it is read, under the name that it had") {
  Account account = expecting();
  CHECK(told(account, read(kFile)) == "srv/a ");
  CHECK(told(account, read(kFile)) == "");
}

TEST_CASE("a file that was not there at the start is not told, though it has the inode of another file system's") {
  Account account = expecting();
  CHECK(told(account, read(kOther)) == "");
  CHECK(told(account, read(kElsewhere)) == "");
}

TEST_CASE("opening for writing is no read") {
  Account account = expecting();
  CHECK(told(account, {kFile, false, false, true}) == "");
  CHECK(told(account, read(kFile)) == "srv/a ");  // and changes nothing
}

TEST_CASE("a file that was changed before it was read is not told") {
  Account account = expecting();
  CHECK(told(account, change(kFile)) == "");
  CHECK(told(account, read(kFile)) == "");
}

TEST_CASE("a file that is read and then changed is told, in one event or two") {
  Account account = expecting();
  CHECK(told(account, {kFile, true, true, true}) == "srv/a ");
  Account later = expecting();
  CHECK(told(later, read(kFile)) == "srv/a ");
  CHECK(told(later, change(kFile)) == "");
}

TEST_CASE("of an event with a read and a change, whoever saw which came first decides") {
  Account account = expecting();
  account.first_changed(kFile);
  CHECK(told(account, {kFile, true, true, true}) == "");
}

TEST_CASE("a file with two names is told under both") {
  Account account = expecting();
  account.expect(kFile, "srv/b");
  CHECK(told(account, read(kFile)) == "srv/a srv/b ");
}

TEST_CASE("what was written to is known when somebody asks for it, new files included") {
  Account account = expecting();
  told(account, change(kOther));
  CHECK_FALSE(account.wrote_anything());
  account.want_writes();
  told(account, change(kOther));
  told(account, {kElsewhere, false, false, true});
  told(account, read(kFile));
  CHECK(account.wrote(kOther));
  CHECK(account.wrote(kElsewhere));
  CHECK_FALSE(account.wrote(kFile));
  CHECK(account.complete().ok());
}

TEST_CASE("files that were written to are kept up to a number, and more are an error") {
  Account account;
  account.want_writes();
  for (std::uint64_t i = 0; i < Account::kMaxWritten; ++i) account.note(change({1, i}));
  account.note(change({1, 0}));
  CHECK(account.complete().ok());
  account.note(change({1, Account::kMaxWritten}));
  REQUIRE_FALSE(account.complete().ok());
  CHECK(account.complete().error().code == Code::LimitExceeded);
}
