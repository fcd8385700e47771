#include "server/evidence/record.h"

#include <doctest/doctest.h>

#include "schemas/core/json.h"
#include "server/base/channel.h"

using namespace band;
using namespace band::run;

namespace {

// An execution's record, and a client that receives its events.
struct Listened {
  explicit Listened(Mask with) : mask(std::move(with)) { REQUIRE(record.ok()); }

  void refused(const std::string& host) {
    gateway::Event event;
    event.kind = gateway::Event::Kind::Refused;
    event.text = host + " refused (not in allow.net)";
    event.host = host;
    record->net(event, 0);
    reply.write_some();
  }
  std::string received() {
    const auto message = base::receive(ends->second.get(), 4096);
    REQUIRE(message.ok());
    return message->text;
  }

  const Mask mask;
  Result<std::pair<base::Fd, base::Fd>> ends = base::stream_pair();
  ReplyWriter reply{std::move(ends->first)};
  Result<Record> record = Record::open(Rules{}, mask, reply, 0);
};

}  // namespace

TEST_CASE("a secret that a script looked up is masked in the ledger and in events, also in lower case") {
  Listened listened(Mask({"S3cr3t-V4lue"}));
  listened.refused("s3cr3t-v4lue.evil.example");
  const std::string received = listened.received();
  const auto entries = listened.record->ledger().release();
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].text == "[masked].evil.example refused (not in allow.net)");
  CHECK((*entries[0].details)["host"] == "[masked].evil.example");
  CHECK(received.find("[masked].evil.example refused (not in allow.net)") != std::string::npos);
}

TEST_CASE("a repeated refusal is sent once as an event, and is one entry of the ledger") {
  Listened listened(Mask{});
  for (int i = 0; i < 2; ++i) listened.refused("evil.example");
  const std::string received = listened.received(), text = "evil.example refused (not in allow.net)";
  const std::size_t at = received.find(text);
  REQUIRE(at != std::string::npos);
  CHECK(received.find(text, at + 1) == std::string::npos);
  const auto entries = listened.record->ledger().release();
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].text == text + ", 2 times");
}
