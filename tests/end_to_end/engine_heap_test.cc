// The memory of the engine for large requests: while they run, and afterwards.
#include <atomic>
#include <functional>
#include <thread>

#include "tests/end_to_end/raw_request.h"

using namespace band::test;

namespace {

constexpr std::size_t kMiB = 1 << 20, kLarge = 60 * kMiB;
constexpr long kAtRest = 64 << 10, kIdle = 16 << 10;  // KiB

const std::string kRules =
    R"({"read":{"opened":[[{"pattern":"./**","origin":"x"}]]},"limit":{"maxInputBytes":83886080,"maxDiskBytes":134217728}})";

std::string with_file(const std::string& source = "echo '{}' > $OUTPUT_PATH") {
  return request({{"rules", kRules},
                  {"source", "\"" + source + "\""},
                  {"files", R"([{"path":"f","mode":"0644","content":")" + std::string(kLarge, 'A') + "\"}]"}});
}
std::string with_input(const std::string& source = "echo '{}' > $OUTPUT_PATH") {
  return request(
      {{"rules", kRules}, {"source", "\"" + source + "\""}, {"input", "\"" + std::string(kLarge, 'x') + "\""}});
}
std::string with_small_values() {
  std::string list = R"([{"id":0,"name":"a name","of":[1.5,true,null]})";
  while (list.size() < 8 * kMiB) list += R"(,{"id":1234567,"name":"another name","of":[1.5,true,null]})";
  return request({{"rules", kRules}, {"input", list + "]"}});
}

long heap_kib() { return field_of_status(shared_server().pid(), "RssAnon"); }
long resident_kib() { return field_of_status(shared_server().pid(), "VmRSS"); }

// Returns the largest heap that was seen while `act` ran, in addition to the heap before, in bytes. On a busy machine,
// short peaks may not be seen; wire_request_memory_test counts all memory for reading a request.
double peak_of(const std::function<void()>& act) {
  const long before = heap_kib();
  std::atomic<bool> ended = false;
  std::atomic<long> most = before;
  std::thread sampler([&] {
    while (!ended) most = std::max(most.load(), heap_kib());
  });
  act();
  ended = true;
  sampler.join();
  return 1024.0 * static_cast<double>(most - before);
}

}  // namespace

TEST_CASE("the heap for a large request is at most as large as the request") {
  ask(with_file());  // the first execution of the server also allocates for all later ones
  for (const std::string& body : {with_file(), with_input(), with_small_values()}) {
    CAPTURE(body.substr(0, 200));
    REQUIRE(within(15'000, [] { return heap_kib() <= kIdle; }));
    double peak = 0;
    // The control: the content, or the text of the input, is seen. On a busy machine one sample can be too late.
    const bool seen = within(60'000, [&] {
      REQUIRE(within(15'000, [] { return heap_kib() <= kIdle; }));
      std::string answer;
      peak = std::max(peak, peak_of([&] { answer = ask(body); }));
      CHECK_HAS(answer, R"("data":{})");
      return peak > static_cast<double>(body.size()) / 2;
    });
    CAPTURE(peak / static_cast<double>(body.size()));
    CHECK(seen);
    CHECK(peak <= static_cast<double>(body.size() + 2 * kMiB));
  }
}

TEST_CASE("ten seconds after large requests at the same time, the engine has at most 64 MiB") {
  const std::string source = "sleep 271 || true; echo '{}' > $OUTPUT_PATH";
  const std::string bodies[] = {with_file(source), with_input(source)};
  std::vector<Socket> sockets(4);
  std::vector<std::thread> callers;
  for (std::size_t i = 0; i < sockets.size(); ++i)
    callers.emplace_back([&, i] { sockets[i].send(head(bodies[i % 2].size()) + bodies[i % 2]); });
  for (std::thread& caller : callers) caller.join();
  CHECK(shared_server().held(4));
  CHECK(heap_kib() > static_cast<long>(kLarge / 1024));  // the control: two of them keep the content of their file
  shared_server().let_go();
  for (const Socket& socket : sockets) CHECK_HAS(socket.receive(), R"("data":{})");
  CHECK(within(10'000, [] { return resident_kib() <= kAtRest; }));
}
