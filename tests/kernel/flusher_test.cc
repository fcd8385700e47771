// Answers whose clients read slowly, or do not read.
#include "server/engine/flusher.h"

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <thread>

#include "schemas/core/json.h"
#include "server/base/channel.h"
#include "server/base/io.h"

namespace band::run {
namespace {

constexpr std::size_t kMiB = 1 << 20;
constexpr std::int64_t kHourMs = 3'600'000;

// The reader of an answer of one line. A status line that allows the reader to stall may precede it.
class Reader {
 public:
  Reader(Flusher& flusher, std::size_t bytes, std::int64_t stall_ms = 0) : size_(bytes) {
    auto ends = base::stream_pair();
    REQUIRE(ends.ok());
    socket_ = std::move(ends->second);
    ReplyWriter reply(std::move(ends->first));
    if (stall_ms > 0) {
      reply.status(200, stall_ms);
      char byte = 0;
      while (byte != '\n') REQUIRE(::recv(socket_.get(), &byte, 1, 0) == 1);
    }
    reply.line(std::string(bytes - 3, 'x'));  // with quotes and a line feed
    flusher.add(std::move(reply));
  }
  // True when the flusher has closed its end before everything was read.
  bool given_up(int ms = 0) const {
    pollfd one{socket_.get(), POLLRDHUP, 0};
    return ::poll(&one, 1, ms) > 0 && (one.revents & (POLLRDHUP | POLLHUP)) != 0;
  }
  void read(std::size_t bytes) {
    std::string into(bytes, '\0');
    const ssize_t n = ::recv(socket_.get(), into.data(), bytes, MSG_WAITALL);
    REQUIRE(n == static_cast<ssize_t>(bytes));
    have_ += bytes;
  }
  bool reads_whole() {
    const auto rest = base::read_all(socket_.get(), size_);
    return rest.ok() && have_ + rest->size() == size_;
  }
  void close() { socket_.reset(); }

 private:
  base::Fd socket_;
  std::size_t size_, have_ = 0;
};

int count_given_up(const std::vector<Reader>& readers) {
  return static_cast<int>(std::count_if(readers.begin(), readers.end(), [](const Reader& r) { return r.given_up(); }));
}

}  // namespace

TEST_CASE("an answer that is read late arrives completely") {
  Flusher flusher;
  std::vector<Reader> readers;
  readers.reserve(20);
  for (int i = 0; i < 20; ++i) readers.emplace_back(flusher, 4 * kMiB);
  for (Reader& reader : readers) CHECK(reader.reads_whole());
}

TEST_CASE(
    "unread answers use at most the memory budget: the oldest answers are dropped, and the newest arrive completely") {
  Flusher flusher({8 * kMiB, 30'000'000, 64 << 10});
  std::vector<Reader> readers;
  readers.reserve(100);
  for (int i = 0; i < 100; ++i) readers.emplace_back(flusher, kMiB);  // would hang here if it ever waited for a reader
  for (int i = 0; i < 92; ++i) CHECK(readers[static_cast<std::size_t>(i)].given_up(5'000));
  CHECK(count_given_up(readers) == 92);
  for (std::size_t i = 92; i < 100; ++i) CHECK(readers[i].reads_whole());
}

TEST_CASE("when the memory budget is exceeded, the answer of a client that reads is kept, even if it is the oldest") {
  Flusher flusher({3 * kMiB, 30'000'000, 64 << 10});
  Reader busy(flusher, kMiB);
  busy.read(512 << 10);  // moves the deadline by 8 s, less what the socket's buffer held
  Reader idle(flusher, kMiB), other(flusher, kMiB);
  CHECK_FALSE(idle.given_up());
  const Reader last(flusher, kMiB);
  CHECK(idle.given_up(5'000));
  CHECK_FALSE(busy.given_up());
  CHECK(other.reads_whole());
  CHECK(busy.reads_whole());
}

TEST_CASE("a single answer that is larger than the budget arrives completely") {
  Flusher flusher({kMiB, 30'000'000, 64 << 10});
  const Reader before(flusher, kMiB);
  Reader large(flusher, 16 * kMiB);
  CHECK(before.given_up(5'000));
  CHECK(large.reads_whole());
}

TEST_CASE("an answer is dropped at its deadline if the client reads nothing, and kept if the client reads a part") {
  Flusher flusher({64 * kMiB, 300'000, 64 << 10});
  Reader reading(flusher, 8 * kMiB);
  reading.read(4 * kMiB);  // moves the deadline by about one minute
  const std::int64_t began = base::monotonic_us();
  const Reader idle(flusher, 8 * kMiB);
  CHECK(idle.given_up(10'000));
  CHECK(base::monotonic_us() - began >= 290'000);
  CHECK_FALSE(reading.given_up());
  CHECK(reading.reads_whole());
}

TEST_CASE(
    "for a client that may pause, up to 4 MiB of an answer are kept for the promised time, and a larger rest for the "
    "usual time") {
  Flusher flusher({64 * kMiB, 300'000, 64 << 10});
  Reader most(flusher, 4 * kMiB, kHourMs);
  const std::int64_t began = base::monotonic_us();
  // Each begins after `most`, so its deadline is later, too.
  const Reader larger(flusher, 4 * kMiB + 1, kHourMs), usual(flusher, 4 * kMiB), less(flusher, 4 * kMiB, 1);
  CHECK(less.given_up(10'000));
  CHECK(base::monotonic_us() - began >= 290'000);  // a promise below the usual time has no effect
  for (const Reader* each : {&larger, &usual}) CHECK(each->given_up(10'000));
  CHECK_FALSE(most.given_up());
  CHECK(most.reads_whole());
}

TEST_CASE("when the memory budget is exceeded, the oldest answer is dropped, even if its client may pause") {
  Flusher flusher({3 * kMiB, 30'000'000, 64 << 10});
  const Reader stalled(flusher, kMiB, kHourMs);
  Reader second(flusher, kMiB), third(flusher, kMiB);
  CHECK_FALSE(stalled.given_up());
  Reader last(flusher, kMiB);
  CHECK(stalled.given_up(5'000));
  for (Reader* each : {&second, &third, &last}) CHECK(each->reads_whole());
}

TEST_CASE("no memory is kept for clients that disconnect, and the destructor waits for the other clients") {
  std::vector<Reader> readers;
  std::thread late;
  {
    Flusher flusher;
    for (int i = 0; i < 10; ++i) readers.emplace_back(flusher, kMiB);
    for (std::size_t i = 1; i < 10; ++i) readers[i].close();
    late = std::thread([&] { CHECK(readers[0].reads_whole()); });
  }
  late.join();
}

}  // namespace band::run
