// band-http as a process: what it serves, its privileges, and its end.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <vector>

#include "schemas/core/json.h"
#include "tests/end_to_end/http_fixture.h"

using namespace band;
using namespace band::test;

namespace {

const std::string kReady = "{\"status\":200}\n";
const std::string kResult = R"({"event":"result","answer":{"id":"00000000000000aa","data":{"n":9007199254740993}}})"
                            "\n";

std::string exec_lines(const std::string& body, const std::string& more = "") {
  return "Content-Length: " + std::to_string(body.size()) + "\r\n" + more;
}

}  // namespace

TEST_CASE(
    "a request reaches the engine completely, sealed and with its caller's name; the client gets only the answer") {
  RunningHttp http;
  Client client(http.port);
  const std::string body = R"({"script":"hello/greet"})";
  client.send(http.post(exec_lines(body)) + body);
  auto question = http.next();
  REQUIRE(question);
  CHECK(question->op() == "exec");
  CHECK(question->json["token"] == "laptop");
  CHECK(question->json["events"] == false);
  REQUIRE(question->fds.size() == 2);
  CHECK(question->body() == body);
  const int memfd = question->fds[0].get();
  const int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
  CHECK((::fcntl(memfd, F_GET_SEALS) & seals) == seals);
  CHECK(::pwrite(memfd, "x", 1, 0) < 0);
  question->answer(kReady);
  question->answer("{\"event\":\"started\",\"id\":\"00000000000000aa\"}\n{\"event\":\"stdout\",\"data\":\"x\"}\n" +
                   kResult);
  const Response response = client.response();
  CHECK(response.status == 200);
  CHECK(response.header("Content-Type") == "application/json");
  CHECK(response.body == "{\"id\":\"00000000000000aa\",\"data\":{\"n\":9007199254740993}}\n");
  CHECK(client.whole());
  // The connection stays open.
  client.send(http.get("/v1/health"));
  question = http.next();
  REQUIRE(question);
  CHECK(question->op() == "health");
  question->answer(kReady + "{\"event\":\"result\",\"body\":{\"version\":\"0.1.0\"}}\n");
  question.reset();
  const Response health = client.response();
  CHECK(health.status == 200);
  CHECK(health.body == "{\"version\":\"0.1.0\"}\n");
}

TEST_CASE("with Accept: application/x-ndjson every event is sent as soon as the engine has written it") {
  RunningHttp http;
  Client client(http.port);
  client.send(http.post(exec_lines("{}", "Accept: application/x-ndjson, */*;q=0.1\r\n")) + "{}");
  auto question = http.next();
  REQUIRE(question);
  question->answer(kReady);
  const auto has = [&](const std::string& text, int ms) {
    return client.read_until([&](const std::string& got) { return got.find(text) != std::string::npos; }, ms)
               .find(text) != std::string::npos;
  };
  CHECK(has("Content-Type: application/x-ndjson", 1000));
  question->answer("{\"event\":\"stdout\",\"data\":\"one\"}\n");
  CHECK(has("\"one\"", 1000));
  question->answer("{\"event\":\"stdout\",\"da");
  question->answer("ta\":\"two\"}\n");
  CHECK(has("two", 1000));
  CHECK(client.rest().find("result") == std::string::npos);
  question->answer(kResult);
  const Response response = client.response();
  CHECK(client.whole());
  CHECK(response.body ==
        "{\"event\":\"stdout\",\"data\":\"one\"}\n{\"event\":\"stdout\",\"data\":\"two\"}\n" + kResult);
}

TEST_CASE("an answer of 80 MiB passes unchanged") {
  RunningHttp http;
  Client client(http.port);
  client.send(http.post(exec_lines("{}")) + "{}");
  auto question = http.next();
  REQUIRE(question);
  std::string data(80u << 20, 'x');
  for (std::size_t i = 0; i < data.size(); i += 4099) data[i] = static_cast<char>('a' + i % 26);
  std::thread engine([&] {
    (void)base::write_all(question->reply(), kReady + R"({"event":"result","answer":{"data":")" + data + "\"}}\n");
    question->fds.clear();
  });
  const Response response = client.response(60'000);
  engine.join();
  CHECK(client.whole());
  CHECK(response.body.size() == data.size() + 12);
  CHECK(response.body == "{\"data\":\"" + data + "\"}\n");
}

TEST_CASE("an answer that the engine does not complete is not ended as if it were complete") {
  RunningHttp http;
  for (const std::string tail : {"", "{\"event\":\"result\",\"answer\":{\"id\":", "no event\n"}) {
    Client client(http.port);
    client.send(http.post(exec_lines("{}")) + "{}");
    auto question = http.next();
    REQUIRE(question);
    question->answer(kReady + tail);
    question.reset();
    const Response response = client.response();
    CHECK(response.status == 200);
    CHECK_FALSE(client.whole());
    CHECK(client.closed_within(1000));
  }
}

TEST_CASE("the engine's refusal becomes the status, and a malformed answer 502") {
  RunningHttp http;
  const auto answered = [&](const std::string& lines) {
    Client client(http.port);
    client.send(http.post(exec_lines("{}")) + "{}");
    auto question = http.next();
    REQUIRE(question);
    if (!lines.empty()) question->answer(lines);
    question.reset();
    return client.response();
  };
  const Response busy = answered(
      R"({"status":503,"retry_after":7,"error":{"code":"SERVER_BUSY","message":"all slots are taken","hint":"wait","details":null}})"
      "\n");
  CHECK(busy.status == 503);
  CHECK(busy.header("Retry-After") == "7");
  CHECK(busy.error_code() == "SERVER_BUSY");
  CHECK(answered("").status == 502);
  CHECK(answered("nonsense\n").status == 502);
  CHECK(answered("{\"status\":200}").status == 502);
  CHECK(answered("{\"status\":204}\n").error_code() == "INTERNAL");
}

TEST_CASE("cancel and metrics are sent to the engine") {
  RunningHttp http;
  Client client(http.port);
  client.send("DELETE /v1/exec/00000000000000aa HTTP/1.1\r\n" + http.host() + http.bearer(kOtherToken) + "\r\n");
  auto question = http.next();
  REQUIRE(question);
  CHECK(question->op() == "cancel");
  CHECK(question->json["token"] == "other");
  CHECK(question->json["id"] == "00000000000000aa");
  question->answer(kReady);
  question.reset();
  CHECK(client.response().status == 200);
  client.send(http.get("/v1/metrics"));
  question = http.next();
  REQUIRE(question);
  CHECK(question->op() == "metrics");
  question->answer(kReady + "{\"event\":\"result\",\"text\":\"band_up 1\\n\"}\n");
  question.reset();
  const Response metrics = client.response();
  CHECK(metrics.body == "band_up 1\n");
  CHECK(metrics.header("Content-Type").starts_with("text/plain"));
}

TEST_CASE("a proof shows that the server has a token's hash, and reveals nothing about other tokens") {
  RunningHttp http;
  const auto proof = [&](const std::string& id, const std::string& nonce) {
    return http.ask("GET /v1/proof?token=" + id + "&nonce=" + nonce + " HTTP/1.1\r\n" + http.host() + "\r\n");
  };
  const std::string nonce = "00112233445566778899aabbccddeeff";
  const Response known = proof("0123abcd", nonce);
  REQUIRE(known.status == 200);
  CHECK((*parse_json(known.body, "proof"))["proof"] == proof_of(token_hash(kToken), nonce, http.port));
  const Response unknown = proof("00000001", nonce);
  CHECK(unknown.status == 200);
  CHECK(unknown.body.size() == known.body.size());
  CHECK(unknown.head == known.head);
  // Except for the clock, which is the same for all: as stable as a real proof, and as different.
  const auto proved = [](const Response& response) {
    const Json body = *parse_json(response.body, "proof");
    CHECK(body.size() == 4);
    CHECK(body["now"].is_number_unsigned());
    CHECK(body["source"] == std::string(64, 'd'));
    CHECK(body["features"] == Json{"one", "two"});
    return body["proof"];
  };
  CHECK(proved(proof("00000001", nonce)) == proved(unknown));
  CHECK(proved(proof("00000002", nonce)) != proved(unknown));
  CHECK(proof("0123abcd", "0011").status == 400);
  CHECK(proof("0123abcd", std::string(66, 'a')).status == 400);
  CHECK(proof("0123ABCD", nonce).status == 400);
  CHECK(proof(kToken, nonce).status == 400);
}

TEST_CASE("a client that disconnects is detected within one second") {
  RunningHttp http;
  for (const bool ready : {false, true}) {
    for (const bool abruptly : {false, true}) {
      Client client(http.port);
      client.send(http.post(exec_lines("{}")) + "{}");
      auto question = http.next();
      REQUIRE(question);
      if (ready) question->answer(kReady);
      CHECK_FALSE(question->closed_within(1200));  // the control: a waiting client is not treated as disconnected
      if (abruptly) {
        const linger now{1, 0};
        ::setsockopt(client.fd(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
      }
      client.close();
      CHECK(question->closed_within(1000));
    }
  }
}

TEST_CASE("a client that stops reading does not stop the others") {
  RunningHttp http;
  Client lazy(http.port);
  lazy.send(http.post(exec_lines("{}", "Accept: application/x-ndjson\r\n")) + "{}");
  auto flood = http.next();
  REQUIRE(flood);
  std::thread engine([&] {
    (void)base::write_all(flood->reply(), kReady);
    while (::send(flood->reply(), kLine.data(), kLine.size(), MSG_NOSIGNAL) > 0) {
    }
  });
  for (int i = 0; i < 20; ++i) {
    Client client(http.port);
    client.send(http.get("/v1/health"));
    auto question = http.next();
    REQUIRE(question);
    question->answer(kReady + "{\"event\":\"result\",\"body\":{}}\n");
    question.reset();
    CHECK(client.response().status == 200);
  }
  lazy.close();
  engine.join();
}

TEST_CASE("beyond the connection limit idle connections are closed; with busy ones a new connection gets 503") {
  RunningHttp http(8);  // two of them for unauthenticated clients
  std::vector<Client> busy;
  std::vector<Question> questions;
  for (int i = 0; i < 6; ++i) {
    busy.emplace_back(http.port);
    // One token leaves an eighth of the places to others.
    busy.back().send(http.post(exec_lines("{}"), i < 5 ? kToken : kOtherToken) + "{}");
    auto question = http.next();
    REQUIRE(question);
    questions.push_back(std::move(*question));
  }
  Client turned_away(http.port);
  turned_away.send(http.post(exec_lines("{}")) + "{}");
  const Response no = turned_away.response(1000);
  CHECK(no.status == 503);
  CHECK(no.error_code() == "SERVER_BUSY");
  CHECK(no.header("Retry-After") == "2");
  questions.clear();
  busy.clear();
  REQUIRE(within(5000, [&] { return http.at_rest(); }));
  // A client takes all places and sends nothing; a client with a request is served nevertheless.
  std::vector<Client> silent;
  silent.reserve(30);
  for (int i = 0; i < 30; ++i) silent.emplace_back(http.port);
  Client client(http.port);
  client.send(http.get("/v1/health"));
  auto question = http.next();
  REQUIRE(question);
  question->answer(kReady + "{\"event\":\"result\",\"body\":{}}\n");
  question.reset();
  CHECK(client.response().status == 200);
}

TEST_CASE("a revoked token is refused immediately, on an open connection and during a body") {
  RunningHttp http;
  Client client(http.port), uploading(http.port);
  uploading.send(http.post("Content-Length: 4\r\n") + "{}");
  client.send(http.get("/v1/health"));
  auto question = http.next();
  REQUIRE(question);
  question->answer(kReady + "{\"event\":\"result\",\"body\":{}}\n");
  question.reset();
  CHECK(client.response().status == 200);
  http.reconfigure(Http::config(64, {kOtherToken}));
  CHECK(client.closed_within(1000));
  CHECK(http.ask(http.get("/v1/health")).status == 401);
  CHECK(uploading.response().status == 401);
  CHECK_FALSE(http.asked_within(300));
}

TEST_CASE("a thousand tokens with the longest names are accepted, the last one included") {
  RunningHttp http;
  Json config = Http::config(64);
  for (int i = 0; i < 999; ++i)
    config["tokens"].push_back(
        {{"name", std::string(60, 'n') + std::to_string(i)}, {"id", "ffffffff"}, {"hash", std::string(64, 'f')}});
  config["tokens"].push_back({{"name", "last"}, {"id", "89abcdef"}, {"hash", token_hash(kOtherToken)}});
  http.reconfigure(config);
  CHECK(http.ask(http.get("/v1/health")).status == 401);  // "laptop" is not among them
  Client client(http.port);
  client.send("GET /v1/health HTTP/1.1\r\n" + http.host() + http.bearer(kOtherToken) + "\r\n");
  CHECK(http.next());
}

TEST_CASE("the process has no privilege, cannot open or start anything, and is one user") {
  RunningHttp http;
  auto status = base::read_file("/proc/" + std::to_string(http.child().pid()) + "/status", 64 << 10);
  REQUIRE(status.ok());
  for (const std::string line :
       {"CapInh:\t0000000000000000", "CapPrm:\t0000000000000000", "CapEff:\t0000000000000000",
        "CapBnd:\t0000000000000000", "CapAmb:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2", "Groups:\t"})
    CHECK_MESSAGE(status->find("\n" + line) != std::string::npos, line);
  CHECK(status->find("\nUid:\t0") == std::string::npos);
  // Not dumpable: its files in /proc belong to root.
  const std::string fds = "/proc/" + std::to_string(http.child().pid()) + "/fd";
  for (int fd = 5; fd < 64; ++fd) CHECK(::access((fds + "/" + std::to_string(fd)).c_str(), F_OK) != 0);
}

TEST_CASE("a missing user is fatal, and so is root") {
  for (const std::string user : {"no-such-user-of-band", "root"}) {
    Http http(64, user);
    const auto exit = http.child().wait(5000);
    REQUIRE(exit);
    CHECK(exit->code == 1);
    CHECK(http.log().find(user) != std::string::npos);
    CHECK_FALSE(http.next(100));
  }
}

TEST_CASE("it ignores SIGTERM and SIGINT, and exits with the engine, after the engine's last answers") {
  RunningHttp http;
  Client client(http.port);
  client.send(http.post(exec_lines("{}")) + "{}");
  auto question = http.next();
  REQUIRE(question);
  http.child().kill(SIGTERM);
  http.child().kill(SIGINT);
  CHECK_FALSE(http.child().wait(300));
  question->answer(kReady + kResult);
  question.reset();
  http.engine_ends();
  CHECK(client.response().status == 200);
  CHECK(client.whole());
  const auto exit = http.child().wait(3000);
  REQUIRE(exit);
  CHECK(exit->code == 0);
}

TEST_CASE("the log has one line per request, without tokens, bodies and control characters") {
  RunningHttp http;
  const std::string body = "{\"secret\":\"hush\"}";
  Client client(http.port);
  client.send(http.post(exec_lines(body)) + body);
  auto question = http.next();
  REQUIRE(question);
  question->answer(kReady + kResult);
  CHECK(client.response().status == 200);
  http.ask("GET /" + kToken + "/x HTTP/1.1\r\n" + http.host() + "\r\n");
  http.ask("GET /\x1b]0;owned HTTP/1.1\r\n" + http.host() + "\r\n");
  http.ask(http.get("/v1/health?token=" + kToken));
  std::string log;
  CHECK(within(5000, [&] {
    log = http.log();
    return std::count(log.begin(), log.end(), '\n') >= 4;
  }));
  CHECK(log.find("\"path\":\"/v1/exec\"") != std::string::npos);
  CHECK(log.find("\"token\":\"laptop\"") != std::string::npos);
  CHECK(log.find("hush") == std::string::npos);
  CHECK(log.find(kToken.substr(0, 20)) == std::string::npos);
  CHECK(log.find('\x1b') == std::string::npos);
  CHECK(std::count(log.begin(), log.end(), '\n') == 4);
}
