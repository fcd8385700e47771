// Many connections of one caller, or of unauthenticated clients, and another caller's request at the same time.
#include <list>

#include "schemas/core/json.h"
#include "tests/end_to_end/http_fixture.h"

using namespace band;
using namespace band::test;

namespace {

constexpr std::size_t kMiB = 1 << 20;
const std::string kReady = "{\"status\":200}\n";
const std::string kResult = "{\"event\":\"result\",\"answer\":{}}\n";

std::string length(std::size_t bytes) { return "Content-Length: " + std::to_string(bytes) + "\r\n"; }

// Clients of `token` that send the head of a request for `bytes`, and `part` of its body.
std::list<Client> uploads(const Http& http, int count, std::size_t bytes, const std::string& part,
                          const std::string& token = kToken) {
  std::list<Client> all;
  for (int i = 0; i < count; ++i) {
    all.emplace_back(http.port).send(http.post(length(bytes), token) + part);
    std::this_thread::sleep_for(
        std::chrono::milliseconds(5));  // avoids a flood of new connections, which another test makes
  }
  return all;
}

// Returns the clients that have an answer, or were closed.
std::list<Client*> answered(std::list<Client>& all) {
  std::list<Client*> some;
  for (Client& one : all)
    if (readable(one.fd(), 0)) some.push_back(&one);
  return some;
}

// Runs a complete execution of the other token; the control is `served(http, ...)` before the attack.
bool served(Http& http, std::size_t bytes = 2, const std::string& token = kOtherToken) {
  Client client(http.port);
  client.send(http.post(length(bytes), token));
  client.send(std::string(bytes, ' '));
  // Either the engine gets the request, or the client gets another answer.
  (void)within(5000, [&] { return http.asked_within(0) || readable(client.fd(), 0); });
  auto question = http.next(0);
  if (!question || question->op() != "exec") return false;
  if (question->json["token"] != (token == kToken ? "laptop" : "other")) return false;
  (void)base::write_all(question->reply(), kReady + kResult);
  question.reset();
  return client.response().status == 200 && client.whole();
}

std::list<Question> questions(Http& http, std::size_t count) {
  std::list<Question> all;
  while (all.size() < count)
    if (auto question = http.next())
      all.push_back(std::move(*question));
    else
      break;
  REQUIRE(all.size() == count);
  return all;
}

// Sends lines of an answer until the reply socket is full, or band-http has closed it: errno is then EPIPE.
void fill(int reply) {
  while (::send(reply, kLine.data(), kLine.size(), MSG_NOSIGNAL | MSG_DONTWAIT) > 0) {
  }
}

bool closed_while_sending(int reply) {
  return within(2'000, [&] { return fill(reply), errno == EPIPE; });
}

void check_busy(Client& client) {
  const Response no = client.response();
  CHECK(no.status == 503);
  CHECK(no.error_code() == "SERVER_BUSY");
  CHECK(no.header("Retry-After") == "2");
}

}  // namespace

TEST_CASE("slow bodies of one token do not cost another token a connection") {
  RunningHttp http;
  REQUIRE(served(http));
  std::list<Client> slow = uploads(http, 64, 1000, "{");
  for (int i = 0; i < 20; ++i) CHECK(served(http));
  // They had three quarters of all places; for each of these requests one was closed.
  CHECK(answered(slow).size() >= 17);
  CHECK(answered(slow).size() < 30);
  for (Client* one : answered(slow)) check_busy(*one);
  // The same token gets the places that the other has left, and no more.
  std::list<Client> more;
  do {
    more.emplace_back(http.port).send(http.post(length(2)) + "{}");
  } while (!readable(more.back().fd(), 300) && more.size() < 20);
  check_busy(more.back());
}

TEST_CASE("bodies that are announced and not sent cost no memory, neither of another token nor of the same") {
  RunningHttp http;
  std::list<Client> slow = uploads(http, 8, 90 * kMiB, "{");
  CHECK(served(http, kMiB));
  CHECK(served(http, kMiB, kToken));
  CHECK(answered(slow).empty());
}

TEST_CASE("a token whose bodies fill the memory loses a body to another token, with a reason") {
  RunningHttp http;
  std::list<Client> large = uploads(http, 4, 90 * kMiB, std::string(90 * kMiB - 1000, ' '));
  CHECK(answered(large).empty());
  CHECK(served(http, 89 * kMiB));
  REQUIRE(answered(large).size() == 1);
  check_busy(*answered(large).front());
  // The others continue.
  for (Client& one : large)
    if (!readable(one.fd(), 0)) one.send(std::string(1000, ' '));
  CHECK(questions(http, 3).front().json["token"] == "laptop");
}

TEST_CASE("a body for which the memory is used up in the middle is answered with 503, also after 100 Continue") {
  RunningHttp http;
  std::list<Client> large = uploads(http, 4, 90 * kMiB, std::string(85 * kMiB, ' '));
  for (const bool expects : {false, true}) {
    Client client(http.port);
    client.send(http.post(length(60 * kMiB) + (expects ? "Expect: 100-continue\r\n" : "")));
    if (expects) CHECK(client.response().status == 100);
    CHECK(client.send(std::string(60 * kMiB, ' ')));  // all of it: many clients read nothing before that
    check_busy(client);
  }
  // Without any memory, 100 Continue is not sent.
  for (Client& one : large) one.send(std::string(5 * kMiB - 1, ' '));
  REQUIRE(within(10'000, [&] { return http.at_rest(); }));
  std::list<Client> rest = uploads(http, 1, 90 * kMiB, std::string(kMiB, ' '));
  check_busy(rest.front());
  large.pop_front();
  REQUIRE(within(10'000, [&] { return http.at_rest(); }));
  CHECK(served(http, 60 * kMiB, kToken));  // the control: a body of this size has a place after another was closed
}

TEST_CASE("unauthenticated clients have a quarter of the connections, and end no connection of a token") {
  RunningHttp http;
  std::list<Client> running;
  for (int i = 0; i < 20; ++i) running.emplace_back(http.port).send(http.post(length(2)) + "{}");
  std::list<Question> asked = questions(http, 20);
  for (Question& question : asked) question.answer(kReady);
  std::list<Client> silent, refused;
  for (int i = 0; i < 60; ++i) silent.emplace_back(http.port);
  CHECK(within(5000, [&] { return silent.size() - answered(silent).size() <= 16; }));
  for (int i = 0; i < 60; ++i) refused.emplace_back(http.port).send(http.post(length(9), kWrongToken) + "{");
  for (int i = 0; i < 5; ++i) CHECK(served(http));
  for (Question& question : asked) question.answer(kResult);
  asked.clear();
  for (Client& client : running) {
    CHECK(client.response().status == 200);
    CHECK(client.whole());
  }
}

TEST_CASE("one token leaves an eighth of the places to others, even when its clients read slowly") {
  RunningHttp http;  // 48 places for tokens
  std::list<Client> running;
  std::list<Question> asked;
  for (int i = 0; i < 42; ++i) {
    running.emplace_back(http.port).send(http.post(length(2)) + "{}");
    asked.splice(asked.end(), questions(http, 1));
  }
  for (Question& question : asked) question.answer(kReady);
  Client one_more(http.port);
  one_more.send(http.post(length(2)) + "{}");
  check_busy(one_more);
  std::list<Client> others;
  for (int i = 0; i < 6; ++i) others.emplace_back(http.port).send(http.post(length(2), kOtherToken) + "{}");
  CHECK(questions(http, 6).size() == 6);
}

TEST_CASE("answers that one token does not read do not cost another token a connection") {
  RunningHttp http(8);
  std::list<Client> lazy;
  const int small = 64 << 10;
  for (int i = 0; i < 8; ++i) {
    lazy.emplace_back(http.port);
    ::setsockopt(lazy.back().fd(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    lazy.back().send(http.post(length(2) + "Accept: application/x-ndjson\r\n") + "{}");
  }
  Client last(http.port);  // the place that one token leaves to others
  last.send(http.post(length(2), kOtherToken) + "{}");
  std::list<Question> asked = questions(http, 6);
  const auto flood = [&](int ms) {
    for (const std::int64_t until = now_ms() + ms; now_ms() < until;) {
      for (Question& question : asked) {
        (void)::send(question.reply(), kLine.data(), kLine.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  for (Question& question : asked) question.answer(kReady);
  flood(500);
  CHECK_FALSE(served(http));  // the control: for one second they may only be slow
  flood(1500);
  for (int i = 0; i < 3; ++i) CHECK(served(http));
}

TEST_CASE("requests in the queue are ended for another token, running executions are not") {
  RunningHttp http(8);
  std::list<Client> clients;
  for (int i = 0; i < 5; ++i) clients.emplace_back(http.port).send(http.post(length(2)) + "{}");
  clients.emplace_back(http.port).send(http.post(length(2), kOtherToken) + "{}");  // the place that one token leaves
  std::list<Question> asked = questions(http, 6);
  CHECK(served(http));
  REQUIRE(within(5000, [&] { return http.at_rest(); }));
  int ended = 0;
  for (const Question& question : asked) ended += question.closed_within(0) ? 1 : 0;
  CHECK(ended == 1);
  asked.remove_if([](const Question& question) { return question.closed_within(0); });
  clients.remove_if([](const Client& client) { return readable(client.fd(), 0); });
  REQUIRE(clients.size() == 5);
  clients.emplace_back(http.port).send(http.post(length(2)) + "{}");  // the connection of the other token has ended
  asked.splice(asked.end(), questions(http, 1));
  for (Question& question : asked) question.answer(kReady);
  REQUIRE(within(5000, [&] { return http.at_rest(); }));
  Client other(http.port);
  other.send(http.post(length(2), kOtherToken) + "{}");
  check_busy(other);
  for (const Question& question : asked) CHECK_FALSE(question.closed_within(0));
}

TEST_CASE("when a token is revoked, its idle connections, bodies and unread answers end immediately; others continue") {
  RunningHttp http;
  Client idle(http.port), uploading(http.port), lazy(http.port), other(http.port);
  const int small = 64 << 10;
  ::setsockopt(lazy.fd(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  lazy.send(http.post(length(2) + "Accept: application/x-ndjson\r\n") + "{}");
  auto unread = http.next();
  REQUIRE(unread);
  unread->answer(kReady);
  REQUIRE(within(10'000, [&] {
    fill(unread->reply());
    bool stalled = false;
    each_tcp_socket(
        [&](const TcpSocket& one) { stalled = stalled || (one.own == http.port && one.peer_takes_nothing); });
    return stalled && http.at_rest();  // although it has more to pass on
  }));
  idle.send(http.get("/v1/health"));
  auto question = http.next();
  REQUIRE(question);
  question->answer(kReady + "{\"event\":\"result\",\"body\":{}}\n");
  question.reset();
  CHECK(idle.response().status == 200);
  uploading.send(http.post(length(4)) + "{}");
  other.send(http.post(length(4), kOtherToken) + "{}");
  REQUIRE(within(5000, [&] { return http.at_rest(); }));
  CHECK_FALSE(readable(uploading.fd(), 0));  // the control: nothing ends by itself
  CHECK_FALSE(unread->closed_within(0));
  http.configure(64, {kOtherToken});
  CHECK(uploading.response(1000).status == 401);
  CHECK(idle.closed_within(1000));
  CHECK(closed_while_sending(unread->reply()));
  other.send("  ");
  question = http.next();
  REQUIRE(question);
  CHECK(question->json["token_id"] == "89abcdef");
}

TEST_CASE(
    "after its token is revoked, an answer in progress ends when its client pauses, and is whole for a client that "
    "reads") {
  RunningHttp http;
  const std::string asks = http.post(length(2) + "Accept: application/x-ndjson\r\n") + "{}";
  Client lazy(http.port), reading(http.port);
  const auto begin = [&](Client& client) {
    client.send(asks);
    auto question = http.next();
    REQUIRE(question);
    question->answer(kReady + kLine);
    client.read_until([](const std::string& text) { return text.size() > kLine.size(); });
    return std::move(*question);
  };
  Question for_lazy = begin(lazy);
  std::optional<Question> for_reading = begin(reading);
  REQUIRE(within(5000, [&] { return http.at_rest(); }));
  http.reconfigure(Http::config(64, {kOtherToken}));
  std::thread answers([&] {
    for (int i = 0; i < 100; ++i) send_all(for_reading->reply(), kLine);
    send_all(for_reading->reply(), "{\"event\":\"result\",\"body\":{}}\n");
    for_reading.reset();
  });
  CHECK(reading.response(scaled(30'000)).body.size() > 101 * kLine.size());
  CHECK(reading.whole());
  answers.join();
  CHECK(closed_while_sending(for_lazy.reply()));
}

TEST_CASE(
    "refused requests add ten lines a second to the log, then a line with their count; a token's lines are all "
    "written") {
  RunningHttp http;
  constexpr int kRefused = 400;
  const std::int64_t start = now_ms();
  for (int i = 0; i < kRefused; ++i)
    CHECK(http.ask("GET /v1/health HTTP/1.1\r\n" + http.host() + "\r\n").status == 401);
  const std::int64_t seconds = (now_ms() - start) / 1000 + 1;
  REQUIRE(served(http, 2, kToken));
  int lines = 0, counted = 0, tokens = 0;
  const auto read_log = [&] {
    lines = counted = tokens = 0;
    const std::string log = http.log();
    for (std::size_t at = 0, end; (end = log.find('\n', at)) != std::string::npos; at = end + 1) {
      const auto line = parse_json(log.substr(at, end - at), "line");
      REQUIRE(line.ok());
      if (line->contains("note") && !line->contains("status")) {
        CHECK((*line)["note"].get<std::string>().find("without a valid token") != std::string::npos);
        counted += std::stoi((*line)["note"].get<std::string>());
      } else if ((*line)["token"] == "laptop") {
        ++tokens;
      } else {
        ++lines;
      }
    }
    return lines + counted >= kRefused;  // the count is written one second later
  };
  CHECK(within(10'000, read_log));
  CHECK(lines <= 10 * seconds + 10);
  CHECK(lines + counted == kRefused);
  CHECK(tokens == 1);
}
