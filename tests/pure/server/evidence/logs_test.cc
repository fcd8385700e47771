#include "server/evidence/logs.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "schemas/core/json.h"
#include "schemas/core/utf8.h"
#include "server/base/channel.h"
#include "server/base/io.h"
#include "server/base/undo.h"

using namespace band;
using namespace band::run;

namespace {

struct Pipe {
  base::Fd read, write;
};

Pipe pipe_of(int bytes) {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
  if (bytes > 0) REQUIRE(::fcntl(ends[1], F_SETPIPE_SZ, bytes) >= bytes);
  return {base::Fd(ends[0]), base::Fd(ends[1])};
}

// Returns the text of the events that the client received.
std::string sent_text(ReplyWriter& reply, const base::Fd& reader) {
  reply.finish(1'000);
  std::string text;
  const std::string lines = base::read_all(reader.get(), 64 << 20).value();
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = lines.find('\n', at);
    const auto line = parse_json(lines.substr(at, end - at), "line");
    REQUIRE(line.ok());
    CHECK((*line)["event"] == "stderr");
    text += (*line)["data"].get<std::string>();
    at = end + 1;
  }
  return text;
}

struct Replies {
  Result<std::pair<base::Fd, base::Fd>> ends = base::stream_pair();
  ReplyWriter reply{std::move(ends->first)};
  base::Fd reader{std::move(ends->second)};
};

}  // namespace

TEST_CASE("the log is kept and sent, and a secret in it is masked in whatever pieces it is written") {
  const Mask mask({"correct horse"});
  Replies to;
  Pipe pipe = pipe_of(0);
  Log log("stderr", std::move(pipe.read), mask);
  for (const char c : std::string("say correct horse twice: correct horse.\n")) {
    REQUIRE(base::write_all(pipe.write.get(), std::string(1, c)).ok());
    log.read_some(to.reply);
  }
  CHECK(log.open());
  log.drain(to.reply);
  CHECK(!log.open());
  CHECK(log.kept() == "say [masked] twice: [masked].\n");
  CHECK(log.cut() == 0);
  CHECK(sent_text(to.reply, to.reader) == log.kept());
}

TEST_CASE("a log that is too long keeps its beginning and end, with the number of missing bytes between them") {
  const Mask mask;
  Replies to;
  Pipe pipe = pipe_of(0);
  Log log("stderr", std::move(pipe.read), mask);
  REQUIRE(base::write_all(pipe.write.get(), "the first word").ok());
  const std::string piece(50'000, 'x');
  for (int i = 0; i < 30; ++i) {
    REQUIRE(base::write_all(pipe.write.get(), piece).ok());
    log.read_some(to.reply);
  }
  REQUIRE(base::write_all(pipe.write.get(), "the last word").ok());
  log.drain(to.reply);
  const std::string missing = "\n[" + std::to_string(log.cut()) + " bytes are missing here]\n";
  CHECK(log.cut() == 1'500'027 - kKeptLogBytes);
  CHECK(log.kept().size() == kKeptLogBytes + missing.size());
  CHECK(log.kept().starts_with("the first wordxxx"));
  CHECK(log.kept().ends_with("xxxthe last word"));
  CHECK(log.kept().substr(kKeptLogBytes - kKeptEndBytes, missing.size()) == missing);
}

TEST_CASE("a log of exactly the kept size is complete, and characters are not split") {
  const Mask mask;
  struct Row {
    std::size_t before, behind;  // bytes before and after two-byte characters that fill the kept size
    std::uint64_t cut;
  };
  const Row rows[] = {
      {0, 0, 0}, {0, 1, 2}, {1, 1, 4}};  // {1, 1}: drops one character before the gap and one after the gap
  for (const auto& [before, behind, cut] : rows) {
    CAPTURE(before);
    CAPTURE(behind);
    Replies to;
    Pipe pipe = pipe_of(0);
    Log log("stderr", std::move(pipe.read), mask);
    std::string text(before, '.');
    while (text.size() < kKeptLogBytes) text += "\u00e9\u00e8\u00ea\u00eb";
    text += std::string(behind, '.');
    for (std::size_t at = 0; at < text.size(); at += 50'000) {
      REQUIRE(base::write_all(pipe.write.get(), text.substr(at, 50'000)).ok());
      log.read_some(to.reply);
    }
    log.drain(to.reply);
    CHECK(log.cut() == cut);
    CHECK(is_valid_utf8(log.kept()));
    if (cut == 0) CHECK(log.kept() == text);
  }
}

TEST_CASE("one call reads a bounded number of bytes of a flood") {
  const Mask mask;
  Replies to;
  Pipe pipe = pipe_of(1 << 20);
  Log log("stderr", std::move(pipe.read), mask);
  // Fills the pipe as fast as it is read.
  std::atomic<bool> over = false;
  std::thread flood([&] {
    const std::string piece(65'536, 'x');
    while (!over) (void)!::write(pipe.write.get(), piece.data(), piece.size());
  });
  const base::Undo end([&] {
    over = true;
    flood.join();
  });
  log.read_some(to.reply);
  CHECK(log.kept().size() + log.cut() <= 16 * 65'536);
  CHECK(log.open());
}

TEST_CASE("bytes in the pipe are not lost when all writers are dead") {
  const Mask mask({"correct horse"});
  Replies to;
  Pipe pipe = pipe_of(0);
  Log log("stderr", std::move(pipe.read), mask);
  REQUIRE(base::write_all(pipe.write.get(), "the end is correct").ok());
  pipe.write.reset();
  log.drain(to.reply);
  CHECK(log.kept() == "the end is correct");
}

namespace {

// Returns the bytes of the base64 events that can be read now.
std::string raw(const base::Fd& reader, std::string& unread) {
  char buffer[65536];
  for (ssize_t n = 0; (n = ::recv(reader.get(), buffer, sizeof buffer, MSG_DONTWAIT)) > 0;)
    unread.append(buffer, static_cast<std::size_t>(n));
  std::string bytes;
  for (std::size_t end = 0; (end = unread.find('\n')) != std::string::npos; unread.erase(0, end + 1)) {
    const auto line = parse_json(unread.substr(0, end), "line");
    REQUIRE(line.ok());
    bytes += base64_decode((*line)["base64"].get<std::string>()).value();
  }
  return bytes;
}

}  // namespace

TEST_CASE("sent whole: all bytes, beyond the cap, and no faster than the client reads") {
  const Mask mask({"correct horse"});
  Replies to;
  Pipe pipe = pipe_of(1 << 20);
  Log log("stderr", std::move(pipe.read), mask, Log::Sent::Whole);
  std::string written, got, unread;
  const std::size_t all = 8 << 20;
  std::size_t most_held = 0;
  bool waited = false;
  while (got.size() < all) {
    while (written.size() < all) {
      std::string piece(4096, '\0');
      for (std::size_t i = 0; i < piece.size(); ++i)
        piece[i] = static_cast<char>((written.size() + i) * 2654435761u >> 24);
      if (::write(pipe.write.get(), piece.data(), piece.size()) != 4096) break;
      written += piece;
    }
    for (int i = 0; i < 20; ++i) log.read_some(to.reply);
    most_held = std::max(most_held, to.reply.held());
    if (log.readable(to.reply) == -1) waited = true;
    got += raw(to.reader, unread);
    to.reply.write_some();
  }
  CHECK(got == written);
  CHECK(waited);
  CHECK(log.fd() >= 0);
  // The limit, and one more piece in base64.
  CHECK(most_held < kMostUnsentBytes + (65536 * 4 / 3 + 100));
}

TEST_CASE("sent whole: the rest is sent at the end, and a secret split over two writes is masked") {
  const Mask mask({"correct horse"});
  Replies to;
  Pipe pipe = pipe_of(0);
  Log log("stderr", std::move(pipe.read), mask, Log::Sent::Whole);
  std::string unread;
  REQUIRE(::write(pipe.write.get(), "\xff\x00 correct", 10) == 10);
  log.read_some(to.reply);
  CHECK(raw(to.reader, unread) == std::string("\xff\x00 ", 3));
  REQUIRE(::write(pipe.write.get(), " horse $ c", 10) == 10);
  log.read_some(to.reply);
  CHECK(raw(to.reader, unread) == "[masked] $ ");
  pipe.write.reset();
  log.drain(to.reply);
  CHECK(raw(to.reader, unread) == "c");
}
