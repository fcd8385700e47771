// Parsing of `limactl list`, and the check of a machine's configuration.
#include "client/vm/limactl.h"

#include <doctest/doctest.h>

#include <functional>

#include "schemas/core/json.h"

using namespace band;
using namespace band::client::vm;

namespace {

const char* const kListed =
    R"({"name":"other","status":"Running","dir":"/home/ann/.band/lima/other"})"
    "\n"
    R"({"name":"band","status":"Stopped","dir":"/home/ann/.band/lima/band","config":{"plain":true}})"
    "\n";

// A configuration in the form in which Lima completes it.
Json good() {
  return *parse_json(R"({"plain":true,"mounts":[],"copyToHost":[],"networks":[],"provision":[{"mode":"system"}],
    "portForwards":[{"guestIP":"127.0.0.1","guestPort":7433,"hostIP":"127.0.0.1","hostPort":40123,"static":true},
                    {"guestIP":"0.0.0.0","ignore":true}]})",
                     "test");
}

}  // namespace

TEST_CASE("a machine is found by its full name, with its state") {
  const auto found = instance_of(kListed, "band");
  REQUIRE(found.ok());
  CHECK(found->state == State::Stopped);
  CHECK(found->directory == "/home/ann/.band/lima/band");
  CHECK(found->configuration == "{\"plain\":true}");
  CHECK(instance_of(kListed, "other")->state == State::Running);
  CHECK(instance_of(kListed, "ban")->state == State::Missing);
  CHECK(instance_of("", "band")->state == State::Missing);
  CHECK(instance_of("{\"name\":\"band\",\"status\":\"\"}\n", "band")->state == State::Broken);
  CHECK(instance_of("{\"name\":\"band\",\"status\":7}\n", "band")->state == State::Broken);
  CHECK_FALSE(instance_of("nonsense\n", "band").ok());
}

TEST_CASE("the version of limactl is compared with 2.0") {
  for (const char* version : {"limactl version 2.0.0\n", "limactl version 2.2.0-153-g183a60d7.m",
                              "limactl version 10.1.0", "limactl version <unknown>"})
    CHECK_MESSAGE(is_new_enough(version), version);
  for (const char* version : {"limactl version 1.9.1", "limactl version 0.20.0", "limactl version ", "", "2.0.0"})
    CHECK_MESSAGE(is_new_enough(version) == (std::string(version) == "limactl version "), version);
}

TEST_CASE("a machine that differs from the template is not used") {
  CHECK(check_configuration(dump_json(good()), 40123).ok());
  CHECK(forwarded_port(dump_json(good())) == 40123);
  CHECK_FALSE(check_configuration(dump_json(good()), 40124).ok());
  const auto refused = [](const std::function<void(Json&)>& change) {
    Json config = good();
    change(config);
    const Status status = check_configuration(dump_json(config), 40123);
    return status.ok() ? std::string() : status.error().message();
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  CHECK(has(refused([](Json& c) { c["plain"] = false; }), "agent"));
  CHECK(has(refused([](Json& c) { c.erase("plain"); }), "agent"));
  CHECK(has(refused([](Json& c) { c["mounts"].push_back({{"location", "/home/ann"}}); }), "mounted"));
  CHECK(has(refused([](Json& c) { c["provision"].push_back({{"mode", "user"}}); }), "2 provision scripts"));
  CHECK(has(refused([](Json& c) { c["copyToHost"].push_back({{"guest", "/x"}}); }), "copies"));
  CHECK(has(refused([](Json& c) { c["networks"].push_back({{"lima", "shared"}}); }), "network"));
  CHECK(has(refused([](Json& c) {
              c["portForwards"].push_back({{"guestPort", 8080}, {"hostPort", 8080}});
            }),
            "did not set: band forwards only"));
  CHECK(has(refused([](Json& c) { c["portForwards"][0]["hostIP"] = "0.0.0.0"; }), "did not set: band forwards only"));
  CHECK(has(refused([](Json& c) { c["portForwards"][0]["reverse"] = true; }), "did not set: band forwards only"));
  CHECK(
      has(refused([](Json& c) { c["portForwards"][0]["hostSocket"] = "/tmp/x"; }), "did not set: band forwards only"));
  CHECK(has(refused([](Json& c) { c["portForwards"][0] = "x"; }), "`portForwards` is not a map"));
  CHECK(has(refused([](Json& c) { c["portForwards"].erase(0); }), "not forwarded"));
  CHECK(has(refused([](Json& c) { c["ssh"] = {{"forwardAgent", true}}; }), "forwardAgent"));
  CHECK(has(refused([](Json& c) { c["ssh"] = {{"forwardX11Trusted", true}}; }), "forwardX11Trusted"));
  CHECK(refused([](Json& c) { c["ssh"] = {{"forwardAgent", false}, {"localPort", 0}}; }).empty());
  CHECK_FALSE(check_configuration("", 40123).ok());
  CHECK_FALSE(check_configuration("[]", 40123).ok());
  CHECK_FALSE(forwarded_port("{\"portForwards\":[{\"guestPort\":7433,\"hostPort\":\"x\"}]}").has_value());
}

TEST_CASE("executions left by a drain are listed with script and id, regardless of other output") {
  using Names = std::vector<std::string>;
  const std::string one = R"({"left":[{"id":"x1","token":"host-0","script":"exec/sleep"}]})";
  CHECK(left_by_drain("step: wait\n" + one + "\nmore\n") == Names{"exec/sleep (x1)"});
  CHECK(left_by_drain(one) == Names{"exec/sleep (x1)"});
  CHECK(left_by_drain("{\"left\":[]}\n").empty());
  for (const char* hostile : {"", "{\"left\"", "{\"left\":5}", "{\"left\":[5,[],null]}", "step"})
    CHECK(left_by_drain(hostile).empty());
  CHECK(left_by_drain(R"({"left":[{"id":5},{"id":"x"},{"script":"a/b"}]})").empty());
}
