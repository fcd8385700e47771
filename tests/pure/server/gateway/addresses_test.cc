#include "server/gateway/addresses.h"

#include <doctest/doctest.h>
#include <sys/resource.h>

using namespace band;
using namespace band::gateway;

namespace {

// Why a public address that is not this machine's is refused; "" if it is not.
std::string wrong_with(const std::string& address) {
  const auto rules = NetRules::compile(Domain{});
  const auto bad = bad_address({*IpAddress::parse(address)}, "name.example", 443, *rules, Policy{});
  return bad ? bad->why : "";
}

}  // namespace

TEST_CASE("an address counts as this machine's own unless the kernel reports that it is not local") {
  for (const char* address : {"5.5.5.5", "2606:4700::1111"}) {
    CAPTURE(address);
    CHECK(wrong_with(address) == "");
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    const rlimit none{0, before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);  // bind(2) cannot be tried, because no socket can be made
    const std::string why = wrong_with(address);
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
    CHECK(why.find("this machine's own") != std::string::npos);
  }
}
