// Reads and checks the members of a JSON object in a message that was received.
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
// Returns the message "WHERE: expected EXPECTED, got TYPE".
std::string wrong_type(std::string_view where, std::string_view expected, const Json& got);
// Returns untrusted text in a form that is safe for terminals and logs: cut, in quotes, and only printable ASCII.
std::string shown(std::string_view text);

// Reads the members of one object. If a member is missing or wrong, the reader stores the error. After the first error,
// all functions return a default: "", 0, nullptr, or the argument `when_absent`.
class Reader {
 public:
  // `value` must outlive the reader; if it is not an object, this is an error. `where` names the object in messages.
  Reader(const Json& value, std::string where);

  const Json* find(const char* name, bool required);  // nullptr when absent, which is an error if `required` is true
  std::string text(const char* name, std::size_t max_bytes, bool required = true);
  std::int64_t integer(const char* name, std::int64_t least, std::int64_t most);  // 0 when absent
  bool boolean(const char* name, bool when_absent);
  double number(const char* name);  // must be finite and at least 0; 0 when absent
  // Fails if there is a member that is not in `known`. Therefore a server refuses the request of a newer client if
  // the request uses a feature that the server does not have; without this check, the server would execute the request
  // without the feature.
  void only(std::span<const std::string_view> known);
  void only(std::initializer_list<std::string_view> known) { only(std::span(known.begin(), known.size())); }

  bool failed() const { return error_.has_value(); }
  Error error() const { return *error_; }

 private:
  void fail(std::string doing, std::string hint = "");
  std::string at(const char* name) const { return where_ + "." + name; }

  const Json& value_;
  std::string where_;
  std::optional<Error> error_;
};

}  // namespace band::wire
