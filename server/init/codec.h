// Encodes and decodes the messages of variable length from the engine to the zygote and to band-init: the seccomp
// filter (order.h), Setup, Script and Command (setup.h). (Messages of fixed length are sent as structs.) A number is
// encoded as eight bytes in host byte order; a string as its length (a number) and its bytes; a list of strings as the
// number of its elements and the elements. The messages have no version number, because both programs come from one
// build and run on one machine.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace band::init {

class Writer {
 public:
  void number(std::uint64_t value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void text(std::string_view value) {
    number(value.size());
    bytes_.append(value);
  }
  void texts(const std::vector<std::string>& values) {
    number(values.size());
    for (const std::string& value : values) text(value);
  }
  std::string release() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Decodes the output of Writer. If a read does not find a complete field, this read and all later reads return 0 or "",
// and ok() returns false.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  bool ok() const { return ok_; }
  // Makes ok() return false, and all later reads return 0 or "". Call it when a value that was read is invalid. Returns
  // 0.
  std::uint64_t fail() {
    ok_ = false;
    bytes_ = {};
    return 0;
  }
  bool at_end() const { return bytes_.empty(); }
  std::uint64_t number() {
    std::uint64_t value = 0;
    if (bytes_.size() < sizeof value) return fail();
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_.remove_prefix(sizeof value);
    return value;
  }
  std::string text() {
    const std::uint64_t size = number();
    if (size > bytes_.size()) return fail(), "";
    std::string value(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return value;
  }
  // Reads the number of elements of a list; each element has at least eight bytes. Fails when the remaining bytes
  // cannot contain this number of elements.
  std::uint64_t count() {
    const std::uint64_t value = number();
    return value > bytes_.size() / sizeof value ? fail() : value;
  }
  std::vector<std::string> texts() {
    std::vector<std::string> values(count());
    for (std::string& value : values) value = text();
    return values;
  }

 private:
  std::string_view bytes_;
  bool ok_ = true;
};

}  // namespace band::init
