// Answers whose readers are slow, or do not read at all.
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

// The far end of an answer of one line, behind its status when that promises that the reader may stall.
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
    reply.line(std::string(bytes - 3, 'x'));  // in quotes, with a line feed
    flusher.add(std::move(reply));
  }
  // The flusher has closed its end, though not all was read.
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

TEST_CASE("an answer that is read late comes whole") {
  Flusher flusher;
  std::vector<Reader> readers;
  readers.reserve(20);
  for (int i = 0; i < 20; ++i) readers.emplace_back(flusher, 4 * kMiB);
  for (Reader& reader : readers) CHECK(reader.reads_whole());
}

TEST_CASE("answers that nobody reads stay within the budget: the oldest are given up, and the newest come whole") {
  Flusher flusher({8 * kMiB, 30'000'000, 64 << 10});
  std::vector<Reader> readers;
  readers.reserve(100);
  for (int i = 0; i < 100; ++i) readers.emplace_back(flusher, kMiB);  // would hang here if it ever waited for a reader
  for (int i = 0; i < 92; ++i) CHECK(readers[static_cast<std::size_t>(i)].given_up(5'000));
  CHECK(count_given_up(readers) == 92);
  for (std::size_t i = 92; i < 100; ++i) CHECK(readers[i].reads_whole());
}

TEST_CASE("when memory is short, whoever reads keeps his answer, though he came first") {
  Flusher flusher({3 * kMiB, 30'000'000, 64 << 10});
  Reader busy(flusher, kMiB);
  busy.read(512 << 10);  // earns 8 s, less what the socket held
  Reader idle(flusher, kMiB), other(flusher, kMiB);
  CHECK_FALSE(idle.given_up());
  const Reader last(flusher, kMiB);
  CHECK(idle.given_up(5'000));
  CHECK_FALSE(busy.given_up());
  CHECK(other.reads_whole());
  CHECK(busy.reads_whole());
}

TEST_CASE("one answer that is larger than the budget is alone, and comes whole") {
  Flusher flusher({kMiB, 30'000'000, 64 << 10});
  const Reader before(flusher, kMiB);
  Reader large(flusher, 16 * kMiB);
  CHECK(before.given_up(5'000));
  CHECK(large.reads_whole());
}

TEST_CASE("a reader that takes nothing loses its answer when its patience ends, one that takes some does not") {
  Flusher flusher({64 * kMiB, 300'000, 64 << 10});
  Reader reading(flusher, 8 * kMiB);
  reading.read(4 * kMiB);  // earns about a minute
  const std::int64_t began = base::monotonic_us();
  const Reader idle(flusher, 8 * kMiB);
  CHECK(idle.given_up(10'000));
  CHECK(base::monotonic_us() - began >= 290'000);
  CHECK_FALSE(reading.given_up());
  CHECK(reading.reads_whole());
}

TEST_CASE("a reader that may stall keeps a rest of 4 MiB for as long as it was told, and a larger one as any other") {
  Flusher flusher({64 * kMiB, 300'000, 64 << 10});
  Reader most(flusher, 4 * kMiB, kHourMs);
  const std::int64_t began = base::monotonic_us();
  // Each comes later than `most`, so its patience ends later, too.
  const Reader larger(flusher, 4 * kMiB + 1, kHourMs), usual(flusher, 4 * kMiB), less(flusher, 4 * kMiB, 1);
  CHECK(less.given_up(10'000));
  CHECK(base::monotonic_us() - began >= 290'000);  // told less than others have, it has as much as they
  for (const Reader* each : {&larger, &usual}) CHECK(each->given_up(10'000));
  CHECK_FALSE(most.given_up());
  CHECK(most.reads_whole());
}

TEST_CASE("when memory is short, a reader that may stall loses its answer as any other: the first one goes") {
  Flusher flusher({3 * kMiB, 30'000'000, 64 << 10});
  const Reader stalled(flusher, kMiB, kHourMs);
  Reader second(flusher, kMiB), third(flusher, kMiB);
  CHECK_FALSE(stalled.given_up());
  Reader last(flusher, kMiB);
  CHECK(stalled.given_up(5'000));
  for (Reader* each : {&second, &third, &last}) CHECK(each->reads_whole());
}

TEST_CASE("readers that leave cost nothing, and the end waits for those that are there") {
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
