// The access log: one JSON line per request on stderr, without tokens, queries and bodies.
//
// All requests without a valid token together get 10 lines a second, those of each token 50. Further requests are
// counted, and one second later a line reports their number. So no client can fill the disk, and unauthenticated
// clients cannot use up a token's lines.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "server/base/line_quota.h"

namespace band::http {

struct LogLine {
  std::string peer, method, path, token;  // token: the caller's name
  int status = 0;                         // 0: the connection ended without an answer
  std::string note;                       // "client gone", ...
  std::uint64_t in = 0, out = 0;          // bytes on the connection
  std::int64_t us = 0;
};

inline constexpr int kStrangersLines = 10;  // a second, for all unauthenticated requests
inline constexpr int kTokensLines = 50;     // a second, for each token

class AccessLog {
 public:
  void request(const LogLine& line);
  // Writes an event that unauthenticated clients can cause; it counts as one of their lines.
  void note(std::string_view note);
  // Writes the counts of omitted lines. Never returns; call it in a thread of its own.
  void count_for_ever();

 private:
  bool may_write(const std::string& token);  // "": unauthenticated
  void write_counts();

  std::mutex mutex_;
  std::condition_variable left_out_;
  std::map<std::string, base::LineQuota> quotas_;
};

// Writes an event other than a request: {"time":...,"note":...}.
void write_note(std::string_view note);

// Returns printable ASCII unchanged, other bytes as \xNN, and [token] for what looks like a token (the rest is cut); at
// most about `limit` bytes.
std::string printable(std::string_view text, std::size_t limit);

}  // namespace band::http
