// Feeds odd first bytes to real TLS and HTTP servers, and compares: bytes that a server accepts as TLS, or as an HTTP
// request with another Host, must not pass the gateway as another protocol. The servers are those of tests/web.
#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <map>
#include <mutex>
#include <random>
#include <set>

#include "server/base/child.h"
#include "server/gateway/head_watch.h"
#include "server/gateway/recognise.h"
#include "tests/kernel/machine_directory.h"
#include "tests/tls_bytes.h"
#include "tests/within.h"

using namespace band;
using namespace band::test;

namespace {

constexpr int kSilenceMs = 500;  // after this time without an answer, the server waits for more bytes
constexpr std::size_t kThreads = 48;

struct Server {
  std::string name, kind;
  std::uint16_t port = 0;
};

// Sends the bytes. Returns the answer until it shows that the server has accepted the bytes, at most some kilobytes.
std::string answer(std::uint16_t port, const std::string& bytes, bool (*accepted)(const std::string&)) {
  const base::Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) return "(no connection)";
  (void)::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  std::string text;
  char more[4096];
  pollfd wait{socket.get(), POLLIN, 0};
  while (text.size() < sizeof more && !accepted(text) && ::poll(&wait, 1, kSilenceMs) > 0) {
    const ssize_t n = ::recv(socket.get(), more, sizeof more, 0);
    if (n <= 0) break;
    text.append(more, static_cast<std::size_t>(n));
  }
  return text;
}

bool serves(const std::string& text) { return text.find("served evil.example") != std::string::npos; }

class WebServers {
 public:
  WebServers() {
    REQUIRE(::unshare(CLONE_NEWNET) == 0);
    const base::Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC)),
        log(::open((place_ / "log").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    base::Spawn what;
    what.argv = {"/usr/bin/unshare", "--pid",        "--fork",
                 "--kill-child",     "--mount-proc", BAND_SOURCE_DIR "/tests/web/servers",
                 place_.path()};
    what.env = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin"};
    what.fds = {null.get(), log.get(), log.get()};
    auto child = base::spawn(what);
    REQUIRE(child.ok());
    child_ = std::move(*child);
    const auto ready = [&] { return std::filesystem::exists(place_ / "ready") || child_.wait(0).has_value(); };
    REQUIRE(within(120'000, ready));
    if (!std::filesystem::exists(place_ / "ready"))
      FAIL(std::string(std::istreambuf_iterator<char>(std::ifstream(place_ / "log").rdbuf()), {}));
    std::ifstream list(place_ / "list");
    for (Server one; list >> one.name >> one.kind >> one.port;) all.push_back(one);
  }
  ~WebServers() {
    child_.kill(SIGKILL);  // unshare(1) ignores SIGTERM; the kernel then kills its child, and all processes of the pid
                           // namespace
    child_.wait(10'000);
    // The servers must not write into the directory while it is removed.
    for (const Server& one : all) within(10'000, [&] { return answer(one.port, "", serves) == "(no connection)"; });
  }
  std::vector<Server> all;

 private:
  MachineDirectory place_;
  base::Child child_;
};

// A ServerHello, at the beginning or after an alert.
bool shakes_hands(const std::string& text) { return text.starts_with("\x16\3") || text.find("\2\1\x70\x16\3") < 10; }

// Returns true when the gateway forwards the bytes to a server that has sent nothing.
bool passes(const std::string& bytes) {
  if (gateway::recognise_whole(bytes) != gateway::Kind::Other) return false;
  gateway::HeadWatch head;
  head.feed(bytes);
  return head.state() != gateway::HeadWatch::State::Found;
}

std::string byte(int value) { return std::string(1, static_cast<char>(value)); }

std::set<std::string> hello_table() {
  const std::string hello_message =
      message(server_name(host_name("evil.example")) + extension(10, sized("\0\x17\0\x1d"s, 2)) +
                  extension(13, sized("\4\1\5\1\x08\4"s, 2)),
              "\3\3");
  const std::string usual = record(hello_message);
  std::set<std::string> table{usual,
                              "\r\n" + usual,
                              "\n" + usual,
                              byte(0) + usual,
                              "QUIT\r\n" + usual,
                              records(hello_message, 1),
                              records(hello_message, 40)};
  for (const std::string& version :
       {"\0\0"s, "\0\2"s, "\1\0"s, "\2\0"s, "\2\1"s, "\3\0"s, "\3\2"s, "\3\3"s, "\3\4"s, "\3\xff"s, "\4\0"s, "\4\3"s,
        "\x0f\xff"s, "\x10\0"s, "\x7f\x7f"s, "\xfe\xff"s, "\xff\xff"s}) {
    table.insert(record(hello_message, "\x16" + version));
    table.insert(record(hello_message.substr(0, 1), "\x16" + version) +
                 record(hello_message.substr(1), "\x16" + version));
    for (const int type : {0x14, 0x15, 0x16, 0x17, 0x18, 0x19})
      for (const std::string& data : {""s, "\1"s, "\1\0"s, "\1\x5a"s})
        table.insert(record(data, byte(type) + version) + usual);
    for (const int type : {0, 1, 2}) {  // SSLv2's framing, with a header of two bytes and of three
      const std::string old = old_message(version, byte(type));
      table.insert(old_record(old));
      table.insert(number(old.size(), 2) + byte(0) + old);
    }
  }
  for (int first = 0; first < 256; ++first) {
    table.insert(byte(first) + usual.substr(1));
    table.insert(byte(first) + usual);
    table.insert(record("x", byte(first) + "\3\1") + usual);
  }
  return table;
}

std::set<std::string> request_table() {
  const std::string host = "\r\nHost: evil.example\r\n\r\n";
  std::set<std::string> table;
  const std::vector<std::string> methods = {
      "GET", "POST", "get",     "x",     "",         "SSH-2.0-x",  "SSH-2.0-X",   "G\xe9T",
      "{a}", "(x)",  "\"GET\"", "<34>1", "G\1T",     "\1",         "\0"s,         "\0\0\0 "s,
      "/",   "*1",   "x:",      "a=b",   "foo\nGET", "foo\n\nGET", "\r\n\r\n{a}", "0\f\2\1\1"};
  const std::vector<std::string> targets = {"/", "%2f", "x", "*", "", "?x", "http://other.example/", "\1", "\xff"};
  const std::vector<std::string> versions = {"",       " ",         " HTTP/1.1", " HTTP/1.0",
                                             " x",     " 0 0 5",    " HTTP/2.0", " http/1.1",
                                             " HTTP/", " RTSP/1.0", " SIP/2.0",  "\tHTTP/1.1"};
  for (const std::string& method : methods)
    for (const std::string& target : targets)
      for (const std::string& version : versions) {
        if (target != "/" && target != "%2f" && version.size() > 1 && method != "POST" && method != "{a}") continue;
        table.insert(method + " " + target + version + host);
      }
  for (int one = 0; one < 256; ++one)
    for (const std::string& line :
         {byte(one) + "GET / HTTP/1.1", "G" + byte(one) + "T / HTTP/1.1", "GET" + byte(one) + "/ HTTP/1.1",
          "POST" + byte(one) + "%2f" + byte(one), "GET /" + byte(one) + "HTTP/1.1"})
      table.insert(line + host);
  for (const std::string before :
       {"\r\n", "\n", "\r", "\r\r", " \r\n", "x\r\n", "QUIT\r\n", "*1\r\n$4\r\nPING\r\n", "foo\n", "foo\n\n", "AMQP\n",
        "{\"a\":1}\n", "A: b\r\n", ":\r\n", "0\r\n\r\n", "\xef\xbb\xbf"})
    for (const std::string& line : {"GET / HTTP/1.1"s, "{a} %2f "s}) table.insert(before + line + host);
  for (const std::string end : {"\n", "\r", "\n\r", "\v", "\x85"})
    for (const std::string& line : {"GET / HTTP/1.1"s, "POST %2f "s, "{a} / HTTP/1.1"s, "{a} %2f "s})
      table.insert(line + end + "Host: evil.example" + end + end);
  for (const std::string& line : {"QUIT"s, "*1"s, "SSH-2.0-x"s, "PUT%2f"s}) table.insert(line + host);
  return table;
}

struct Outcome {
  int accepted = 0;
  std::vector<std::string> bypasses;
};

}  // namespace

TEST_CASE(
    "bytes that a server of Debian accepts as TLS, or as a request for another Host, do not pass as another protocol") {
  const WebServers servers;
  REQUIRE(servers.all.size() == 25);
  const auto hellos = hello_table(), requests = request_table();
  struct Task {
    const Server* server;
    const std::string* bytes;
  };
  std::vector<Task> tasks;
  const auto add = [&](const std::set<std::string>& table, const std::string& kind) {
    for (const std::string& bytes : table)
      for (const Server& server : servers.all)
        if (server.kind == kind) tasks.push_back({&server, &bytes});
  };
  add(hellos, "tls");
  add(requests, "http");
  // In the order of the table, a server would get all bytes for which it waits at the same time.
  std::shuffle(tasks.begin(), tasks.end(), std::minstd_rand(1));

  std::mutex mutex;
  std::map<std::string, Outcome> results;
  std::atomic<std::size_t> next = 0;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      for (std::size_t at = 0; (at = next++) < tasks.size();) {
        const auto& [server, bytes] = tasks[at];
        const auto accepted = server->kind == "tls" ? shakes_hands : serves;
        const std::string text = answer(server->port, *bytes, accepted);
        const std::lock_guard lock(mutex);
        Outcome& result = results[server->name + " " + server->kind];
        if (text == "(no connection)") result.bypasses.push_back("no connection");
        if (!accepted(text)) continue;
        ++result.accepted;
        if (passes(*bytes)) result.bypasses.push_back(*bytes);
      }
    });
  for (std::thread& thread : threads) thread.join();

  CHECK(results.size() == servers.all.size());
  for (const auto& [name, result] : results) {
    CAPTURE(name);
    MESSAGE(name, " accepted ", result.accepted);
    CHECK(result.accepted > 0);  // the control: the table has bytes that this server accepts
    for (const std::string& bytes : result.bypasses) FAIL_CHECK(bytes);
  }
}
