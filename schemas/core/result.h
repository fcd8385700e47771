// Error handling: the type Error, and Result<T>, which holds a T or an Error.
//
// Functions that can fail return a Result<T>. For each library that throws exceptions, one function catches them and
// returns an Error.
#pragma once

#include <cassert>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace band {

// The error codes, which are also in answers of the server. exit_code() returns the exit status of `band` for a code;
// `band help exit-codes` prints all codes.
enum class Code {
  ScriptFailed,
  Usage,
  BadRequest,
  InputInvalid,
  SkillInvalid,
  PermissionDenied,
  InsistNotSatisfied,
  OutputInvalid,
  SecretMissing,
  LimitExceeded,
  ServerUnreachable,
  Unauthorized,
  SandboxUnavailable,
  WriteConflict,  // a file of the workspace changed after the client had sent it to the server
  Cancelled,      // the client disconnected or cancelled the run, or the server is stopping
  ServerBusy,
  NoVmSoftware,
  Internal,
  Timeout,  // must be the last one, because of kLastCode
};
inline constexpr Code kLastCode = Code::Timeout;

std::string_view code_name(Code code);                   // "SCRIPT_FAILED"
bool code_from_name(std::string_view name, Code& code);  // false if `name` is not the name of a code
int exit_code(Code code);                                // the exit code of `band`: 1..10, 70, 124

// Initialise with member names: Error{.code = Code::Usage, .doing = "...", .hint = "..."}. tools/check enforces this.
struct Error {
  Code code = Code::Internal;
  std::string layer = {};    // the part of band that failed ("firewall"); may be empty
  std::string doing = {};    // the problem: "cannot commit chain BAND-7f3a"
  int err = 0;               // an errno, or 0
  std::string hint = {};     // the remedy
  std::string details = {};  // JSON text for programs, or empty

  // Returns "firewall: cannot commit chain BAND-7f3a: Device or resource busy". The hint is not part of the message.
  std::string message() const;
};

// Returns the Error of a layer of the sandbox: Code::SandboxUnavailable, with the errno `err`.
Error layer_error(std::string layer, std::string doing, int err, std::string hint = "");

struct Unit {};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  Error& error() & { return std::get<1>(state_); }
  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Error> state_;
};

using Status = Result<Unit>;
inline Status done() { return Unit{}; }

}  // namespace band

// BAND_TRY(auto chain, firewall::install(...));   declares `chain`; on an error, returns the error from this function
// BAND_CHECK(limits::apply(...));                 the same for a Status
#define BAND_JOIN_(a, b) a##b
#define BAND_JOIN(a, b) BAND_JOIN_(a, b)
#define BAND_TRY_(tmp, decl, ...)               \
  auto tmp = (__VA_ARGS__);                     \
  if (!tmp.ok()) return std::move(tmp).error(); \
  decl = std::move(tmp).value()
#define BAND_TRY(decl, ...) BAND_TRY_(BAND_JOIN(band_try_, __COUNTER__), decl, __VA_ARGS__)
#define BAND_CHECK(...)                                                                          \
  do {                                                                                           \
    if (auto band_check = (__VA_ARGS__); !band_check.ok()) return std::move(band_check).error(); \
  } while (false)
