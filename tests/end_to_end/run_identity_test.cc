// Authentication: no server, a wrong token, and a listener that only pretends to be the server.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <utility>

#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

namespace {

const std::string kSecret = "s3cr3t-V4lue-1a2b3c";

// Listens on loopback and answers every request with the same bytes; keeps everything that it receives.
class Pretender {
 public:
  explicit Pretender(std::string answer)
      : answer_(std::move(answer)), fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    REQUIRE(::bind(fd_, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0);
    REQUIRE(::listen(fd_, 16) == 0);
    REQUIRE(::getsockname(fd_, reinterpret_cast<sockaddr*>(&at), &size) == 0);
    port_ = ntohs(at.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~Pretender() { received(); }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  // Stops listening and returns everything received so far.
  std::string received() {
    end_ = true;
    if (thread_.joinable()) thread_.join();
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
    return received_;
  }

 private:
  static bool readable(int fd, int ms) {
    pollfd one{fd, POLLIN, 0};
    return ::poll(&one, 1, ms) > 0;
  }
  void serve() {
    while (!end_) {
      if (!readable(fd_, 20)) continue;
      const int client = ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
      char bytes[65536];
      while (!end_ && client >= 0) {
        if (!readable(client, 20)) continue;
        const ssize_t n = ::recv(client, bytes, sizeof bytes, 0);
        if (n <= 0) break;
        received_.append(bytes, static_cast<std::size_t>(n));
        if (::send(client, answer_.data(), answer_.size(), MSG_NOSIGNAL) < 0) break;
      }
      ::close(client);
    }
  }

  const std::string answer_;
  int fd_;
  std::uint16_t port_ = 0;
  std::string received_;
  std::atomic<bool> end_{false};
  std::thread thread_;
};

std::string answer(const std::string& body, const std::string& status = "200 OK") {
  return "HTTP/1.1 " + status + "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

std::string some_token() { return "band_0123abcd_" + std::string(64, '7'); }

}  // namespace

TEST_CASE("without a server the error says how to start one") {
  const Caller never;
  const Ran unset = never.band({"run", "hello/greet", "--name", "x"});
  CHECK_STATUS(unset, 8);
  CHECK_HAS(unset.err, "band setup --target local");
  std::string url;
  {
    Pretender gone("");  // an unused port
    url = gone.url();
  }
  never.target(url, some_token());
  for (const Words& words : {Words{"run", "hello/greet", "--name", "x"}, Words{"status"}}) {
    const Ran ran = never.band(words);
    CHECK_STATUS(ran, 8);
    CHECK_HAS(ran.err, "start it with `sudo band setup --target local`");
  }
}

TEST_CASE("a wrong token is refused") {
  const Caller caller(shared_server());
  const std::string right = shared_server().token("laptop");
  CHECK_STATUS(caller.band({"status"}), 0);  // the control
  std::string wrong_secret = right;
  wrong_secret.back() = right.back() == '0' ? '1' : '0';
  for (const std::string& token : {wrong_secret, some_token()}) {
    caller.target(shared_server().url(), token);
    const Ran ran = caller.band({"run", "hello/greet", "--name", "x"});
    CHECK_STATUS(ran, 8);
    CHECK_HAS(ran.err, "token");
  }
  caller.target(shared_server().url(), "not a token");
  CHECK_STATUS(caller.band({"status"}), 8);
}

TEST_CASE("a new token is accepted within seconds, and a revoked one is refused") {
  Server server;
  server.add_token("guest");
  const Caller guest(server, "guest"), laptop(server);
  CHECK(within(5000, [&] { return guest.band({"status"}).status == 0; }));
  CHECK_STATUS(server.admin({"token", "revoke", "guest"}), 0);
  CHECK(within(5000, [&] { return guest.band({"status"}).status == 8; }));
  const Ran ran = guest.band({"run", "hello/greet", "--name", "x"});
  CHECK_STATUS(ran, 8);
  CHECK_HAS(ran.err, "revoked");
  CHECK_STATUS(laptop.band({"status"}), 0);
  server.stop();
}

TEST_CASE("a listener without the token gets neither token nor secret nor files") {
  for (const std::string& reply :
       {answer(R"({"proof":")" + std::string(64, 'a') + "\"}"), answer("{}"), answer("", "401 Unauthorized"),
        answer("", "307 Temporary Redirect\r\nLocation: /v1/exec"), std::string("SSH-2.0-OpenSSH_9.2\r\n")}) {
    Pretender pretender(reply);
    Caller caller;
    caller.env["API_KEY"] = kSecret;
    caller.target(pretender.url(), some_token());
    write_file(caller.work("a.txt"), "my words");
    const Ran ran = caller.run(kEmptyOutput, "env: [API_KEY]\nallow: {read: [\"./*.txt\"]}");
    CHECK_STATUS(ran, 8);
    const std::string received = pretender.received();
    CHECK_HAS(received, "GET /v1/proof?token=0123abcd&nonce=");  // the control: it got a request
    CHECK_HAS_NOT(received, std::string(16, '7'));
    CHECK_HAS_NOT(received, kSecret);
    CHECK_HAS_NOT(received, "POST");
    CHECK_HAS_NOT(received, "my words");
  }
}

TEST_CASE("a proof forwarded from the real server is not accepted from a listener on another port") {
  // The real server's proof for a request of the other listener, with any nonce, contains the real server's port.
  Pretender pretender(answer(R"({"proof":")" + std::string(64, '0') + "\"}"));
  Caller caller(shared_server());
  caller.target(pretender.url(), shared_server().token("laptop"));
  CHECK_STATUS(caller.band({"status"}), 8);
  CHECK_HAS_NOT(pretender.received(), shared_server().token("laptop"));
}

TEST_CASE("a target file that others can read is not used") {
  const Caller caller(shared_server());
  const std::string file = caller.directory.path + "/config/targets/local.json";
  const std::string text = read_file(file);
  write_file(file, text, 0644);
  CHECK_STATUS(caller.band({"status"}), 8);
  write_file(file, text, 0600);
  CHECK_STATUS(caller.band({"status"}), 0);
}

TEST_CASE("a target on another machine is refused: the token would be sent in clear text") {
  const Caller caller;
  caller.target("http://192.0.2.1:7433", some_token());
  const Ran ran = caller.band({"status"});
  CHECK(ran.status != 0);
  CHECK_HAS(ran.err, "clear text");
}
