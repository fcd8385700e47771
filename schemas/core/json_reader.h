// Reads and checks the members of a JSON object that was received over a socket.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "schemas/core/json_fwd.h"
#include "schemas/core/result.h"

namespace band::wire {

Error bad(std::string doing, std::string hint = "");  // Code::BadRequest
std::string wrong_type(std::string_view where, std::string_view expected, const Json& got);
// Returns untrusted text in a form that is safe in messages to terminals and logs: short, printable ASCII, quoted.
std::string shown(std::string_view text);

// The members of one object. The first error is kept; after it, all functions return defaults.
class Reader {
 public:
  Reader(const Json& value, std::string where);

  const Json* find(const char* name, bool required);
  std::string text(const char* name, std::size_t max_bytes, bool required = true);
  std::int64_t integer(const char* name, std::int64_t least, std::int64_t most);  // 0 when absent
  bool boolean(const char* name, bool when_absent);
  double number(const char* name);  // finite, at least 0; 0 when absent
  // Fails on members that are not in `known`: a request of a newer client with a feature that this server does not have
  // is refused instead of partially executed.
  void only(std::span<const std::string_view> known);
  void only(std::initializer_list<std::string_view> known) { only(std::span(known.begin(), known.size())); }

  bool failed() const { return error_.has_value(); }
  Error error() const { return *error_; }

 private:
  void fail(std::string doing);
  std::string at(const char* name) const { return where_ + "." + name; }

  const Json& value_;
  std::string where_;
  std::optional<Error> error_;
};

}  // namespace band::wire
