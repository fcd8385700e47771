// The access log: one JSON line per request on stderr, without tokens, queries and bodies. serve.cc does not log
// successful proofs.
//
// At most kUnauthenticatedLines lines per second are written for all requests without a valid token together, and at
// most kTokensLines for the requests of each token. Requests beyond these limits are only counted; one second later a
// line reports their number. Therefore no client can flood the log, and unauthenticated clients cannot use up the lines
// of a token.
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
  std::string peer, method, path, token;  // token: the token's name
  int status = 0;                         // 0: the connection ended without an answer
  std::string note;                       // "client gone", ...
  std::uint64_t in = 0, out = 0;          // bytes received and sent during the request
  std::int64_t us = 0;                    // duration
};

inline constexpr int kUnauthenticatedLines = 10;  // lines per second, for all unauthenticated requests together
inline constexpr int kTokensLines = 50;           // lines per second, for each token

class AccessLog {
 public:
  // Writes a line, or counts the request when the limit is reached.
  void request(const LogLine& line);
  // Writes an event that unauthenticated clients can cause; the line counts towards kUnauthenticatedLines.
  void note(std::string_view note);
  // Writes the counts of omitted lines. Never returns; call it in a thread of its own.
  void count_for_ever();

 private:
  bool may_write(const std::string& token);  // "": requests without a valid token
  void write_counts();

  std::mutex mutex_;
  std::condition_variable left_out_;
  std::map<std::string, base::LineQuota> quotas_;
};

// Writes an event other than a request: {"time":...,"note":...}.
void write_note(std::string_view note);

// Returns `text` for the log, about `limit` bytes at most: printable ASCII unchanged, other bytes as \xNN. If `text`
// contains "band_", with which every token begins, the result has [token] at this position and ends there.
std::string printable(std::string_view text, std::size_t limit);

}  // namespace band::http
