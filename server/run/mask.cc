#include "server/run/mask.h"

#include <algorithm>

namespace band::run {
namespace {

// How many bytes at the end belong to a UTF-8 character that is not complete (RFC 3629: at most three).
std::size_t unfinished(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const std::size_t length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? back : 0;
  }
  return 0;
}

}  // namespace

Mask::Match Mask::find(std::string_view text, std::size_t from) const {
  Match best;
  for (const std::string& value : values_) {
    const std::size_t at = text.find(value, from);
    if (at < best.begin) best = {at, at + value.size()};  // of two at one place the longer comes first
  }
  return best;
}

std::string Mask::text(std::string_view text) const {
  if (values_.empty()) return std::string(text);
  std::string result;
  std::size_t from = 0;
  for (Match match = find(text, 0); match.begin != std::string_view::npos; match = find(text, from)) {
    result.append(text.substr(from, match.begin - from));
    result.append(kMasked);
    from = match.end;
  }
  result.append(text.substr(from));
  return result;
}

void Mask::json(Json& value) const {
  if (values_.empty()) return;
  if (value.is_string()) {
    value = text(value.get_ref<const std::string&>());
  } else if (value.is_array()) {
    for (Json& element : value) json(element);
  } else if (value.is_object()) {
    Json masked = Json::object();
    for (auto& [name, member] : value.items()) {
      json(member);
      masked[text(name)] = std::move(member);
    }
    value = std::move(masked);
  } else if (value.is_number() && find(dump_json(value), 0).begin != std::string_view::npos) {
    value = std::string(kMasked);
  }
}

void Mask::answer(Answer& answer) const {
  if (values_.empty()) return;
  json(answer.data);
  answer.stdout_log = text(answer.stdout_log);
  answer.stderr_log = text(answer.stderr_log);
  if (answer.error) {
    answer.error->doing = text(answer.error->doing);
    answer.error->hint = text(answer.error->hint);
    answer.error->details = text(answer.error->details);
  }
  std::vector<ShippedFile> kept;
  for (ShippedFile& file : answer.files) {
    if (find(file.path, 0).begin != std::string_view::npos) {
      answer.not_written.push_back(file.path);
      continue;
    }
    file.content = text(file.content);
    kept.push_back(std::move(file));
  }
  answer.files = std::move(kept);
  for (std::string& path : answer.not_written) path = text(path);
  for (LedgerEntry& entry : answer.ledger) {
    entry.text = text(entry.text);
    json(entry.details);
  }
}

std::string StreamMask::add(std::string_view piece) {
  held_.append(piece);
  std::size_t last_end = 0;
  std::size_t from = 0;
  for (auto match = mask_.find(held_, 0); match.begin != std::string_view::npos; match = mask_.find(held_, from))
    last_end = from = match.end;
  const std::size_t hold = mask_.empty() ? 0 : mask_.longest() - 1;
  std::size_t ready = std::max(last_end, held_.size() > hold ? held_.size() - hold : 0);
  // Never cut a character in two, unless it is the end of a secret.
  if (ready > last_end) ready -= std::min(unfinished(std::string_view(held_).substr(0, ready)), ready - last_end);
  std::string result = mask_.text(std::string_view(held_).substr(0, ready));
  held_.erase(0, ready);
  return result;
}

std::string StreamMask::finish() {
  std::string result = mask_.text(held_);
  held_.clear();
  return result;
}

}  // namespace band::run
