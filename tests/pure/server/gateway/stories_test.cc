// An exception in a detached coroutine ends the execution.
#include <doctest/doctest.h>
#include <unistd.h>

#include <stdexcept>

#include "server/gateway/asio.h"
#include "server/gateway/resolver.h"

using namespace band;
using namespace band::gateway;

TEST_CASE("run() throws the exception of a detached coroutine, also after a suspension") {
  asio::io_context loop(1);
  spawn(loop, [&]() -> awaitable<void> {
    co_await others_first(loop);
    throw std::runtime_error("lost");
  });
  CHECK_THROWS_WITH(loop.run(), "lost");
}

TEST_CASE("a resolver whose socket returns only errors ends instead of spinning") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const base::Fd in(ends[1]);
  asio::io_context loop(1);
  const auto rules = NetRules::compile(Domain{});
  Names names(1);
  EventReporter reporter(loop, -1);
  Resolver resolver(loop, *rules, names, reporter);
  spawn(loop, resolver.serve_udp(base::Fd(ends[0])));  // a pipe is not a socket
  CHECK_THROWS_AS(loop.run(), std::system_error);
}
