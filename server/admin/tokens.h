// The callers' tokens on the server: a file with one line each, `name id sha256hex created`. The token itself is never
// stored. Every change replaces the file by rename(2); tokens_file.h is how a running server follows it.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"

namespace band::admin {

inline constexpr std::size_t kMaxTokens = 1000;                // http compares with every one of them
inline constexpr std::size_t kMaxTokensFileBytes = 256 << 10;  // kMaxTokens of the longest lines fit

struct Token {
  std::string name;     // [A-Za-z0-9][A-Za-z0-9._-]{0,63}
  std::string id;       // 8 hex digits, the middle of the token string
  std::string hash;     // 64 hex digits: SHA-256 of the token string
  std::string created;  // "2026-03-01T12:00:00Z"

  bool operator==(const Token&) const = default;
};

// All tokens of the file, none for an empty one. Errors: no such file; a link or no regular file; owned by somebody
// else than this process's user (the server runs as root); any permission for group or others; a line that is not as
// above (with its number); a name or id twice. Never a part of the file.
Result<std::vector<Token>> load_tokens(const std::string& file);
// The same in two steps. `file` is for messages; the descriptor is read from where it stands.
Result<base::Fd> open_tokens(const std::string& file);
Result<std::vector<Token>> load_tokens(int fd, const std::string& file);

// Makes a token, stores its hash, and returns the token string, which cannot be had a second time. Creates the file
// when there is none. Code::Usage for a bad or taken name.
Result<std::string> add_token(const std::string& file, const std::string& name);

// Code::Usage when there is no such name; the hint has the names there are.
Status revoke_token(const std::string& file, const std::string& name);

}  // namespace band::admin
