#include "server/run/record.h"

#include <doctest/doctest.h>

#include "server/base/channel.h"

using namespace band;
using namespace band::run;

TEST_CASE("a secret that a script looked up is masked in the ledger and for who listens, though it comes back small") {
  auto ends = base::stream_pair();
  REQUIRE(ends.ok());
  Reply reply(std::move(ends->first));
  const Mask mask({"S3cr3t-V4lue"});
  auto record = Record::open(Rules{}, mask, reply, 0);
  REQUIRE(record.ok());
  gateway::Event event;
  event.kind = gateway::Event::Kind::Refused;
  event.text = "s3cr3t-v4lue.evil.example refused (not in allow.net)";
  event.host = "s3cr3t-v4lue.evil.example";
  record->net(event, 0);
  reply.write_some();
  const auto heard = base::receive(ends->second.get(), 4096);
  REQUIRE(heard.ok());
  const auto entries = record->ledger().take();
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].text == "[masked].evil.example refused (not in allow.net)");
  CHECK(entries[0].details["host"] == "[masked].evil.example");
  CHECK(heard->text.find("[masked].evil.example refused (not in allow.net)") != std::string::npos);
}

TEST_CASE("a refusal that happens twice is told once to who listens, and is one entry of the ledger") {
  auto ends = base::stream_pair();
  REQUIRE(ends.ok());
  Reply reply(std::move(ends->first));
  const Mask mask;
  auto record = Record::open(Rules{}, mask, reply, 0);
  REQUIRE(record.ok());
  gateway::Event event;
  event.kind = gateway::Event::Kind::Refused;
  event.text = "evil.example refused (not in allow.net)";
  event.host = "evil.example";
  for (int i = 0; i < 2; ++i) {
    record->net(event, 0);
    reply.write_some();
  }
  const auto heard = base::receive(ends->second.get(), 4096);
  REQUIRE(heard.ok());
  const std::size_t at = heard->text.find(event.text);
  REQUIRE(at != std::string::npos);
  CHECK(heard->text.find(event.text, at + 1) == std::string::npos);
  const auto entries = record->ledger().take();
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].text == event.text + ", 2 times");
}
