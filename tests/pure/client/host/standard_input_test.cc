// Reading standard input up to a limit. A pipe or a file replaces it.
#include "client/host/standard_input.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "client/host/write_all.h"
#include "client/platform/pipe.h"
#include "schemas/core/fd.h"
#include "tests/pure/client/client_test.h"

using namespace band;
using namespace band::client;
using namespace band::test;

namespace {

// Replaces standard input of this process during its lifetime.
class StandardInput {
 public:
  explicit StandardInput(int fd) : before_(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)) {
    REQUIRE(before_);
    REQUIRE(::dup2(fd, STDIN_FILENO) == STDIN_FILENO);
  }
  ~StandardInput() { ::dup2(before_.get(), STDIN_FILENO); }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

 private:
  Fd before_;
};

// Returns the text read from a file with this content, "too much", or the error.
std::string of_file(const std::string& content, std::size_t most) {
  const TempDir dir;
  dir.write("input", content);
  const Fd file(::open(dir.path("input").c_str(), O_RDONLY | O_CLOEXEC));
  const StandardInput input(file.get());
  const auto read = read_standard_input(most);
  return read.ok() ? read->value_or("too much") : read.error().message();
}

// Returns the text read from a pipe whose write end stays open.
std::string of_terminal(const std::string& typed, std::size_t most) {
  auto pipe = open_pipe();
  REQUIRE(pipe.ok());
  REQUIRE(write_all(pipe->write_end.get(), typed));
  const StandardInput input(pipe->read_end.get());
  const auto read = read_standard_input(most, Until::Line);
  return read.ok() ? read->value_or("too much") : read.error().message();
}

}  // namespace

TEST_CASE("standard input is read until EOF") {
  CHECK(of_file("", 10) == "");
  CHECK(of_file("one\ntwo\n", 10) == "one\ntwo\n");
  CHECK(of_file(std::string("a\0b", 3), 10) == std::string("a\0b", 3));
}

TEST_CASE("an input of exactly the limit is read, and one byte more is too much") {
  CHECK(of_file("0123456789", 10) == "0123456789");
  CHECK(of_file("0123456789a", 10) == "too much");
  CHECK(of_file("", 0) == "");
  CHECK(of_file("a", 0) == "too much");
}

TEST_CASE("the limit applies to the sum of all pieces") {
  const std::string large(200'000, 'x');
  CHECK(of_file(large, large.size()) == large);
  CHECK(of_file(large + "x", large.size()) == "too much");
}

TEST_CASE("from a terminal one line is read, without waiting for EOF") {
  CHECK(of_terminal("line\n", 5) == "line\n");
  CHECK(of_terminal("line\n", 4) == "too much");
}

TEST_CASE("an unreadable input is an error with the cause") {
  const Fd directory(::open("/", O_RDONLY | O_CLOEXEC));
  const StandardInput input(directory.get());
  const auto read = read_standard_input(10);
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().code == Code::Usage);
  CHECK(read.error().message() == "cannot read standard input: Is a directory");
}
