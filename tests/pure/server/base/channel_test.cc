#include "server/base/channel.h"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <cerrno>

using namespace band;
using namespace band::base;

TEST_CASE("a message whose descriptors cannot be opened is lost, and the next one is received") {
  auto ends = channel();
  REQUIRE(ends.ok());
  const int sent = ends->first.get();
  for (const char* text : {"first", "second", "third"}) REQUIRE(send(sent, text, {sent}).ok());
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const rlimit none{0, before.rlim_max};

  const auto first = receive(ends->second.get());  // the control
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  const auto second = receive(ends->second.get());
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  const auto third = receive(ends->second.get());

  REQUIRE(first.ok());
  CHECK(first->fds.size() == 1);
  REQUIRE_FALSE(second.ok());
  CHECK(second.error().err == EMSGSIZE);
  REQUIRE(third.ok());
  CHECK(third->text == "third");
  CHECK(third->fds.size() == 1);
}
