#include "schemas/core/result.h"

#include <array>
#include <cstring>
#include <string_view>

namespace band {
namespace {

struct CodeRow {
  Code code;
  std::string_view name;
  int exit;
};

// The names and exit codes; the README and `band --help` list the same numbers.
constexpr std::array kCodes{
    CodeRow{Code::ScriptFailed, "SCRIPT_FAILED", 1},
    CodeRow{Code::Usage, "USAGE", 2},
    CodeRow{Code::BadRequest, "BAD_REQUEST", 2},
    CodeRow{Code::InputInvalid, "INPUT_INVALID", 2},
    CodeRow{Code::SkillInvalid, "SKILL_INVALID", 2},
    CodeRow{Code::PermissionDenied, "PERMISSION_DENIED", 3},
    CodeRow{Code::InsistNotSatisfied, "INSIST_NOT_SATISFIED", 4},
    CodeRow{Code::OutputInvalid, "OUTPUT_INVALID", 5},
    CodeRow{Code::WriteConflict, "WRITE_CONFLICT", 5},
    CodeRow{Code::SecretMissing, "SECRET_MISSING", 6},
    CodeRow{Code::LimitExceeded, "LIMIT_EXCEEDED", 7},
    CodeRow{Code::ServerUnreachable, "SERVER_UNREACHABLE", 8},
    CodeRow{Code::Unauthorized, "UNAUTHORIZED", 8},
    CodeRow{Code::SandboxUnavailable, "SANDBOX_UNAVAILABLE", 8},
    CodeRow{Code::Cancelled, "CANCELLED", 8},
    CodeRow{Code::ServerBusy, "SERVER_BUSY", 9},
    CodeRow{Code::NoVmSoftware, "NO_VM_SOFTWARE", 10},
    CodeRow{Code::Internal, "INTERNAL", 70},
    CodeRow{Code::Timeout, "TIMEOUT", 124},
};
static_assert(kCodes.size() == static_cast<std::size_t>(kLastCode) + 1);

const CodeRow& row_of(Code code) {
  for (const CodeRow& row : kCodes)
    if (row.code == code) return row;
  return row_of(Code::Internal);
}

// strerror_r(3) has two versions: GNU returns a pointer to the text, not always to `buffer`; POSIX (macOS, musl) fills
// `buffer`.
[[maybe_unused]] const char* text_of(const char* text, const char*) { return text; }
[[maybe_unused]] const char* text_of(int failed, const char* buffer) { return failed == 0 ? buffer : "unknown error"; }

}  // namespace

std::string_view code_name(Code code) { return row_of(code).name; }

bool code_from_name(std::string_view name, Code& code) {
  for (const CodeRow& row : kCodes)
    if (row.name == name) {
      code = row.code;
      return true;
    }
  return false;
}

int exit_code(Code code) { return row_of(code).exit; }

std::string Error::message() const {
  std::string text;
  if (!layer.empty()) text += layer + ": ";
  text += doing;
  if (err != 0) {
    char buffer[128];
    text += ": ";
    text += text_of(::strerror_r(err, buffer, sizeof buffer), buffer);
  }
  return text;
}

Error layer_error(std::string layer, std::string doing, int err, std::string hint) {
  return Error{.code = Code::SandboxUnavailable,
               .layer = std::move(layer),
               .doing = std::move(doing),
               .err = err,
               .hint = std::move(hint)};
}

}  // namespace band
