// Standard input up to a bound. A pipe stands for it, or a file.
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

// Of this process, as long as it is there.
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

// What is read of a file with this content, "too much", or the error.
std::string of_file(const std::string& content, std::size_t most) {
  const TempDir dir;
  dir.write("input", content);
  const Fd file(::open(dir.path("input").c_str(), O_RDONLY | O_CLOEXEC));
  const StandardInput input(file.get());
  const auto read = read_standard_input(most);
  return read.ok() ? read->value_or("too much") : read.error().message();
}

// What is read of a pipe whose writing end stays open.
std::string of_terminal(const std::string& typed, std::size_t most) {
  auto pipe = open_pipe();
  REQUIRE(pipe.ok());
  REQUIRE(write_all(pipe->write_end.get(), typed));
  const StandardInput input(pipe->read_end.get());
  const auto read = read_standard_input(most, Until::Line);
  return read.ok() ? read->value_or("too much") : read.error().message();
}

}  // namespace

TEST_CASE("standard input is read to its end") {
  CHECK(of_file("", 10) == "");
  CHECK(of_file("one\ntwo\n", 10) == "one\ntwo\n");
  CHECK(of_file(std::string("a\0b", 3), 10) == std::string("a\0b", 3));
}

TEST_CASE("as many bytes as the bound are read, and one more is too much") {
  CHECK(of_file("0123456789", 10) == "0123456789");
  CHECK(of_file("0123456789a", 10) == "too much");
  CHECK(of_file("", 0) == "");
  CHECK(of_file("a", 0) == "too much");
}

TEST_CASE("the bound counts across the pieces in which the input comes") {
  const std::string large(200'000, 'x');
  CHECK(of_file(large, large.size()) == large);
  CHECK(of_file(large + "x", large.size()) == "too much");
}

TEST_CASE("of a terminal one line is read, without waiting for the end of the input") {
  CHECK(of_terminal("line\n", 5) == "line\n");
  CHECK(of_terminal("line\n", 4) == "too much");
}

TEST_CASE("input that cannot be read is an error that says why") {
  const Fd directory(::open("/", O_RDONLY | O_CLOEXEC));
  const StandardInput input(directory.get());
  const auto read = read_standard_input(10);
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().code == Code::Usage);
  CHECK(read.error().message() == "read standard input: Is a directory");
}
