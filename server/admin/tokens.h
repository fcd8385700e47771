// The tokens file of the server: one line for each token, `name id sha256hex created`. The token itself is never
// stored. Every change replaces the file by rename(2); a running server detects the change (tokens_file.h).
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"

namespace band::admin {

inline constexpr std::size_t kMaxTokens = 1000;  // a limit, because band-http compares each request with all tokens
inline constexpr std::size_t kMaxTokensFileBytes = 256 << 10;  // enough for kMaxTokens lines of maximum length

struct Token {
  std::string name;     // [A-Za-z0-9][A-Za-z0-9._-]{0,63}
  std::string id;       // 8 hex digits, the part `id` of the token string band_<id>_<secret>
  std::string hash;     // 64 hex digits: SHA-256 of the whole token string
  std::string created;  // "2026-03-01T12:00:00Z"

  bool operator==(const Token&) const = default;
};

// Returns all tokens of the file, or an error. Errors: the file does not exist; it is a link or not a regular file; its
// owner is not the user of this process (the server runs as root); its mode gives a permission to group or others; a
// line is malformed (the error has the line's number); a name or id occurs twice.
Result<std::vector<Token>> load_tokens(const std::string& file);
// The same as load_tokens(file), in two steps. `file` is only for messages; `fd` is read from its current offset.
Result<base::Fd> open_tokens(const std::string& file);
Result<std::vector<Token>> load_tokens(int fd, const std::string& file);

// Makes a token, stores its hash, and returns the token string, which is not available later. Creates the file when it
// does not exist. Returns Code::Usage when the name is invalid or in use.
Result<std::string> add_token(const std::string& file, const std::string& name);

// Returns Code::Usage when the name does not exist; the hint lists the existing names.
Status revoke_token(const std::string& file, const std::string& name);

}  // namespace band::admin
