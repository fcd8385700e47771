// Tokens, and the proof that a server has a token's hash (wire.h).
//
// Uses OpenSSL's deprecated SHA-256 functions: EVP_Digest(3) and HMAC(3) first initialise the providers, which takes
// 0.7 ms, an eighth of a `band run`.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <initializer_list>

#include "schemas/core/hex.h"
#include "schemas/wire/wire.h"

namespace band {
namespace {

constexpr std::string_view kTokenPrefix = "band_";
constexpr std::size_t kIdDigits = 8, kSecretDigits = 64, kHashDigits = 64;
constexpr std::size_t kMostRandomBytes = 256;  // per call of getentropy(3)
constexpr std::size_t kMinNonceDigits = 32, kMaxNonceDigits = 128;

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

std::string to_hex(const unsigned char* bytes, std::size_t size) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(size * 2);
  for (std::size_t i = 0; i < size; ++i) {
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  return text;
}

using Digest = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

Digest sha256(std::initializer_list<std::string_view> pieces) {
  SHA256_CTX state;
  SHA256_Init(&state);
  for (const std::string_view piece : pieces) SHA256_Update(&state, piece.data(), piece.size());
  Digest digest{};
  SHA256_Final(digest.data(), &state);
  return digest;
}

std::string_view bytes_of(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

// HMAC (RFC 2104) with a key that is shorter than a block.
Digest hmac_sha256(const Digest& key, std::string_view message) {
  std::string inner(SHA256_CBLOCK, '\x36'), outer(SHA256_CBLOCK, '\x5c');
  for (std::size_t i = 0; i < key.size(); ++i) {
    inner[i] = static_cast<char>(inner[i] ^ key[i]);
    outer[i] = static_cast<char>(outer[i] ^ key[i]);
  }
  const Digest digest = sha256({outer, bytes_of(sha256({inner, message}))});
  OPENSSL_cleanse(inner.data(), inner.size());
  OPENSSL_cleanse(outer.data(), outer.size());
  return digest;
}

}  // namespace

std::optional<TokenParts> split_token(std::string_view token) {
  if (token.size() != kTokenPrefix.size() + kIdDigits + 1 + kSecretDigits) return std::nullopt;
  if (!token.starts_with(kTokenPrefix)) return std::nullopt;
  token.remove_prefix(kTokenPrefix.size());
  const std::string_view id = token.substr(0, kIdDigits);
  if (token[kIdDigits] != '_' || !is_hex(id) || !is_hex(token.substr(kIdDigits + 1))) return std::nullopt;
  return TokenParts{std::string(id)};
}

std::string sha256_hex(std::string_view bytes) {
  const Digest digest = sha256({bytes});
  return to_hex(digest.data(), digest.size());
}

std::string token_hash(std::string_view token) { return sha256_hex(token); }

// Returns "" when an argument has a wrong form: callers compare the result with 64 digits, so "" never matches.
std::string proof_of(std::string_view token_hash_hex, std::string_view nonce_hex, std::uint16_t port) {
  if (!is_hex(token_hash_hex, kHashDigits)) return "";
  if (nonce_hex.size() < kMinNonceDigits || nonce_hex.size() > kMaxNonceDigits || !is_hex(nonce_hex)) return "";
  Digest key{};
  for (std::size_t i = 0; i < key.size(); ++i)
    key[i] =
        static_cast<unsigned char>(digit_value(token_hash_hex[2 * i]) << 4 | digit_value(token_hash_hex[2 * i + 1]));
  const std::string question = "band-proof-v1\n" + std::string(nonce_hex) + "\n" + std::to_string(port);
  const Digest digest = hmac_sha256(key, question);
  OPENSSL_cleanse(key.data(), key.size());
  return to_hex(digest.data(), digest.size());
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  // The lengths are not secret: all tokens have the same length, and so have all proofs.
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

Result<std::string> random_hex(std::size_t bytes) {
  std::string raw(bytes, '\0');
  // Not RAND_bytes(3): initialising OpenSSL's generator takes half a millisecond of each `band run`.
  if (bytes > kMostRandomBytes || ::getentropy(raw.data(), bytes) != 0)
    return Error{.code = Code::Internal,
                 .doing = "cannot get " + std::to_string(bytes) + " random bytes from the kernel",
                 .err = bytes > kMostRandomBytes ? EINVAL : errno};
  std::string text = to_hex(reinterpret_cast<unsigned char*>(raw.data()), bytes);
  OPENSSL_cleanse(raw.data(), raw.size());
  return text;
}

}  // namespace band
