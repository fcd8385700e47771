// dump_json: the same bytes as nlohmann's dump(), except for numbers that keep their text, which dump() cannot write.
#include <algorithm>
#include <charconv>

#include "schemas/core/json.h"
#include "schemas/core/json_number.h"
#include "schemas/core/plain.h"
#include "schemas/core/utf8.h"

namespace band {
namespace {

std::string nlohmann_text(const Json& scalar) { return scalar.dump(-1, ' ', false, Json::error_handler_t::replace); }

// A class with the functions of std::string that Writer calls; it stores only the length.
class Length {
 public:
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return ~std::size_t{0}; }
  void reserve(std::size_t) {}
  void resize(std::size_t size) { size_ = size; }
  Length& operator+=(char) { return grow(1); }
  Length& operator+=(std::string_view text) { return grow(text.size()); }
  Length& append(std::size_t count, char) { return grow(count); }
  Length& append(const char* begin, const char* end) { return grow(static_cast<std::size_t>(end - begin)); }

 private:
  Length& grow(std::size_t by) {
    size_ += by;
    return *this;
  }

  std::size_t size_ = 0;
};

template <class Out>
class Writer {
 public:
  explicit Writer(bool pretty) : pretty_(pretty) {}

  Out release() { return std::move(out_); }

  void value(const Json& value) {
    if (value.is_object())
      members(value.get_ref<const Json::object_t&>());
    else if (value.is_array())
      items(value.get_ref<const Json::array_t&>());
    else if (value.is_string())
      string(value.get_ref<const std::string&>());
    else if (const auto text = text_of(value))
      out_ += *text;
    else if (value.is_number_unsigned())
      integer(value.get<std::uint64_t>());
    else if (value.is_number_integer())
      integer(value.get<std::int64_t>());
    else
      out_ += nlohmann_text(value);
  }

 private:
  void integer(auto number) {
    char text[32];
    out_.append(text, std::to_chars(text, text + sizeof text, number).ptr);
  }

  void members(const Json::object_t& object) {
    out_ += '{';
    ++level_;
    bool first = true;
    for (const auto& [name, member] : object) {
      next(first);
      string(name);
      out_ += pretty_ ? ": " : ":";
      value(member);
    }
    end('}', first);
  }

  void items(const Json::array_t& array) {
    out_ += '[';
    ++level_;
    bool first = true;
    for (const Json& item : array) {
      next(first);
      value(item);
    }
    end(']', first);
  }

  void next(bool& first) {
    if (!first) out_ += ',';
    first = false;
    line();
  }
  void end(char bracket, bool empty) {
    --level_;
    if (!empty) line();
    out_ += bracket;
  }
  void line() {
    if (pretty_) out_.append(1, '\n').append(2 * level_, ' ');
  }

  // Runs of characters that need no escape are copied in one piece. Space for a long string and some following text is
  // reserved first; otherwise appending the closing quote can double the capacity and copy the text again.
  void string(const std::string& text) {
    constexpr std::size_t kLong = 64 << 10, kMore = 4 << 10;
    const std::size_t before = out_.size();
    if (const std::size_t needed = before + text.size() + kMore; text.size() >= kLong && needed > out_.capacity())
      out_.reserve(std::max(needed, 2 * out_.capacity()));  // doubled: libc++ reserves exactly what is requested
    out_ += '"';
    std::size_t run = 0;
    for (std::size_t at = 0; (at = end_of_plain(text, at)) < text.size();) {
      const auto byte = static_cast<unsigned char>(text[at]);
      if (byte >= 0x80) {
        const Utf8Char next = utf8_at(text, at);
        if (!next.valid) {  // nlohmann decides which bytes one U+FFFD replaces
          out_.resize(before);
          out_ += nlohmann_text(Json(text));
          return;
        }
        at += next.bytes;
      } else {
        out_ += std::string_view(text).substr(run, at - run);
        escape(byte);
        run = ++at;
      }
    }
    out_ += std::string_view(text).substr(run);
    out_ += '"';
  }

  void escape(unsigned char byte) {
    constexpr std::string_view kShort = "\b\t\n\f\r\"\\", kLetters = "btnfr\"\\", kHex = "0123456789abcdef";
    const std::size_t at = kShort.find(static_cast<char>(byte));
    out_ += '\\';
    if (at != std::string_view::npos)
      out_ += kLetters[at];
    else
      (out_ += "u00").append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
  }

  const bool pretty_;
  std::size_t level_ = 0;
  Out out_;
};

template <class Out>
Out written(const Json& value, bool pretty) {
  Writer<Out> writer(pretty);
  writer.value(value);
  return writer.release();
}

}  // namespace

std::string dump_json(const Json& value) { return written<std::string>(value, false); }

std::string dump_json_pretty(const Json& value) { return written<std::string>(value, true); }

std::size_t json_size(const Json& value) { return written<Length>(value, false).size(); }

}  // namespace band
