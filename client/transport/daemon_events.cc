// The pure part of daemon.h: parsing of answers.
#include <algorithm>

#include "client/transport/daemon.h"
#include "schemas/core/hex.h"
#include "schemas/core/json.h"

namespace band::client {
namespace {

Error not_understood(std::string what) {
  return Error{.code = Code::Internal,
               .doing = "cannot parse the server's answer: " + std::move(what),
               .hint = "compare the versions of band and band-server: `band status`"};
}

std::string text_of(const Json& event, const char* key) {
  const auto it = event.find(key);
  return it != event.end() && it->is_string() ? it->get<std::string>() : "";
}

}  // namespace

Status EventReader::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    if (part.size() > max_line_ - std::min(max_line_, buffer_.size()))
      return Error{.code = Code::LimitExceeded,
                   .doing = "the server's answer has more than " + std::to_string(max_line_) + " bytes",
                   .hint = "if the script needs this, raise limit.maxOutputBytes or limit.maxDiskBytes in BAND.md"};
    buffer_ += part;
    if (end == std::string_view::npos) return done();
    bytes.remove_prefix(end + 1);
    const std::string whole = std::move(buffer_);
    buffer_.clear();
    BAND_CHECK(line(whole));
  }
  return done();
}

Status EventReader::line(std::string_view text) {
  if (text.find_first_not_of(" \t\r") == std::string_view::npos) return done();
  if (answered_) return not_understood("data after the result");
  const auto event = parse_json(text, "event", message_bounds(2));  // {"event", "answer": {"data": ...}}
  if (!event.ok()) return not_understood(event.error().message());
  if (!event->is_object()) return not_understood("an event is not an object");
  const std::string kind = text_of(*event, "event");
  if (kind == "started") {
    if (!id_.empty()) return not_understood("two started events");
    id_ = text_of(*event, "id");
    if (!is_hex(id_, 16)) return not_understood("the execution's id is not 16 hex digits");
    if (listener_.started) listener_.started(id_);
  } else if (kind == "limit") {
    if (listener_.limit) listener_.limit(text_of(*event, "text"));
  } else if (kind == "stderr" || kind == "stdout") {
    // A piece of text, or of arbitrary bytes (ExecRequest::sends_raw).
    auto data = event->contains("base64") ? base64_decode(text_of(*event, "base64")) : text_of(*event, "data");
    if (!data.ok()) return not_understood("a piece of a log is not base64");
    if (listener_.log) listener_.log(kind == "stderr", *data);
  } else if (kind == "result") {
    if (!event->contains("answer")) return not_understood("the result has no answer");
    auto answer = answer_from_json((*event)["answer"]);
    if (!answer.ok()) return not_understood(answer.error().message());
    if (!id_.empty() && answer->id != id_) return not_understood("the result belongs to another execution");
    answer_ = std::move(answer).value();
    answered_ = true;
  }
  // Events of other kinds come from a newer server and can be ignored.
  return done();
}

Result<Answer> EventReader::finish() {
  if (!buffer_.empty()) BAND_CHECK(line(std::exchange(buffer_, "")));
  if (!answered_)
    return Error{.code = Code::ServerUnreachable,
                 .doing = "the server closed the connection before it sent the result",
                 .hint = "check with `band status` whether the server runs; the server's log has the reason"};
  return std::move(answer_);
}

Error error_of_status(int status, std::string_view body, std::string_view retry_after, const Target& target) {
  Error error;
  const auto json = parse_json(body, "answer");
  const bool has_error = json.ok() && error_from_json(*json, error).ok();
  if (!has_error) {
    error = Error{};
    error.code = status == 401 || status == 403   ? Code::Unauthorized
                 : status == 503 || status == 429 ? Code::ServerBusy
                 : status == 413                  ? Code::LimitExceeded
                 : status >= 400 && status < 500  ? Code::BadRequest
                                                  : Code::Internal;
    error.doing = "the server answered with HTTP status " + std::to_string(status);
  }
  if (status == 401 && error.hint.empty())
    error.hint = "the token in " + target_file(target.name) + " was revoked: " + way_to_make(target);
  const bool is_seconds = !retry_after.empty() && retry_after.size() < 6 &&
                          retry_after.find_first_not_of("0123456789") == std::string_view::npos;
  if (status == 503 && is_seconds) {
    error.hint += (error.hint.empty() ? "" : "; ") + ("try again in " + std::string(retry_after) + " s");
    if (error.details.empty())
      error.details = dump_json({{"retryAfterMs", std::stoi(std::string(retry_after)) * std::int64_t{1000}}});
  }
  return error;
}

bool refuses_files(const Error& error) {
  if (error.code != Code::PermissionDenied || error.details.empty()) return false;
  const auto details = parse_json(error.details, "details");
  return details.ok() && details->is_object() && details->contains("denied");
}

std::optional<int> retry_after_ms(const Error& error) {
  constexpr std::int64_t kMost = std::int64_t{3600} * 1000;
  if (error.details.empty()) return std::nullopt;
  const auto details = parse_json(error.details, "details");
  if (!details.ok() || !details->is_object()) return std::nullopt;
  const auto found = details->find("retryAfterMs");
  if (found == details->end() || !found->is_number_unsigned()) return std::nullopt;
  return static_cast<int>(std::min<std::uint64_t>(found->get<std::uint64_t>(), kMost));
}

}  // namespace band::client
