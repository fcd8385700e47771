#include "client/platform/pipe.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include "client/host/write_all.h"

using namespace band::client;

TEST_CASE("bytes written to a pipe can be read, and child programs inherit neither end") {
  auto pipe = open_pipe();
  REQUIRE(pipe.ok());
  REQUIRE(write_all(pipe->write_end.get(), "text"));
  char bytes[8];
  CHECK(::read(pipe->read_end.get(), bytes, sizeof bytes) == 4);
  CHECK(::fcntl(pipe->read_end.get(), F_GETFD) == FD_CLOEXEC);
  CHECK(::fcntl(pipe->write_end.get(), F_GETFD) == FD_CLOEXEC);
}
