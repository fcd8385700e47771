// Builds a TLS ClientHello from its parts.
#pragma once

#include <cstddef>
#include <string>

namespace band::test {

using namespace std::string_literals;

inline std::string number(std::size_t value, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>(value >> (8 * i));
  return text;
}
inline std::string sized(const std::string& text, int bytes) { return number(text.size(), bytes) + text; }
inline std::string extension(std::size_t type, const std::string& data) { return number(type, 2) + sized(data, 2); }
inline std::string host_name(const std::string& name) { return "\0"s + sized(name, 2); }
inline std::string server_name(const std::string& list) { return extension(0, sized(list, 2)); }

// Returns a ClientHello message of TLS 1.2; `extensions` follows the compression methods.
inline std::string message(const std::string& extensions, const std::string& version = "\3\3") {
  const std::string body = version + std::string(32, 'r') + sized("", 1) + sized("\xc0\x2f\x13\x01", 2) +
                           sized("\0"s, 1) + (extensions.empty() ? "" : sized(extensions, 2));
  return "\1" + sized(body, 3);
}
inline std::string record(const std::string& data, const std::string& head = "\x16\3\1") {
  return head + sized(data, 2);
}

// Returns a ClientHello message of SSLv2 (three ciphers, 32 random bytes); the real one has type 1.
inline std::string old_message(const std::string& version, const std::string& type = "\1") {
  const std::string ciphers = "\0\xc0\x2f\0\0\x9c\0\0\xff"s;
  return type + version + number(ciphers.size(), 2) + number(0, 2) + number(32, 2) + ciphers + std::string(32, 'r');
}
// SSLv2's record with a header of two bytes.
inline std::string old_record(const std::string& data) { return number(0x8000 | data.size(), 2) + data; }

// Splits `text` into TLS records of `step` bytes each.
inline std::string records(std::string text, std::size_t step) {
  std::string out;
  for (; !text.empty(); text.erase(0, step)) out += record(text.substr(0, step));
  return out;
}

}  // namespace band::test
