// The engine before it has a slot: its answers to the messages of the http process.
#include "server/engine/engine.h"

#include <doctest/doctest.h>
#include <sys/mman.h>

#include "schemas/core/json.h"
#include "schemas/wire/features.h"
#include "server/base/channel.h"
#include "server/base/io.h"

using namespace band;
using namespace band::run;
using Kind = http::Question::Kind;

namespace {

Site site() {
  Site site;
  site.config = policy::default_site_config();
  return site;
}

base::Fd body() { return base::Fd(::memfd_create("body", MFD_CLOEXEC)); }

// Returns the first line of the reply, and whether others follow.
struct Said {
  Json first;
  bool more = false;
};

Said ask(Engine& engine, const http::Question& question) {
  auto ends = base::stream_pair();
  REQUIRE(ends.ok());
  std::vector<base::Fd> fds;
  if (question.kind == Kind::Exec) fds.push_back(body());
  fds.push_back(std::move(ends->first));
  engine.handle(question, std::move(fds));
  const std::string lines = base::read_all(ends->second.get(), 1 << 20).value();
  const std::size_t end = lines.find('\n');
  REQUIRE(end != std::string::npos);
  return {parse_json(lines.substr(0, end), "reply").value(), end + 1 < lines.size()};
}

Json health_of(const Site& site) {
  Engine engine(site, {});
  auto ends = base::stream_pair();
  REQUIRE(ends.ok());
  std::vector<base::Fd> fds;
  fds.push_back(std::move(ends->first));
  engine.handle({.kind = Kind::Health}, std::move(fds));
  const std::string lines = base::read_all(ends->second.get(), 4 << 20).value();
  return parse_json(lines.substr(lines.find('\n') + 1), "reply").value()["body"];
}

http::Question exec(const std::string& token) { return {.kind = Kind::Exec, .token = token, .token_id = "0123abcd"}; }

}  // namespace

TEST_CASE("a token that is unknown to the engine is refused, for any message of http") {
  Engine engine(site(), {});
  CHECK(ask(engine, exec("laptop")).first["status"] == 401);
  engine.accept_only({caller("laptop", "0123abcd")}, Others::End);
  CHECK(ask(engine, exec("laptop")).first["status"] != 401);
  CHECK(ask(engine, exec("other")).first["status"] == 401);
  // The same name with another id is another token: the first was removed, and one with its name was created.
  http::Question again = exec("laptop");
  again.token_id = "89abcdef";
  CHECK(ask(engine, again).first["status"] == 401);
  engine.accept_only({}, Others::End);
  CHECK(ask(engine, exec("laptop")).first["status"] == 401);
}

TEST_CASE("while no slot is in service, an execution is refused immediately, with Retry-After") {
  Engine engine(site(), {});
  engine.accept_only({caller("laptop", "0123abcd")}, Others::End);
  const Said said = ask(engine, exec("laptop"));
  CHECK(said.first["status"] == 503);
  CHECK(said.first["retry_after"].get<int>() > 0);
  CHECK(said.first["error"]["code"] == "SERVER_BUSY");
  CHECK(!said.more);
}

TEST_CASE("an unknown execution cannot be cancelled") {
  Engine engine(site(), {});
  engine.accept_only({caller("laptop", "0123abcd")}, Others::End);
  CHECK(ask(engine, {.kind = Kind::Cancel, .token = "laptop", .token_id = "0123abcd", .id = "0123456789abcdef"})
            .first["status"] == 404);
}

TEST_CASE("health has the operator's ceiling in the form of rules, unless it is too long for an answer") {
  const auto ceiling_of = [](const Site& site) { return health_of(site)["ceiling"]; };
  Site configured = site();
  configured.config = policy::parse_site_config(
                          "ceiling:\n  allow:\n    cli: [\"git log *\"]\n    net: []\n  deny:\n    read: [/srv/x]\n",
                          "/etc/band/server.yaml")
                          .value();
  const auto rules = rules_from_json(ceiling_of(configured));
  REQUIRE(rules.ok());
  CHECK(dump_json(rules_to_json(*rules)) == dump_json(rules_to_json(configured.config.ceiling)));
  CHECK(rules->cli.opened.at(0).at(0).origin == "/etc/band/server.yaml:3");
  CHECK(rules->net.opened.at(0).empty());  // opens nothing: different from no layer
  CHECK(rules->read.deny.at(0).pattern == "/srv/x");
  for (int i = 0; i < 600; ++i) configured.config.ceiling.read.deny.push_back({"/" + std::string(1'000, 'x'), "x"});
  CHECK(ceiling_of(configured).is_null());
}

TEST_CASE("health has the digest of the sources and the features") {
  Site own = site();
  own.source = std::string(64, 'e');
  const Json body = health_of(own);
  CHECK(body["source"] == std::string(64, 'e'));
  CHECK(body["features"] == Json(feature_names()));
}

TEST_CASE("health and metrics are two lines") {
  Engine engine(site(), {});
  for (const Kind kind : {Kind::Health, Kind::Metrics}) {
    const Said said = ask(engine, {.kind = kind});
    CHECK(said.first["status"] == 200);
    CHECK(said.more);
  }
}

TEST_CASE("a message with a wrong number of descriptors is dropped, and they are closed") {
  Engine engine(site(), {});
  for (const Kind kind : {Kind::Listening, Kind::Configured, Kind::Exec, Kind::Cancel, Kind::Health, Kind::Metrics})
    for (std::size_t count = 0; count < 4; ++count) {
      if (count == http::descriptors_of(kind) && count > 0) continue;
      auto ends = base::stream_pair();
      REQUIRE(ends.ok());
      std::vector<base::Fd> fds;
      if (count > 0) fds.push_back(std::move(ends->first));
      while (fds.size() < count) fds.push_back(body());
      ends->first.reset();
      engine.handle({.kind = kind}, std::move(fds));
      CHECK(base::read_all(ends->second.get(), 1024).value() == "");  // closed without an answer
    }
}

TEST_CASE("a stopped engine accepts nothing") {
  Engine engine(site(), {});
  engine.accept_only({caller("laptop", "0123abcd")}, Others::End);
  engine.stop("the test ends");
  CHECK(ask(engine, exec("laptop")).first["status"] == 503);
}
