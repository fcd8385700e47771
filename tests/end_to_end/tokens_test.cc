// Tokens that are added and removed while the server runs, and messages that band-http could send to the server's root
// process.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

namespace {

std::string tokens_file(const Server& server) { return server.run_dir() + "/../tokens"; }

ino_t inode_of(const std::string& file) {
  struct stat info {};
  REQUIRE(::stat(file.c_str(), &info) == 0);
  return info.st_ino;
}

// Starts an execution of the caller and waits until it runs, on a slot of its own.
Running started(const Server& server, const Caller& caller, const std::string& source) {
  const std::size_t before = server.script_users().size();
  caller.script("tool/go", source);
  Running running = caller.start({"run", "tool/go"});
  const bool began = within(10'000, [&] { return server.script_users().size() > before; });
  REQUIRE_MESSAGE(began, running.err());
  return running;
}

bool waits(const Caller& caller, int count) {
  return within(10'000, [&] {
    return contains(caller.band({"status", "--json"}).out, R"("queue":{"length":)" + std::to_string(count));
  });
}

}  // namespace

TEST_CASE("a token that was added is accepted when the command returns, and a revoked one is refused") {
  Server server;
  for (int i = 0; i < 5; ++i) {
    server.add_token("new");
    const Caller caller(server, "new");
    CHECK_STATUS(caller.band({"status"}), 0);
    const Ran revoked = server.admin({"token", "revoke", "new"});
    CHECK_STATUS(revoked, 0);
    CHECK_STATUS(caller.band({"status"}), 8);
  }
  server.stop();
  const Ran offline = server.admin({"token", "add", "offline"});  // no server runs: the command does not wait
  CHECK_STATUS(offline, 0);
  CHECK(offline.ms < scaled(5000));
}

TEST_CASE("each of several tokens that are added concurrently is accepted when its command returns") {
  Server server;
  std::vector<std::thread> adding;
  std::vector<Ran> said(6);
  for (std::size_t i = 0; i < said.size(); ++i)
    adding.emplace_back([&, i] {
      const Ran added = server.admin({"token", "add", "token-" + std::to_string(i)});
      const std::size_t from = added.out.find("band_");
      if (added.status != 0 || from == std::string::npos) return;
      const Caller caller;
      caller.target(server.url(), added.out.substr(from, added.out.find('"', from) - from));
      said[i] = caller.band({"status"});  // immediately
    });
  for (std::thread& thread : adding) thread.join();
  for (const Ran& ran : said) CHECK_STATUS(ran, 0);
  server.stop();
}

TEST_CASE("a revoked token stays revoked when the tokens file is replaced many times within one second") {
  Server server;
  const Caller laptop(server);
  const std::string file = tokens_file(server), with_laptop = read_file(file);
  for (int round = 0; round < 6; ++round) {
    server.add_token("thief");
    const Caller thief(server, "thief");
    REQUIRE_STATUS(thief.band({"status"}), 0);
    const ino_t known = inode_of(file);
    // By hand, as fast as possible, until the file has the inode number that the server has seen. That happens only if
    // the server does not keep the file open (the pure test of TokensFile shows it). A server checks each second.
    for (int i = 0; i < 64 && (i == 0 || inode_of(file) != known); ++i) {
      write_file(file + ".fresh", with_laptop, 0600);
      REQUIRE(::rename((file + ".fresh").c_str(), file.c_str()) == 0);
    }
    CHECK(within(5000, [&] { return thief.band({"status"}).status == 8; }));
    CHECK_STATUS(laptop.band({"status"}), 0);
  }
  server.stop();
}

TEST_CASE("revoking a token ends its running and waiting executions, and no others") {
  Server server("", "2");
  server.add_token("other");
  const Caller revoked(server), other(server, "other");
  Running theirs = started(server, other, kHold + kEmptyOutput);
  Running runs = started(server, revoked, "sleep 60");
  revoked.script("tool/wait", kEmptyOutput);
  Running waiting = revoked.start({"run", "tool/wait"});
  REQUIRE(waits(other, 1));
  CHECK_STATUS(server.admin({"token", "revoke", "laptop"}), 0);
  const Ran ended = runs.wait(20'000), never = waiting.wait(20'000);
  CHECK_STATUS(ended, 8);
  CHECK_HAS(ended.err, "its token was revoked");
  CHECK_STATUS(never, 8);
  CHECK_HAS(never.err, "did not start");
  CHECK_HAS(never.err, "its token was revoked");
  CHECK(server.held());
  server.let_go();
  CHECK_STATUS(theirs.wait(20'000), 0);
  CHECK_STATUS(other.run(kEmptyOutput), 0);
  server.stop();
}

TEST_CASE("a token that was removed and created again under the same name is another one") {
  Server server;
  const Caller old(server);
  Running runs = started(server, old, "sleep 60");
  CHECK_STATUS(server.admin({"token", "revoke", "laptop"}), 0);
  server.add_token("laptop");
  const Caller again(server);
  CHECK_STATUS(again.run(kEmptyOutput), 0);
  CHECK_STATUS(old.band({"status"}), 8);
  const Ran ended = runs.wait(20'000);
  CHECK_STATUS(ended, 8);
  CHECK_HAS(ended.err, "its token was revoked");
  // Also when the file was changed in one step, by hand.
  Running second = started(server, again, "sleep 60");
  std::string line = read_file(tokens_file(server));
  line[line.find("laptop ") + 7] = line[line.find("laptop ") + 7] == '0' ? '1' : '0';  // the first digit of the id
  write_file(tokens_file(server), line, 0600);
  CHECK_HAS(second.wait(20'000).err, "its token was revoked");
  server.stop();
}

TEST_CASE("while the tokens file cannot be read, no token is accepted and no execution is ended") {
  Server server;
  const Caller caller(server);
  Running runs = started(server, caller, kHold + kEmptyOutput);
  REQUIRE(::chmod(tokens_file(server).c_str(), 0644) == 0);
  CHECK(within(5000, [&] { return caller.band({"status"}).status == 8; }));
  CHECK(server.held());
  server.let_go();
  CHECK_STATUS(runs.wait(10'000), 0);
  REQUIRE(::chmod(tokens_file(server).c_str(), 0600) == 0);
  CHECK(within(5000, [&] { return caller.band({"status"}).status == 0; }));
  CHECK_HAS(server.log(), "is accessible to group or others");
  server.stop();
}

TEST_CASE("when the server does not confirm, the command reports it, and the token is removed from the file") {
  Server server;
  server.running().signal(SIGSTOP);
  const Ran revoked = server.admin({"token", "revoke", "laptop"});
  server.running().signal(SIGCONT);
  CHECK_STATUS(revoked, 8);
  CHECK_HAS(revoked.err, "the token was removed from the file; the server did not confirm");
  CHECK_HAS(revoked.err, "restart the server");
  CHECK_HAS_NOT(read_file(tokens_file(server)), "laptop");
  CHECK(within(5000, [&] { return Caller(server).band({"status"}).status == 8; }));
  server.stop();
}

TEST_CASE("messages of wrong types from band-http do not end the server") {
  Server server;
  const Caller caller(server);
  const int http = static_cast<int>(::syscall(SYS_pidfd_open, server.http_pid(), 0));
  const int control = static_cast<int>(::syscall(SYS_pidfd_getfd, http, 3, 0));
  REQUIRE(control >= 0);
  for (const std::string message : {"{\"op\":5}",
                                    "{\"op\":null}",
                                    "{\"op\":{\"op\":\"exec\"}}",
                                    "{\"op\":[\"listening\"]}",
                                    "{\"op\":true}",
                                    "{}",
                                    "[]",
                                    "5",
                                    "null",
                                    "\"exec\"",
                                    "{",
                                    "",
                                    "{\"op\":\"exec\",\"token\":7}",
                                    "{\"op\":\"cancel\",\"id\":{}}",
                                    "{\"op\":\"configured\"}",
                                    "{\"op\":\"configured\",\"number\":\"1\"}",
                                    "{\"op\":\"configured\",\"number\":-1}",
                                    "{\"op\":\"configured\",\"number\":18446744073709551615}",
                                    "{\"op\":\"configured\",\"number\":1e300}",
                                    "{\"op\":\"configured\",\"number\":[1]}",
                                    "{\"op\":\"health\"}",
                                    "{\"op\":\"metrics\",\"token\":[]}"}) {
    CAPTURE(message);
    if (!message.empty()) REQUIRE(::send(control, message.data(), message.size(), MSG_NOSIGNAL) > 0);
    CHECK_STATUS(caller.band({"status"}), 0);
  }
  for (int i = 0; i < 500; ++i) (void)::send(control, "5", 1, MSG_NOSIGNAL);
  CHECK_STATUS(caller.run(kEmptyOutput), 0);
  ::close(control);
  ::close(http);
  std::size_t lines = 0;
  for (std::size_t at = 0; (at = server.log().find("http sent", at)) != std::string::npos; ++at) ++lines;
  CHECK(lines > 0);
  CHECK(lines < 100);
  CHECK_STATUS(server.admin({"token", "revoke", "laptop"}), 0);  // a change is still confirmed
  server.stop();
}

TEST_CASE("the files that a killed server had announced are removed by the next stop, and the next start") {
  Server server;
  const std::string port = server.run_dir() + "/port";
  server.kill();
  REQUIRE(exists(port));  // the killed server could not remove it
  CHECK_STATUS(server.admin({"token", "add", "late"}), 0);
  CHECK_STATUS(server.admin({"stop"}), 0);
  CHECK(!exists(port));
  CHECK(!exists(server.run_dir() + "/tokens"));
  server.start();
  server.stop();
}
