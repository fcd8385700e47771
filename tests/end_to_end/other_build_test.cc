// A server of another build than the client. A relay plays it: the relay connects to the real server, and changes the
// digest and the features in the server's proof and in /v1/health.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <mutex>
#include <utility>

#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

namespace {

using Edit = std::function<std::string(std::string)>;

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  at.sin_port = htons(port);
  return at;
}

// Forwards connections to the server, one after the other. Applies `edit` to the body of each answer that has a
// Content-Length: those of proofs and of /v1/health, but not those of executions, which are sent in chunks.
class Relay {
 public:
  explicit Relay(Edit edit) : edit_(std::move(edit)), fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in at = loopback(0);
    socklen_t size = sizeof at;
    REQUIRE(::bind(fd_, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0);
    REQUIRE(::listen(fd_, 16) == 0);
    REQUIRE(::getsockname(fd_, reinterpret_cast<sockaddr*>(&at), &size) == 0);
    port_ = ntohs(at.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~Relay() {
    end_ = true;
    thread_.join();
    ::close(fd_);
  }
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  // Sets the target of the caller to this relay. The proof contains the port of the server.
  void stand_in(const Caller& caller) const {
    const Server& server = shared_server();
    const unsigned there = server.port_there() != 0 ? server.port_there() : server.port();
    caller.target("http://127.0.0.1:" + std::to_string(port_), server.token("laptop"), there);
  }
  // Returns everything that clients have sent since the last call.
  std::string received() {
    const std::lock_guard lock(mutex_);
    return std::exchange(received_, "");
  }

 private:
  static bool send_all(int fd, const std::string& bytes) {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
      const ssize_t n = ::send(fd, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) return false;
      sent += static_cast<std::size_t>(n);
    }
    return true;
  }

  void serve() {
    while (!end_) {
      pollfd waiting{fd_, POLLIN, 0};
      if (::poll(&waiting, 1, 20) <= 0) continue;
      const int client = ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
      const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      const sockaddr_in at = loopback(shared_server().port());
      if (::connect(server, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0) forward(client, server);
      ::close(client);
      ::close(server);
    }
  }

  void forward(int client, int server) {
    std::string answer;  // bytes of the server that were not sent to the client yet
    char bytes[65536];
    while (!end_) {
      pollfd both[2] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
      if (::poll(both, 2, 20) <= 0) continue;
      for (const pollfd& one : both) {
        if (one.revents == 0) continue;
        const ssize_t n = ::recv(one.fd, bytes, sizeof bytes, 0);
        if (n <= 0) return;
        const std::string piece(bytes, static_cast<std::size_t>(n));
        if (one.fd == client) {
          const std::lock_guard lock(mutex_);
          received_ += piece;
          if (!send_all(server, piece)) return;
        } else if (answer += piece; !pass_on(client, answer)) {
          return;
        }
      }
    }
  }

  // Sends what is complete of `answer`, and removes it from `answer`.
  bool pass_on(int client, std::string& answer) const {
    const std::string field = "Content-Length: ";
    const std::size_t head = answer.find("\r\n\r\n"), at = answer.find(field);
    if (at < head && head != std::string::npos) {
      const std::size_t length = std::stoul(answer.substr(at + field.size()));
      if (answer.size() < head + 4 + length) return true;
      const std::string body = edit_(answer.substr(head + 4, length));
      std::string begin = answer.substr(0, head + 4);
      begin.replace(at, begin.find("\r\n", at) - at, field + std::to_string(body.size()));
      answer = begin + body;
    }
    return send_all(client, std::exchange(answer, ""));
  }

  const Edit edit_;
  int fd_;
  std::uint16_t port_ = 0;
  std::mutex mutex_;
  std::string received_;
  std::atomic<bool> end_{false};
  std::thread thread_;
};

// Replaces the text from `begin` to the next `end`; leaves a text without them unchanged.
std::string replaced(std::string text, const std::string& begin, const std::string& end, const std::string& by) {
  const std::size_t from = text.find(begin);
  if (from == std::string::npos) return text;
  const std::size_t to = text.find(end, from + begin.size());
  if (to == std::string::npos) return text;
  return text.replace(from, to + end.size() - from, by);
}

Edit with_source(const std::string& json) {
  return [json](std::string body) { return replaced(std::move(body), ",\"source\":\"", "\"", ",\"source\":" + json); };
}
// As a server of other sources with one feature more.
std::string with_later_feature(std::string body) {
  body = with_source('"' + std::string(64, 'e') + '"')(std::move(body));
  const std::string list = "\"features\":[";
  const std::size_t at = body.find(list);
  if (at == std::string::npos) return body;
  const std::size_t first = at + list.size();
  return body.insert(first, body[first] == ']' ? "\"later\"" : "\"later\",");
}
// As a server that is older than both members.
std::string without_both(std::string body) {
  return replaced(replaced(std::move(body), ",\"source\":\"", "\"", ""), ",\"features\":[", "]", "");
}

const Words kRun = {"run", "tool/go"};
constexpr const char* kUpdate = "`sudo band setup --target local` updates the server";

}  // namespace

TEST_CASE("a run says once that the server is of another build, and `band status` says it each time") {
  struct Row {
    const char* what;
    Edit edit;
    const char* says;
  };
  const Row rows[] = {
      {"older", without_both, "the server of target local is older than this band (source of the server: unknown, of"},
      {"other", with_source('"' + std::string(64, 'b') + '"'),
       "the server of target local was built from other sources than this band (source of the server: bbbbbbbbbbbb, "
       "of"},
      {"newer", with_later_feature,
       "the server of target local is newer than this band (source of the server: eeeeeeeeeeee, of this band: "}};
  const Caller caller(shared_server());
  caller.script("tool/go", kEmptyOutput);
  const Ran same = caller.band(kRun);
  CHECK_STATUS(same, 0);
  CHECK(same.err == "");  // the control: the server of this build
  CHECK_HAS(caller.band({"status"}).out, "build    the same in client and server\n");
  CHECK(!exists(caller.home(".band")));
  for (const Row& row : rows) {
    CAPTURE(row.what);
    Relay relay(row.edit);
    relay.stand_in(caller);
    Words quiet = kRun;
    quiet.emplace_back("--quiet");
    CHECK(caller.band(quiet).err == "");  // not printed, so not remembered
    const Ran first = caller.band(kRun), second = caller.band(kRun);
    CHECK_STATUS(first, 0);
    CHECK_HAS(first.err, std::string("note: ") + row.says);
    if (row.what != std::string("newer")) CHECK_HAS(first.err, kUpdate);
    CHECK_STATUS(second, 0);
    CHECK(second.err == "");
    for (int i = 0; i < 2; ++i) {
      const Ran status = caller.band({"status"});
      CHECK_STATUS(status, 0);
      CHECK_HAS(status.out, std::string("build    ") + row.says);
      CHECK(status.err == "");
    }
  }
  // Every pair is remembered, also after another one.
  Relay again(without_both);
  again.stand_in(caller);
  CHECK(caller.band(kRun).err == "");
  const Ran json = caller.band({"status", "--json"});
  CHECK_HAS(json.out, "\"clientSource\":\"");
  CHECK_HAS(json.out, "\"clientFeatures\":[");
}

TEST_CASE("the digest that a server sends cannot write to the terminal or fill the file of the differences") {
  const Caller caller(shared_server());
  caller.script("tool/go", kEmptyOutput);
  for (const std::string json : {R"("\u001b[2J\u001b]0;x\u0007")", R"([])", R"("x y\nz")", R"(null)"}) {
    CAPTURE(json);
    Relay relay(with_source(json));
    relay.stand_in(caller);
    const Ran ran = caller.band(kRun), status = caller.band({"status"});
    CHECK_STATUS(ran, 0);
    CHECK_STATUS(status, 0);
    CHECK_HAS(status.out, "source of the server: unknown");
    CHECK_HAS_NOT(ran.err + status.out, "\x1b");
  }
  const std::string file = caller.home(".band/build-differences");
  CHECK(read_file(file).size() == 64 + 3);  // the digest of this band, and "-" for that of the server
  // 70 other digests: the file keeps the newest 64.
  for (int i = 10; i < 80; ++i) {
    Relay relay(with_source('"' + std::to_string(i) + std::string(62, '0') + '"'));
    relay.stand_in(caller);
    CHECK_HAS(caller.band(kRun).err, "source of the server: " + std::to_string(i) + "0000000000");
  }
  CHECK(read_file(file).size() == 64 * 130);
}

TEST_CASE("a run that needs a feature which the server lacks ends before the request is sent") {
  const Caller caller(shared_server());
  caller.script("tool/go", kEmptyOutput);
  caller.script("tool/hide", std::string("echo hidden > .hidden\n") + kEmptyOutput,
                "allow: {write: [{path: \"{output}\", dot: true}]}");
  caller.schema("tool/hide", "input", R"({"type": "object", "properties": {"output": {"type": "string"}}})");
  const Words hide = {"run", "tool/hide", "--output", ".hidden"};
  CHECK_STATUS(caller.band(hide), 0);  // the control: the server of this build
  CHECK(exists(caller.work(".hidden")));
  std::filesystem::remove(caller.work(".hidden"));
  Relay relay(without_both);
  relay.stand_in(caller);
  CHECK_STATUS(caller.band(kRun), 0);  // the control: a request that needs no feature
  CHECK_HAS(relay.received(), "POST /v1/exec");
  const Ran ran = caller.band(hide);
  CHECK_STATUS(ran, 8);
  CHECK_HAS(ran.err, "is older than this band and cannot ");
  CHECK_HAS(ran.err, ", version 0.1.0,");
  CHECK_HAS(ran.err, kUpdate);
  const std::string received = relay.received();
  CHECK_HAS(received, "GET /v1/proof");
  CHECK_HAS_NOT(received, "POST");
  CHECK_HAS_NOT(received, "echo hidden");
  CHECK(!exists(caller.work(".hidden")));
  CHECK_HAS(caller.band({"status"}).out, "the server cannot ");
}
