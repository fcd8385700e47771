// dump_json: nlohmann's own form byte for byte, but for numbers that keep their text, which its dump() does not know.
#include <charconv>

#include "schemas/core/json.h"
#include "schemas/core/json_number.h"
#include "schemas/core/plain.h"
#include "schemas/core/utf8.h"

namespace band {
namespace {

std::string nlohmann_text(const Json& scalar) { return scalar.dump(-1, ' ', false, Json::error_handler_t::replace); }

class Writer {
 public:
  explicit Writer(bool pretty) : pretty_(pretty) {}

  std::string release() { return std::move(out_); }

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

  // Runs of characters that stand for themselves are copied as they are.
  void string(const std::string& text) {
    const std::size_t before = out_.size();
    out_ += '"';
    std::size_t run = 0;
    for (std::size_t at = 0; (at = end_of_plain(text, at)) < text.size();) {
      const auto byte = static_cast<unsigned char>(text[at]);
      if (byte >= 0x80) {
        const Utf8Char next = utf8_at(text, at);
        if (!next.valid) {  // nlohmann says which bytes one U+FFFD stands for
          out_.resize(before);
          out_ += nlohmann_text(Json(text));
          return;
        }
        at += next.bytes;
      } else {
        out_.append(text, run, at - run);
        escape(byte);
        run = ++at;
      }
    }
    out_.append(text, run);
    out_ += '"';
  }

  void escape(unsigned char byte) {
    constexpr std::string_view kShort = "\b\t\n\f\r\"\\", kLetters = "btnfr\"\\", kHex = "0123456789abcdef";
    const std::size_t at = kShort.find(static_cast<char>(byte));
    out_ += '\\';
    if (at != std::string_view::npos)
      out_ += kLetters[at];
    else
      out_.append("u00").append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
  }

  const bool pretty_;
  std::size_t level_ = 0;
  std::string out_;
};

std::string written(const Json& value, bool pretty) {
  Writer writer(pretty);
  writer.value(value);
  return writer.release();
}

}  // namespace

std::string dump_json(const Json& value) { return written(value, false); }

std::string dump_json_pretty(const Json& value) { return written(value, true); }

}  // namespace band
