#include "server/http/log.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "schemas/core/json.h"
#include "server/base/io.h"

namespace band::http {
namespace {

std::string timestamp() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  tm parts{};
  ::gmtime_r(&now.tv_sec, &parts);
  char text[64];
  const std::size_t n = ::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  const std::string ms = std::to_string(1000 + now.tv_nsec / 1'000'000);
  return std::string(text, n) + "." + ms.substr(1) + "Z";
}

// One write(2), so that the lines of several threads do not mix.
void put(const Json& line) { (void)base::write_all(STDERR_FILENO, dump_json(line) + "\n"); }

}  // namespace

std::string printable(std::string_view text, std::size_t limit) {
  constexpr std::string_view digits = "0123456789abcdef";
  constexpr std::string_view token = "band_";
  std::string result;
  for (std::size_t i = 0; i < text.size() && result.size() < limit; ++i) {
    if (text.substr(i, token.size()) == token) return result + "[token]";
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c < 0x7f) {
      result += text[i];
    } else {
      result.append("\\x").append(1, digits[c >> 4]).append(1, digits[c & 15]);
    }
  }
  return result;
}

bool AccessLog::may_write(const std::string& token) {
  const std::lock_guard lock(mutex_);
  const auto quota = quotas_.try_emplace(token, token.empty() ? kUnauthenticatedLines : kTokensLines).first;
  if (quota->second.spend(base::monotonic_us())) return true;
  left_out_.notify_one();
  return false;
}

void AccessLog::write_counts() {
  const std::int64_t now = base::monotonic_us();
  for (auto quota = quotas_.begin(); quota != quotas_.end();) {
    if (const std::uint64_t count = quota->second.left_out(now); count > 0) {
      const std::string whose = quota->first.empty() ? "without a valid token" : "with the token " + quota->first;
      write_note(std::to_string(count) + " more requests " + whose + " were not logged: too many per second");
    }
    quota = quota->second.idle(now) ? quotas_.erase(quota) : std::next(quota);  // removed tokens must not occupy memory
  }
}

void AccessLog::count_for_ever() {
  std::unique_lock lock(mutex_);
  const auto pending = [&] {
    return std::any_of(quotas_.begin(), quotas_.end(), [](const auto& quota) { return quota.second.pending(); });
  };
  for (;;) {
    left_out_.wait(lock, pending);
    lock.unlock();
    std::this_thread::sleep_for(std::chrono::milliseconds(1050));
    lock.lock();
    write_counts();
  }
}

void AccessLog::note(std::string_view note) {
  if (may_write("")) write_note(note);
}

void AccessLog::request(const LogLine& line) {
  if (!may_write(line.token)) return;
  Json json{{"time", timestamp()},
            {"peer", line.peer},
            {"method", printable(line.method, 16)},
            {"path", printable(line.path, 100)},
            {"status", line.status},
            {"token", printable(line.token, 64)},
            {"ms", static_cast<double>(line.us) / 1000},
            {"in", line.in},
            {"out", line.out}};
  if (!line.note.empty()) json["note"] = printable(line.note, 200);
  put(json);
}

void write_note(std::string_view note) { put(Json{{"time", timestamp()}, {"note", printable(note, 500)}}); }

}  // namespace band::http
