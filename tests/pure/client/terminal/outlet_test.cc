// The output on this process's own stdout and stderr, which are pipes or pseudo-terminals here.
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

// Replaces descriptors 1 and 2 during its lifetime. doctest writes to 1, so a CHECK is not allowed in that time.
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

// The two ends of a stream's destination: `near` for the writer, `far` for the test.
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
    ::cfmakeraw(&modes);  // no translation of the written bytes
    REQUIRE(::tcsetattr(near.get(), TCSANOW, &modes) == 0);
    return {std::move(near), std::move(far)};
  }
  // Returns everything that was written, after all writers have closed.
  std::string all() {
    near.reset();
    std::string text;
    char bytes[4096];
    for (ssize_t n; (n = ::read(far.get(), bytes, sizeof bytes)) > 0;)  // EOF of a terminal is EIO
      text.append(bytes, static_cast<std::size_t>(n));
    return text;
  }
};

struct Went {
  std::string out, err;
  int error = 0;
};

// Returns the output of `act` and of finish().
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
// Output of a hostile program, with an incomplete character at its end.
const std::string kAny = "\x1b]52;c;aGVsbG8=\x07 a\rb\0 \xff\xc3"s;

// A pipe with a capacity of one page.
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

// Writes a large text and a second one, while `read` reads the far end.
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

TEST_CASE("pipes receive every byte unchanged and immediately, each stream its own") {
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

TEST_CASE("on a terminal control characters are escaped, while a pipe receives them unchanged") {
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

TEST_CASE("on a terminal a character or line end in two pieces is joined, separately for each stream") {
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

TEST_CASE("on a terminal finish() shows incomplete characters") {
  const Went all =
      went(kStreams, Far::terminal(), Far::terminal(), [](Outlet& outlet) { outlet.write(false, "a\xc3"); });
  CHECK(all.out == "a\\xc3");
  CHECK(all.err.empty());
}

TEST_CASE("a screen receives both streams, only sequences that change the screen, and its modes again at the end") {
  const Went all = went(kScreen, Far::terminal(), Far::pipe(), [](Outlet& outlet) {
    outlet.write(false, "\x1b[?1049h\x1b]0;title\a");
    outlet.write(true, "\x1b[31mred");
    outlet.write(false, "\x1b[");  // never completed
  });
  ScreenFilter filter;
  const std::string passed = filter.feed("\x1b[?1049h\x1b[31mred");
  CHECK(passed == "\x1b[?1049h\x1b[31mred");
  CHECK_FALSE(filter.restore().empty());
  CHECK(all.out == passed + filter.restore());
  CHECK(all.err.empty());
}

TEST_CASE("a slow reader receives everything in order, also from a non-blocking pipe") {
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

TEST_CASE("after a reader has closed, the pending and all later writes fail with EPIPE") {
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

TEST_CASE("after a write to one stream has failed, the other stream is not written either, and error() has the errno") {
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
