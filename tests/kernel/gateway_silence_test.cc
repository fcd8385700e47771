// band-gateway: a client that sends nothing on 80 and 443 is refused after one minute. A separate program, because it
// waits for that minute.
#include <doctest/doctest.h>

#include <chrono>

#include "tests/kernel/gateway_world.h"

using namespace band::test;

namespace {

void repeat(Wire& wire) { wire.send("[" + wire.rest(60'000) + "]"); }

bool open_and_quiet(const Wire& wire) { return wire.read(1, 0).empty(); }

}  // namespace

TEST_CASE(
    "a client that sends nothing is refused after one minute on ports 80 and 443, and never on another port that a "
    "rule names") {
  Dns dns;
  dns.set("www.example", {"5.5.5.5"});
  const Upstream https("5.5.5.5", 443, repeat), http("5.5.5.5", 80, repeat), other("5.5.5.5", 9000, echo);
  Served served({"www.example", "www.example:9000"});
  const std::string address = resolve("www.example");
  const Wire silent443 = connect(address, 443), silent80 = connect(address, 80), late = connect(address, 80),
             elsewhere = connect(address, 9000);

  std::this_thread::sleep_for(std::chrono::seconds(45));
  for (const Wire* wire : {&silent443, &silent80, &late, &elsewhere}) CHECK(open_and_quiet(*wire));
  late.send("GET /late HTTP/1.1\r\nHost: www.example\r\n\r\n");
  late.end();
  CHECK(late.rest().starts_with("[GET /late HTTP/1.1\r\n"));
  CHECK(served.texts().find("the client sent nothing") == std::string::npos);

  for (const Wire* wire : {&silent443, &silent80}) CHECK(wire->rest(30'000) == "(reset)");
  CHECK(served.reported("www.example:443 refused (the client sent nothing for 60 s)"));
  CHECK(served.reported("www.example:80 refused (the client sent nothing for 60 s)"));
  CHECK(https.connections() == 0);
  CHECK(http.connections() == 1);
  CHECK(open_and_quiet(elsewhere));
  elsewhere.send("PING\n");
  CHECK(elsewhere.read(5) == "PING\n");
}
