#include "schemas/core/json_reader.h"

#include <cmath>

#include "schemas/core/json.h"
#include "schemas/core/json_number.h"

namespace band::wire {
namespace {

// The client checks the server's features before it sends a request (schemas/wire/features.h), so this is the error of
// another client than band, or of a client that is older than the features.
constexpr const char* kNewerSender =
    "if a client sent this, the client is newer than the server: update the server; `band status` compares the two";

}  // namespace

Error bad(std::string doing, std::string hint) {
  return Error{.code = Code::BadRequest, .doing = std::move(doing), .hint = std::move(hint)};
}

std::string wrong_type(std::string_view where, std::string_view expected, const Json& got) {
  return std::string(where) + ": expected " + std::string(expected) + ", got " + std::string(json_type_name(got));
}

std::string shown(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 80)) out += (c >= 0x20 && c < 0x7F) ? c : '?';
  return "\"" + out + (text.size() > 80 ? "...\"" : "\"");
}

Reader::Reader(const Json& value, std::string where) : value_(value), where_(std::move(where)) {
  if (!value_.is_object()) fail(wrong_type(where_, "an object", value_));
}

const Json* Reader::find(const char* name, bool required) {
  if (error_) return nullptr;
  const auto it = value_.find(name);
  if (it != value_.end()) return &*it;
  if (required) fail(where_ + ": \"" + name + "\" is missing");
  return nullptr;
}

std::string Reader::text(const char* name, std::size_t max_bytes, bool required) {
  const Json* member = find(name, required);
  if (member == nullptr) return "";
  if (!member->is_string()) return fail(wrong_type(at(name), "a string", *member)), "";
  const auto& text = member->get_ref<const std::string&>();
  if (text.size() > max_bytes)
    return fail(at(name) + ": " + std::to_string(text.size()) + " bytes, at most " + std::to_string(max_bytes)), "";
  return text;
}

std::int64_t Reader::integer(const char* name, std::int64_t least, std::int64_t most) {
  const Json* member = find(name, false);
  if (member == nullptr) return 0;
  bool fits = member->is_number_integer();  // true of unsigned numbers as well
  if (fits && member->is_number_unsigned()) fits = member->get<std::uint64_t>() <= static_cast<std::uint64_t>(most);
  if (fits) fits = member->get<std::int64_t>() >= least && member->get<std::int64_t>() <= most;
  if (!fits)
    return fail(at(name) + ": expected an integer from " + std::to_string(least) + " to " + std::to_string(most)), 0;
  return member->get<std::int64_t>();
}

bool Reader::boolean(const char* name, bool when_absent) {
  const Json* member = find(name, false);
  if (member == nullptr) return when_absent;
  if (!member->is_boolean()) return fail(wrong_type(at(name), "a boolean", *member)), when_absent;
  return member->get<bool>();
}

double Reader::number(const char* name) {
  const Json* member = find(name, false);
  if (member == nullptr) return 0;
  const double number = is_number(*member) ? nearest_double(*member) : -1;
  if (!std::isfinite(number) || number < 0) return fail(at(name) + ": expected a number of at least 0"), 0;
  return number;
}

void Reader::only(std::span<const std::string_view> known) {
  if (error_) return;
  for (const auto& [name, unused] : value_.items()) {
    bool found = false;
    for (const std::string_view k : known) found = found || k == name;
    if (!found) return fail(where_ + ": unknown member " + shown(name), kNewerSender);
  }
}

void Reader::fail(std::string doing, std::string hint) {
  if (!error_) error_ = bad(std::move(doing), std::move(hint));
}

}  // namespace band::wire
