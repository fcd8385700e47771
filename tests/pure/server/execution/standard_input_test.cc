// A script's standard input, especially its end. The test plays band-http and the script; a pipe replaces the terminal.
#include "server/execution/standard_input.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "server/base/channel.h"
#include "server/base/io.h"

using namespace band;
using namespace band::run;
using Kind = StandardInput::Kind;

namespace {

const std::string kEnd = http::input_frame("");

class Played {
 public:
  explicit Played(Kind kind) {
    REQUIRE(door_.open().ok());
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
    script_.reset(ends[0]);
    input_.emplace(door_, base::Fd(ends[1]), kind);
    auto connection = base::stream_pair();
    REQUIRE(connection.ok());
    REQUIRE(door_.put(connection->first) == InputDoor::Put::Taken);
    http_ = std::move(connection->second);
    REQUIRE(take_all().ok());
  }

  // Sends these bytes as band-http, and returns the result of processing them.
  Status sends(std::string_view bytes) {
    REQUIRE(base::write_all(http_.get(), bytes).ok());
    return take_all();
  }
  Status breaks_off() {
    http_.reset();
    return take_all();
  }
  // Returns the bytes that the script has read so far.
  const std::string& read() {
    char bytes[4096];
    for (ssize_t n; (n = ::read(script_.get(), bytes, sizeof bytes)) >= 0;) {
      ended_ = n == 0;
      if (ended_) break;
      read_.append(bytes, static_cast<std::size_t>(n));
    }
    return read_;
  }
  bool at_end() { return read(), ended_; }
  // Returns the whole answer to band-http.
  std::string answer() const { return base::read_all(http_.get(), 4096).value(); }

 private:
  // Processes the input like the execution's loop.
  Status take_all() {
    for (;;) {
      pollfd one{input_->incoming(), POLLIN, 0};
      if (::poll(&one, 1, 0) == 0) return done();
      BAND_CHECK(input_->on_incoming());
    }
  }

  InputDoor door_;
  std::optional<StandardInput> input_;
  base::Fd script_, http_;
  std::string read_;
  bool ended_ = false;
};

bool is(const Status& status, Code code) { return !status.ok() && status.error().code == code; }

constexpr char kEndOfFile = '\x04';  // ctrl-D

}  // namespace

TEST_CASE("the end of the input is EOF on a pipe, and ctrl-D on a terminal") {
  Played pipe(Kind::Pipe), terminal(Kind::Terminal);
  REQUIRE(pipe.sends(http::input_frame("k") + kEnd).ok());
  CHECK(pipe.read() == "k");
  CHECK(pipe.at_end());
  REQUIRE(terminal.sends(http::input_frame(keys_frames("ls\r"))).ok());
  CHECK(terminal.read() == "ls\r");
  CHECK_FALSE(terminal.at_end());
  REQUIRE(terminal.sends(kEnd).ok());
  CHECK(terminal.read() == std::string("ls\r") + kEndOfFile);
  for (const Played* each : {&pipe, &terminal}) CHECK(each->answer().starts_with("{\"status\":200}\n"));
}

TEST_CASE("a terminal's input that ends in the middle of a frame is malformed, and the script receives no ctrl-D") {
  for (const std::string& frame : {keys_frames("ls\r"), size_frame({80, 24})})
    for (std::size_t cut = 1; cut < frame.size(); ++cut) {
      const std::string begun = frame.substr(0, cut);
      CAPTURE(frame[0]);
      CAPTURE(cut);
      Played at_once(Kind::Terminal), later(Kind::Terminal);
      CHECK(is(at_once.sends(http::input_frame(begun) + kEnd), Code::BadRequest));
      REQUIRE(later.sends(http::input_frame(begun)).ok());
      CHECK(is(later.sends(kEnd), Code::BadRequest));
      for (Played* each : {&at_once, &later}) {
        CHECK(each->read().find(kEndOfFile) == std::string::npos);
        CHECK_FALSE(each->at_end());
        const std::string answer = each->answer();
        CHECK(answer.starts_with("{\"status\":400,"));
        CHECK(answer.find("incomplete frame") != std::string::npos);
      }
    }
}

TEST_CASE("a malformed terminal's input is answered with 400 and the reason; a malformed frame of band-http with 500") {
  struct Row {
    const char* answer;
    Kind kind;
    std::string sent;
    const char* why;
  };
  for (const Row& row : std::initializer_list<Row>{
           {"{\"status\":400,", Kind::Terminal, http::input_frame("ls\r"), "bytes that are not a frame"},
           {"{\"status\":400,", Kind::Terminal, http::input_frame(std::string("s\0\0\0\1", 5)),
            "a size of 0 characters"},
           {"{\"status\":400,", Kind::Terminal, http::input_frame(std::string("k\0\0", 3)), "a frame without keys"},
           {"{\"status\":500,", Kind::Pipe, "\xff\xff\xff\xff", ""}}) {
    CAPTURE(row.why);
    Played played(row.kind);
    CHECK_FALSE(played.sends(row.sent).ok());
    const std::string answer = played.answer();
    CAPTURE(answer);
    CHECK(answer.starts_with(row.answer));
    CHECK(answer.find(row.why) != std::string::npos);
  }
}

TEST_CASE("an input whose connection closes early cancels the run, and the script does not read EOF") {
  for (const Kind kind : {Kind::Pipe, Kind::Terminal}) {
    CAPTURE(kind == Kind::Pipe);
    Played played(kind);
    REQUIRE(played.sends(http::input_frame(keys_frames("ls\r"))).ok());
    CHECK(is(played.breaks_off(), Code::Cancelled));
    CHECK(played.read() == (kind == Kind::Pipe ? keys_frames("ls\r") : "ls\r"));
    CHECK_FALSE(played.at_end());
  }
}
