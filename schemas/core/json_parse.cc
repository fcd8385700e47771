// parse_json: nlohmann's tokenizer with a builder of band's own. The builder refuses texts that nlohmann's builder
// accepts, keeps the text of numbers that nlohmann's number types would change, and makes no values of wanted parts
// (JsonParts). Long plain strings, such as files in base64, bypass the tokenizer, which needs 12 ns per byte.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "schemas/core/json.h"
#include "schemas/core/json_keys.h"
#include "schemas/core/json_number.h"
#include "schemas/core/json_pointer.h"
#include "schemas/core/json_reading.h"
#include "schemas/core/json_text.h"

namespace band {
namespace {

JsonRefusal refused(std::string_view text, std::size_t offset, std::string problem, std::string hint) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  JsonRefusal refusal{.problem = std::move(problem), .hint = std::move(hint)};
  refusal.line += static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t newline = before.rfind('\n');
  refusal.column += newline == std::string_view::npos ? before.size() : before.size() - newline - 1;
  return refusal;
}

struct Frame {
  bool object;
  std::size_t first_value, first_key;
  std::size_t count = 0;  // values in it so far
};

// The subtype of the binary value that stands for a part. Numbers that keep their text have no subtype.
constexpr std::uint64_t kPart = 1;
constexpr std::size_t kNoDepth = ~std::size_t{0};

bool among(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Values stay on one stack until their container ends, and are then moved into it. Growing an ordered_json object in
// place would deep-copy its members, because their keys are const: quadratic time for hostile input.
class Builder {
 public:
  Builder(std::string_view text, JsonReading& reading, JsonBounds bounds, const JsonParts& wanted)
      : text_(text), reading_(reading), bounds_(bounds), wanted_(wanted), keys_(text) {}

  bool null() { return add(Json(nullptr)); }
  bool boolean(bool value) { return add(Json(value)); }
  // Called only for numbers with a minus sign: the tokenizer reports others as unsigned.
  bool number_integer(std::int64_t value) { return value == 0 ? add_number("-0") : add(Json(value)); }
  bool number_unsigned(std::uint64_t value) {
    const Hidden& hidden = reading_.hidden;  // if this is its event: its 0 and its first blank have been read
    if (hidden.text.empty() || hidden.begin() + 2 != reading_.reached) return add(Json(value));
    return add_number(hidden.text);
  }
  bool number_float(double value, const std::string& text) {
    Json number(value);
    return text.size() < kLongestDouble && number.dump() == text ? add(std::move(number)) : add_number(text);
  }
  bool string(std::string& value);
  bool binary(Json::binary_t&) { return false; }  // never in JSON text
  bool key(std::string& name) {
    keys_.push(whole(name), offset() - 1);
    return true;
  }
  bool start_object(std::size_t) { return open(true); }
  bool start_array(std::size_t) { return open(false); }
  bool end_object();
  bool end_array();
  bool parse_error(std::size_t position, const std::string&, const Json::exception& error) {
    return fail(position == 0 ? 0 : position - 1 + reading_.passed, reason_of(error.what()), "");
  }

  JsonWithParts release() { return {std::move(values_.front()), std::move(parts_)}; }
  bool failed() const { return failed_; }
  JsonRefusal refusal() const { return refused(text_, error_offset_, problem_, hint_); }

 private:
  static constexpr std::size_t kLongestDouble = 32;  // at least the length of a double in nlohmann's text form

  std::string whole(std::string& value) {
    if (reading_.string.empty()) return std::move(value);
    return std::string(std::exchange(reading_.string, {}));
  }
  std::size_t offset() const { return static_cast<std::size_t>(reading_.reached - text_.data()); }
  bool add_number(std::string_view text) {
    if (text.size() > kMaxNumberBytes)
      return fail(offset() - 1, "a number of more than " + std::to_string(kMaxNumberBytes) + " characters",
                  "write it as a string");
    const std::int64_t exponent = number_parts(text)->exponent;
    if (exponent > kMaxExponent || exponent < -kMaxExponent)
      return fail(offset() - 1, "a number with an exponent beyond " + std::to_string(kMaxExponent),
                  "write it as a string");
    return add(number_with_text(text));
  }
  bool fail(std::size_t offset, std::string problem, std::string hint) {
    failed_ = true;
    error_offset_ = offset;
    problem_ = std::move(problem);
    hint_ = std::move(hint);
    return false;
  }
  bool add(Json value) {
    if (++count_ > bounds_.values)
      return fail(offset() - 1, "more than " + std::to_string(bounds_.values) + " values",
                  "split the data into several values, or put it into files");
    if (!frames_.empty()) ++frames_.back().count;
    if (frames_.size() > part_depth_) return true;
    if (is_wanted_member()) return values_.push_back(part(member_text())), part_depth_ = kNoDepth, true;
    values_.push_back(std::move(value));
    return true;
  }
  bool open(bool object) {
    if (frames_.size() >= static_cast<std::size_t>(bounds_.depth))
      return fail(offset() - 1,
                  "arrays and objects are nested deeper than " + std::to_string(bounds_.depth) + " levels",
                  "flatten the value");
    if (is_wanted_member()) part_depth_ = frames_.size();
    frames_.push_back({object, values_.size(), keys_.count()});
    return true;
  }
  // True if the next value is that of a wanted member of the outermost object.
  bool is_wanted_member() const {
    return frames_.size() == 1 && frames_[0].object && among(wanted_.members, key_name(keys_.count()));
  }
  // True if the next value is the wanted string of an object in a wanted list.
  bool is_wanted_string() const {
    return frames_.size() == 3 && frames_[0].object && !frames_[1].object && frames_[2].object &&
           key_name(keys_.count()) == wanted_.string && among(wanted_.lists, key_name(frames_[1].first_key));
  }
  // Returns the name of the key before the key `next`.
  std::string_view key_name(std::size_t next) const { return keys_.name(keys_[next - 1]); }
  std::string_view member_text() const;
  Json part(std::string_view text) {
    parts_.push_back(text);
    const std::size_t index = parts_.size() - 1;
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&index);
    return Json::binary({bytes, bytes + sizeof index}, kPart);
  }
  std::string reason_of(std::string_view what) const;
  std::string pointer_to(std::string_view name) const;

  std::string_view text_;
  JsonReading& reading_;
  JsonBounds bounds_;
  const JsonParts& wanted_;
  std::vector<std::string_view> parts_;
  // Values in more than this number of containers are within a part: they are checked and dropped.
  std::size_t part_depth_ = kNoDepth;
  std::size_t count_ = 0;
  std::vector<Json> values_;
  JsonKeys keys_;
  std::vector<Frame> frames_;
  bool failed_ = false;
  std::size_t error_offset_ = 0;
  std::string problem_, hint_;
};

bool Builder::string(std::string& value) {
  if (frames_.size() > part_depth_ || is_wanted_member()) return reading_.string = {}, add(Json());
  if (!reading_.string.empty() && is_wanted_string()) return add(part(std::exchange(reading_.string, {})));
  return add(Json(whole(value)));
}

// Returns the text of the value of the last key. The tokenizer has read the value, and also the byte after a number.
std::string_view Builder::member_text() const {
  const std::size_t colon = text_.find(':', keys_[keys_.count() - 1].end + 1);
  const std::size_t begin = text_.find_first_not_of(" \t\r\n", colon + 1);
  const bool number = text_[begin] == '-' || (text_[begin] >= '0' && text_[begin] <= '9');
  const std::size_t end = number ? text_.find_first_not_of("+-.0123456789Ee", begin) : offset();
  return text_.substr(begin, end - begin);
}

bool Builder::end_array() {
  const Frame frame = frames_.back();
  frames_.pop_back();
  const auto first = values_.begin() + static_cast<std::ptrdiff_t>(frame.first_value);
  Json::array_t items(std::make_move_iterator(first), std::make_move_iterator(values_.end()));
  values_.erase(first, values_.end());
  return add(Json(std::move(items)));
}

bool Builder::end_object() {
  const Frame frame = frames_.back();
  if (const auto twice = keys_.duplicate(frame.first_key))
    return fail(twice->end, "duplicate key " + pointer_to(keys_.name(*twice)), "keep one of the two");
  frames_.pop_back();
  if (frames_.size() >= part_depth_) {  // within a part, or the part itself
    keys_.cut(frame.first_key);
    return add(Json());
  }
  Json::object_t members;
  members.reserve(keys_.count() - frame.first_key);
  for (std::size_t i = frame.first_key, v = frame.first_value; i < keys_.count(); ++i, ++v)
    members.emplace_back(std::string(keys_.name(keys_[i])), std::move(values_[v]));
  keys_.cut(frame.first_key);
  values_.erase(values_.begin() + static_cast<std::ptrdiff_t>(frame.first_value), values_.end());
  return add(Json(std::move(members)));
}

// Returns the JSON pointer of member `name` of the innermost open object.
std::string Builder::pointer_to(std::string_view name) const {
  std::string pointer;
  for (std::size_t i = 0; i + 1 < frames_.size(); ++i) {
    // The position of the next container within this one: the last key, or the number of items before it.
    const Frame& next = frames_[i + 1];
    append_pointer_token(pointer, frames_[i].object ? key_name(next.first_key) : std::to_string(frames_[i].count));
  }
  append_pointer_token(pointer, name);
  return shown_pointer(pointer);
}

// Returns nlohmann's message without its prefix and without the raw bytes that it read last.
std::string Builder::reason_of(std::string_view what) const {
  std::string_view reason = what;
  if (const std::size_t dash = reason.find(" - "); dash != std::string_view::npos) reason.remove_prefix(dash + 3);
  std::string expected;
  if (const std::size_t at = reason.rfind("; expected "); at != std::string_view::npos) {
    expected = reason.substr(at);
    // Replaces the tokenizer's wording.
    if (expected == "; expected end of input") return "unexpected text after the value";
    reason = reason.substr(0, at);
  }
  if (const std::size_t read = reason.find("; last read"); read != std::string_view::npos)
    reason = reason.substr(0, read);
  return "not JSON: " + escaped(reason) + escaped(expected);
}

std::variant<JsonWithParts, JsonRefusal> read_json(std::string_view text, JsonBounds bounds, const JsonParts& wanted) {
  if (text.empty()) return refused(text, 0, "empty", "write one JSON value");
  if (text.starts_with("\xEF\xBB\xBF"))
    return refused(text, 0, "begins with a byte order mark", "save it as UTF-8 without one");
  if (text.size() >= std::numeric_limits<std::uint32_t>::max()) return refused(text, 0, "4 GiB or more", "");
  // nlohmann treats a NUL byte as the end of the text and would not read the rest.
  if (const void* nul = std::memchr(text.data(), 0, text.size()))
    return refused(text, static_cast<std::size_t>(static_cast<const char*>(nul) - text.data()), "not JSON: a NUL byte",
                   "in a string, write \\u0000");
  JsonReading reading(text);
  Builder builder(text, reading, bounds, wanted);
  const JsonCursor first{text.data(), &reading}, last{text.data() + text.size(), &reading};
  const bool parsed = Json::sax_parse(first, last, &builder);
  if (builder.failed()) return builder.refusal();
  if (!parsed) return refused(text, text.size(), "not JSON", "");
  return builder.release();
}

}  // namespace

Result<Json> parse_json(std::string_view text, std::string_view what, JsonBounds bounds) {
  BAND_TRY(JsonWithParts read, parse_json_parts(text, what, bounds, {}));
  return std::move(read.value);
}

Result<JsonWithParts> parse_json_parts(std::string_view text, std::string_view what, JsonBounds bounds,
                                       const JsonParts& wanted) {
  Error error{.code = Code::BadRequest, .doing = std::string(what)};
  try {
    auto read = read_json(text, bounds, wanted);
    if (JsonWithParts* value = std::get_if<JsonWithParts>(&read)) return std::move(*value);
    JsonRefusal& refusal = std::get<JsonRefusal>(read);
    error.doing += ", line " + std::to_string(refusal.line) + ", column " + std::to_string(refusal.column) + ": " +
                   refusal.problem;
    error.hint = std::move(refusal.hint);
  } catch (const std::exception& thrown) {
    error.doing += ": " + escaped(thrown.what());
  }
  return error;
}

std::optional<std::size_t> json_part(const Json& value) {
  if (!value.is_binary()) return std::nullopt;
  const Json::binary_t& bytes = value.get_binary();
  std::size_t index = 0;
  if (!bytes.has_subtype() || bytes.subtype() != kPart || bytes.size() != sizeof index) return std::nullopt;
  std::memcpy(&index, bytes.data(), sizeof index);
  return index;
}

Json json_of_text(std::string_view text) { return number_with_text(text); }

std::optional<JsonRefusal> why_not_json(std::string_view text, JsonBounds bounds) {
  try {
    auto read = read_json(text, bounds, {});
    if (JsonRefusal* refusal = std::get_if<JsonRefusal>(&read)) return std::move(*refusal);
  } catch (const std::exception& thrown) {
    return JsonRefusal{.problem = escaped(thrown.what()), .hint = ""};
  }
  return std::nullopt;
}

}  // namespace band
