#include "server/admin/tokens.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <string_view>

#include "schemas/core/hex.h"
#include "schemas/wire/wire.h"
#include "server/base/fd.h"
#include "server/base/io.h"

namespace band::admin {
namespace {

bool is_name(std::string_view name) {
  constexpr std::string_view kAlnum = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  if (name.empty() || name.size() > 64 || kAlnum.find(name[0]) == std::string_view::npos) return false;
  return std::all_of(name.begin(), name.end(), [&](char c) {
    return kAlnum.find(c) != std::string_view::npos || c == '.' || c == '_' || c == '-';
  });
}

// Returns true for a text of the form "2026-03-01T12:00:00Z": digits where this model has digits, otherwise the same
// characters.
bool is_time(std::string_view text) {
  constexpr std::string_view kModel = "0000-00-00T00:00:00Z";
  if (text.size() != kModel.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (kModel[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != kModel[i]) return false;
  return true;
}

std::string now_text() {
  const std::time_t now = ::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  const std::size_t n = ::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return std::string(text.data(), n);
}

// The error does not quote the line, because a misplaced field of the line might be a token.
Error bad_line(const std::string& file, std::size_t number, const std::string& what) {
  return Error{.code = Code::SandboxUnavailable,
               .layer = "tokens",
               .doing = file + ":" + std::to_string(number) + ": " + what,
               .hint =
                   "a line is `name id sha256hex created`; remove the line, or the file, and create a new token with "
                   "`band-server token add NAME`"};
}

Result<Token> parse_line(std::string_view line, const std::string& file, std::size_t number) {
  std::array<std::string, 4> words;
  std::size_t count = 0;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    if (count == words.size()) return bad_line(file, number, "more than four words");
    words[count++] = std::string(line.substr(at, end - at));
    at = end + 1;
  }
  if (count != words.size()) return bad_line(file, number, "fewer than four words");
  Token token{words[0], words[1], words[2], words[3]};
  if (!is_name(token.name)) return bad_line(file, number, "not a token name");
  if (!is_hex(token.id, 8)) return bad_line(file, number, "the id is not 8 hex digits");
  if (!is_hex(token.hash, 64)) return bad_line(file, number, "the hash is not 64 hex digits");
  if (!is_time(token.created)) return bad_line(file, number, "the time is not like 2026-03-01T12:00:00Z");
  return token;
}

Result<std::vector<Token>> parse_tokens(std::string_view text, const std::string& file) {
  std::vector<Token> tokens;
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos)
      return bad_line(file, number, "the last line has no newline: the file is truncated");
    BAND_TRY(Token token, parse_line(text.substr(0, end), file, number));
    for (const Token& other : tokens)
      if (other.name == token.name || other.id == token.id)
        return bad_line(file, number, "another line has the same name or id");
    tokens.push_back(std::move(token));
    if (tokens.size() > kMaxTokens)
      return bad_line(file, number, "more than " + std::to_string(kMaxTokens) + " tokens");
    text.remove_prefix(end + 1);
  }
  return tokens;
}

Error tokens_error(const std::string& doing, int err, std::string hint) {
  return layer_error("tokens", doing, err, std::move(hint));
}

// A process that can read the file gets the names of the callers. A process that can write the file can add a token.
Status check_private(int fd, const std::string& file) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return tokens_error("cannot read the status of " + file, errno, "");
  if (!S_ISREG(info.st_mode)) return tokens_error(file + " is not a regular file", 0, "remove it and run setup again");
  if (info.st_uid != ::geteuid())
    return tokens_error(file + " belongs to user " + std::to_string(info.st_uid), 0,
                        "chown " + std::to_string(::geteuid()) + " " + file + ", if you trust its content");
  if ((info.st_mode & 077) != 0)
    return tokens_error(file + " is accessible to group or others", 0,
                        "chmod 600 " + file + ", if you trust its content");
  return done();
}

Status store(const std::string& file, const std::vector<Token>& tokens) {
  std::string text;
  for (const Token& t : tokens) text += t.name + " " + t.id + " " + t.hash + " " + t.created + "\n";
  return base::write_file(file, text, 0600);
}

// Opens the file (creates it if `create` is true), and locks it exclusively until the descriptor is closed, so that two
// concurrent `token add` lose no token. Only the owner can open the file, so no other user can block this process.
// Retries when another process replaced the file before it was locked, because the locked file is then not the file at
// the path.
Result<base::Fd> lock(const std::string& file, bool create) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    base::Fd fd(::open(file.c_str(), (create ? O_RDWR | O_CREAT : O_RDWR) | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
    if (!fd)
      return tokens_error("cannot open " + file, errno,
                          errno == ENOENT   ? "there are no tokens yet; create one with `band-server token add NAME`"
                          : errno == EACCES ? "run this command as root"
                                            : "");
    BAND_CHECK(check_private(fd.get(), file));
    if (::flock(fd.get(), LOCK_EX) != 0) return tokens_error("cannot lock " + file, errno, "");
    struct stat ours {
    }, there{};
    if (::fstat(fd.get(), &ours) == 0 && ::lstat(file.c_str(), &there) == 0 && ours.st_ino == there.st_ino &&
        ours.st_dev == there.st_dev)
      return fd;
  }
  return tokens_error("cannot lock " + file, 0, "other programs replace the file again and again; try again later");
}

Error usage(std::string doing, std::string hint) {
  return Error{.code = Code::Usage, .layer = "tokens", .doing = std::move(doing), .hint = std::move(hint)};
}

}  // namespace

Result<base::Fd> open_tokens(const std::string& file) {
  // O_NONBLOCK: a FIFO at the path must not block the server; check_private refuses it.
  base::Fd fd(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd)
    return tokens_error("cannot open " + file, errno, errno == ENOENT ? "run `band setup --target local` once" : "");
  return fd;
}

Result<std::vector<Token>> load_tokens(int fd, const std::string& file) {
  BAND_CHECK(check_private(fd, file));
  BAND_TRY(const std::string text, base::read_all(fd, kMaxTokensFileBytes));
  return parse_tokens(text, file);
}

Result<std::vector<Token>> load_tokens(const std::string& file) {
  BAND_TRY(const base::Fd fd, open_tokens(file));
  return load_tokens(fd.get(), file);
}

Result<std::string> add_token(const std::string& file, const std::string& name) {
  if (!is_name(name))
    return usage("\"" + name + "\" is not a token name",
                 "use up to 64 of A-Z a-z 0-9 . _ -, beginning with a letter or digit");
  BAND_TRY(const base::Fd held, lock(file, true));
  BAND_TRY(std::vector<Token> tokens, load_tokens(held.get(), file));
  for (const Token& other : tokens)
    if (other.name == name)
      return usage("a token named " + name + " already exists",
                   "choose another name, or `band-server token revoke " + name + "` first");
  if (tokens.size() >= kMaxTokens)
    return usage(std::to_string(kMaxTokens) + " tokens exist, which is the limit", "revoke unused tokens");
  for (;;) {
    BAND_TRY(const std::string id, random_hex(4));
    BAND_TRY(const std::string secret, random_hex(32));
    if (std::any_of(tokens.begin(), tokens.end(), [&](const Token& t) { return t.id == id; })) continue;
    std::string token = "band_" + id + "_" + secret;
    const std::string hash = token_hash(token);
    if (!is_hex(hash, 64)) return tokens_error("cannot compute the hash of the token", ENOMEM, "");
    tokens.push_back({name, id, hash, now_text()});
    BAND_CHECK(store(file, tokens));
    return token;
  }
}

Status revoke_token(const std::string& file, const std::string& name) {
  BAND_TRY(const base::Fd held, lock(file, false));
  BAND_TRY(std::vector<Token> tokens, load_tokens(held.get(), file));
  const auto found = std::find_if(tokens.begin(), tokens.end(), [&](const Token& t) { return t.name == name; });
  if (found == tokens.end()) {
    std::string names;
    for (const Token& t : tokens) (names += names.empty() ? "" : " ") += t.name;
    return usage("there is no token named " + name,
                 names.empty() ? "the file has no tokens" : "existing names: " + names);
  }
  tokens.erase(found);
  return store(file, tokens);
}

}  // namespace band::admin
