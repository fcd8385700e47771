// What comes out of this process's own standard output and error: pipes here, and pseudo-terminals of the test's own.
#include "client/terminal/outlet.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>
#include <thread>
#include <utility>

#include "client/platform/pipe.h"
#include "schemas/core/fd.h"

using namespace band;
using namespace band::client;
using namespace std::string_literals;

namespace {

const bool kPipesReport = std::signal(SIGPIPE, SIG_IGN) != SIG_ERR;  // EPIPE, as in band

// Descriptors 1 and 2 are these while it lives. doctest writes to 1, too: nothing is checked meanwhile.
class Redirected {
 public:
  Redirected(int out, int err)
      : out_(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)), err_(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)) {
    ::dup2(out, STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
  }
  ~Redirected() {
    ::dup2(out_.get(), STDOUT_FILENO);
    ::dup2(err_.get(), STDERR_FILENO);
  }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;

 private:
  Fd out_, err_;
};

// Where a stream goes, and what has come there.
struct Far {
  Fd near, far;

  static Far pipe() {
    auto ends = open_pipe();
    REQUIRE(ends.ok());
    return {std::move(ends->write_end), std::move(ends->read_end)};
  }
  static Far terminal() {
    Fd far(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    REQUIRE(far);
    REQUIRE(::grantpt(far.get()) == 0);
    REQUIRE(::unlockpt(far.get()) == 0);
    Fd near(::open(::ptsname(far.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
    REQUIRE(near);
    termios modes{};
    REQUIRE(::tcgetattr(near.get(), &modes) == 0);
    ::cfmakeraw(&modes);  // bytes arrive as they were written
    REQUIRE(::tcsetattr(near.get(), TCSANOW, &modes) == 0);
    return {std::move(near), std::move(far)};
  }
  // Everything, once nobody writes any more.
  std::string all() {
    near.reset();
    std::string text;
    char bytes[4096];
    for (ssize_t n; (n = ::read(far.get(), bytes, sizeof bytes)) > 0;)  // a terminal's end is EIO
      text.append(bytes, static_cast<std::size_t>(n));
    return text;
  }
};

struct Went {
  std::string out, err;
  int error = 0;
};

// What comes out of what `act` writes, and of finish().
template <class Act>
Went went(Outlet::Kind kind, Far out, Far err, Act act) {
  Went result;
  {
    const Redirected here(out.near.get(), err.near.get());
    Outlet outlet(kind);
    act(outlet);
    outlet.finish();
    result.error = outlet.error();
  }
  result.out = out.all();
  result.err = err.all();
  return result;
}

constexpr auto kStreams = Outlet::Kind::Streams;
constexpr auto kScreen = Outlet::Kind::Screen;
// Of a hostile program, with an unfinished character at its end.
const std::string kAny = "\x1b]52;c;aGVsbG8=\x07 a\rb\0 \xff\xc3"s;

// A pipe that holds a page. Not more than that is written before something is read.
Far narrow_pipe() {
  Far pipe = Far::pipe();
  REQUIRE(::fcntl(pipe.near.get(), F_SETPIPE_SZ, 4096) == 4096);
  return pipe;
}

std::string numbered(std::size_t bytes) {
  std::string text;
  for (int i = 0; text.size() < bytes; ++i) text += std::to_string(i) + "\n";
  return text;
}

struct Written {
  bool all = false, more = false;
  int error = 0;
};

// A large text, written while `read` reads the far end, and another one behind it.
template <class Read>
Written written_while(Far& out, const std::string& text, Read read) {
  Written written;
  std::thread reader([&] { read(out.far); });
  {
    const Redirected here(out.near.get(), out.near.get());
    out.near.reset();
    Outlet outlet(kStreams);
    written.all = outlet.write(false, text);
    written.more = outlet.write(true, "more");
    outlet.finish();
    written.error = outlet.error();
  }
  reader.join();
  return written;
}

}  // namespace

TEST_CASE("into pipes every byte goes as it is, at once, and each stream to its own") {
  REQUIRE(kPipesReport);
  const Went all = went(kStreams, Far::pipe(), Far::pipe(), [](Outlet& outlet) {
    outlet.write(false, kAny);
    outlet.write(true, "error\r");
    outlet.write(false, kAny);
  });
  CHECK(all.out == kAny + kAny);
  CHECK(all.err == "error\r");
  CHECK(all.error == 0);
}

TEST_CASE("at a terminal control characters are shown, and into a pipe beside it they go as they are") {
  const auto both = [](Outlet& outlet) {
    for (const bool is_stderr : {false, true}) outlet.write(is_stderr, "\x1b[31m\a\n");
  };
  const Went out = went(kStreams, Far::terminal(), Far::pipe(), both);
  CHECK(out.out == "\\x1b[31m\\x07\n");
  CHECK(out.err == "\x1b[31m\a\n");
  const Went err = went(kStreams, Far::pipe(), Far::terminal(), both);
  CHECK(err.out == out.err);
  CHECK(err.err == out.out);
}

TEST_CASE("at a terminal a character or a line's end in two pieces is one, in each stream for itself") {
  const Went all = went(kStreams, Far::terminal(), Far::terminal(), [](Outlet& outlet) {
    outlet.write(false, "caf\xc3");
    outlet.write(true, "\xe2\x82");
    outlet.write(false, "\xa9 one\r");
    outlet.write(true, "\xac one\r");
    outlet.write(false, "\ntwo\r");
    outlet.write(true, "two");
  });
  CHECK(all.out == "caf\xc3\xa9 one\ntwo\n");
  CHECK(all.err == "\xe2\x82\xac one\ntwo");
}

TEST_CASE("at a terminal finish() shows what never became whole") {
  const Went all =
      went(kStreams, Far::terminal(), Far::terminal(), [](Outlet& outlet) { outlet.write(false, "a\xc3"); });
  CHECK(all.out == "a\\xc3");
  CHECK(all.err.empty());
}

TEST_CASE("a screen gets both streams, what changes the screen alone, and its modes again at the end") {
  const Went all = went(kScreen, Far::terminal(), Far::pipe(), [](Outlet& outlet) {
    outlet.write(false, "\x1b[?1049h\x1b]0;title\a");
    outlet.write(true, "\x1b[31mred");
    outlet.write(false, "\x1b[");  // never whole
  });
  ScreenFilter filter;
  const std::string passed = filter.feed("\x1b[?1049h\x1b[31mred");
  CHECK(passed == "\x1b[?1049h\x1b[31mred");
  CHECK_FALSE(filter.restore().empty());
  CHECK(all.out == passed + filter.restore());
  CHECK(all.err.empty());
}

TEST_CASE("a slow reader gets everything in its order, of a pipe that does not block, too") {
  for (const int flags : {0, O_NONBLOCK}) {
    CAPTURE(flags);
    Far out = narrow_pipe();
    REQUIRE(::fcntl(out.near.get(), F_SETFL, O_WRONLY | flags) == 0);
    const std::string text = numbered(300'000);
    std::string came;
    const Written written = written_while(out, text, [&](const Fd& far) {
      char bytes[100];
      for (ssize_t n; (n = ::read(far.get(), bytes, sizeof bytes)) > 0;)
        came.append(bytes, static_cast<std::size_t>(n));
    });
    CHECK(written.all);
    CHECK(written.more);
    CHECK(written.error == 0);
    CHECK(came == text + "more");
  }
}

TEST_CASE("a reader that leaves ends the writing, of what it waited for and of all that follows: EPIPE") {
  Far out = narrow_pipe();
  const Written written = written_while(out, numbered(300'000), [](Fd& far) {
    char byte = 0;
    (void)!::read(far.get(), &byte, 1);
    far.reset();
  });
  CHECK_FALSE(written.all);
  CHECK_FALSE(written.more);
  CHECK(written.error == EPIPE);
}

TEST_CASE("once one stream cannot be written, nothing is, not to the other one either; and error() says why") {
  for (const auto kind : {kStreams, kScreen}) {
    CAPTURE(kind == kStreams);
    Far full{Fd(::open("/dev/full", O_WRONLY | O_CLOEXEC)), Fd()}, gone = Far::pipe();
    gone.far.reset();
    for (Far* end : {&full, &gone}) {
      REQUIRE(end->near);
      bool before = true, after = true;
      const int expected = end == &full ? ENOSPC : EPIPE;
      const Went all = went(kind, std::move(*end), Far::pipe(), [&](Outlet& outlet) {
        before = outlet.write(false, "lost");
        after = outlet.write(true, "more");
      });
      CHECK_FALSE(before);
      CHECK_FALSE(after);
      CHECK(all.error == expected);
      CHECK(all.err.empty());
    }
  }
}
