// The tokens file of the server: one line for each token, `name id sha256hex created`. The token itself is never
// stored. Every change replaces the file by rename(2); a running server detects the change (tokens_file.h).
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"

namespace band::admin {

inline constexpr std::size_t kMaxTokens = 1000;  // limited, because band-http compares each request with all tokens
inline constexpr std::size_t kMaxTokensFileBytes = 256 << 10;  // enough for kMaxTokens lines of maximum length

struct Token {
  std::string name;     // [A-Za-z0-9][A-Za-z0-9._-]{0,63}
  std::string id;       // 8 hex digits, the part `id` of the token string band_<id>_<secret>
  std::string hash;     // 64 hex digits: SHA-256 of the whole token string
  std::string created;  // "2026-03-01T12:00:00Z"

  bool operator==(const Token&) const = default;
};

// Returns all tokens of the file, or an error:
// - the file does not exist, is a link, or is not a regular file;
// - its owner is not the user of this process (the server runs as root);
// - its mode gives a permission to group or others;
// - it is larger than kMaxTokensFileBytes, or has more than kMaxTokens tokens;
// - a line is malformed, or has the name or id of another line. This error contains the line's number.
Result<std::vector<Token>> load_tokens(const std::string& file);
// The same in two steps: open_tokens() opens the file, and load_tokens() checks it and reads it from the current offset
// of `fd`. The second function uses `file` only in messages.
Result<base::Fd> open_tokens(const std::string& file);
Result<std::vector<Token>> load_tokens(int fd, const std::string& file);

// Makes a token, stores its hash, and returns the token string, which is not available later. Creates the file when it
// does not exist. Returns Code::Usage when the name is invalid or in use, or when kMaxTokens tokens exist.
Result<std::string> add_token(const std::string& file, const std::string& name);

// Returns Code::Usage when the name does not exist; the hint lists the existing names.
Status revoke_token(const std::string& file, const std::string& name);

}  // namespace band::admin
