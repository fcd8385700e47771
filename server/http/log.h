// The access log: one JSON line a request on stderr, never a token, a query or a body.
//
// Requests without a valid token get 10 lines a second in all, those of each token 50. What is beyond is counted, and a
// second later one line has the count. So nobody fills the log, and strangers do not use up a token's lines.
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

inline constexpr int kStrangersLines = 10;  // a second
inline constexpr int kTokensLines = 50;     // a second, of one token

class AccessLog {
 public:
  void request(const LogLine& line);
  // A fact that strangers can bring about.
  void note(std::string_view note);
  // Writes the counts of what was left out; for a thread of its own, for ever.
  void count_for_ever();

 private:
  bool may_write(const std::string& token);  // "": of a stranger
  void write_counts();

  std::mutex mutex_;
  std::condition_variable left_out_;
  std::map<std::string, base::LineQuota> quotas_;
};

// For a fact that is not a request. Same form: {"time":...,"note":...}.
void write_note(std::string_view note);

// Printable ASCII as it is, everything else as \xNN, what looks like a token as [token]; at most `limit` bytes of it.
std::string printable(std::string_view text, std::size_t limit);

}  // namespace band::http
