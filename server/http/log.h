// The access log: one JSON line a request on stderr, never a token, a query or a body.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace band::http {

struct LogLine {
  std::string peer, method, path, token;  // token: the caller's name
  int status = 0;                         // 0: the connection ended without an answer
  std::string note;                       // "client gone", ...
  std::uint64_t in = 0, out = 0;          // bytes on the connection
  std::int64_t us = 0;
};

void write_log(const LogLine& line);
// For a fact that is not a request. Same form: {"time":...,"note":...}.
void write_note(std::string_view note);

// Printable ASCII as it is, everything else as \xNN, what looks like a token as [token]; at most `limit` bytes of it.
std::string printable(std::string_view text, std::size_t limit);

}  // namespace band::http
