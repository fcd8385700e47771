#include "server/evidence/mask.h"

#include <algorithm>

#include "schemas/address/host_name.h"
#include "schemas/core/json.h"
#include "schemas/core/json_number.h"
#include "schemas/core/lines.h"
#include "schemas/core/utf8.h"

namespace band::run {
namespace {

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x80; });
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

// Returns the forms that each value has in a host name that is looked up, the longest first.
std::vector<std::string> in_host_names(const std::vector<std::string>& values) {
  std::vector<std::string> names;
  for (const std::string& value : values) {
    names.push_back(in_lower_case(value));
    if (!is_ascii(value))
      if (auto name = canonical_name(value); name.ok()) names.push_back(std::move(*name));
  }
  std::sort(names.begin(), names.end(), [](const auto& one, const auto& other) { return one.size() > other.size(); });
  return names;
}

// Returns for each prefix of the text the length of its longest proper suffix that is also its prefix (the failure
// function of Knuth, Morris and Pratt, SIAM J. Comput. 6, 1977).
std::vector<std::uint32_t> borders_of(std::string_view text) {
  std::vector<std::uint32_t> borders(text.size(), 0);
  for (std::size_t at = 1, border = 0; at < text.size(); ++at) {
    while (border > 0 && text[at] != text[border]) border = borders[border - 1];
    if (text[at] == text[border]) ++border;
    borders[at] = static_cast<std::uint32_t>(border);
  }
  return borders;
}

std::vector<Mask::Match> matches_of(const std::vector<std::string>& values, std::string_view text) {
  // The next position of each value. A value is searched again only when its position has been passed.
  std::vector<std::size_t> next;
  next.reserve(values.size());
  for (const std::string& value : values) next.push_back(text.find(value));
  std::vector<Mask::Match> found;
  for (;;) {
    const auto first = std::min_element(next.begin(), next.end());  // at the same position, the longer value is first
    if (first == next.end() || *first == std::string_view::npos) return found;
    const std::size_t end = *first + values[static_cast<std::size_t>(first - next.begin())].size();
    found.push_back({*first, end});
    for (std::size_t i = 0; i < next.size(); ++i)
      if (next[i] < end) next[i] = text.find(values[i], end);
  }
}

// The current place in a JSON value, as a JSON Pointer (RFC 6901). A pointer that would be too long ends earlier.
class Place {
 public:
  void enter(std::string_view name) {
    if (beyond_ > 0 || pointer_.size() + 2 * name.size() >= kMostBytes) {
      ++beyond_;
      return;
    }
    sizes_.push_back(pointer_.size());
    pointer_ += '/';
    for (const char c : name) c == '~' ? pointer_ += "~0" : c == '/' ? pointer_ += "~1" : pointer_ += c;
  }
  void leave() {
    if (beyond_ > 0) {
      --beyond_;
      return;
    }
    pointer_.resize(sizes_.back());
    sizes_.pop_back();
  }
  const std::string& pointer() const { return pointer_; }

 private:
  static constexpr std::size_t kMostBytes = 256;
  std::string pointer_;
  std::vector<std::size_t> sizes_;  // the size of pointer_ before each of its parts
  std::size_t beyond_ = 0;          // the number of levels that pointer_ does not have
};

// Mask::json().
class JsonMask {
 public:
  explicit JsonMask(const Mask& mask) : mask_(mask) {}

  void mask(Json& value) {
    if (value.is_string()) {
      auto& text = value.get_ref<std::string&>();
      if (!mask_.occurs_in(text)) return;
      text = mask_.text(text);
      add_place();
    } else if (value.is_array()) {
      elements(value);
    } else if (value.is_object()) {
      members(value);
    } else if (is_number(value) && mask_.occurs_in(dump_json(value))) {
      value = std::string(kMasked);
      add_place();
    }
  }

  std::vector<std::string> places() const {
    std::vector<std::string> masked;
    for (const std::string& place : places_) masked.push_back(mask_.text(place));  // `/` can be part of a secret
    return masked;
  }

 private:
  static constexpr std::size_t kMostPlaces = 20;

  void elements(Json& value) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      place_.enter(std::to_string(i));
      mask(value[i]);
      place_.leave();
    }
  }

  // Masks in place when no name contains a secret. Otherwise the members are appended to the underlying vector, and not
  // set with operator[], which would search all members each time: an output with a million names would take hours.
  void members(Json& value) {
    auto& object = value.get_ref<Json::object_t&>();
    using Members = std::vector<std::pair<const std::string, Json>>;
    const bool named =
        std::any_of(object.begin(), object.end(), [&](const auto& member) { return mask_.occurs_in(member.first); });
    Json::object_t masked;
    if (named) masked.reserve(object.size());
    std::size_t count = 0;  // makes masked names distinct: names of members must be unique
    for (auto& [name, member] : object) {
      const bool secret = named && mask_.occurs_in(name);
      std::string shown = secret ? mask_.text(name) + "#" + std::to_string(++count) : named ? name : "";
      place_.enter(named ? shown : name);
      if (secret) add_place();
      mask(member);
      place_.leave();
      if (named) static_cast<Members&>(masked).emplace_back(std::move(shown), std::move(member));
    }
    if (named) object = std::move(masked);
  }

  void add_place() {
    if (places_.size() >= kMostPlaces || (!places_.empty() && places_.back() == place_.pointer())) return;
    places_.push_back(place_.pointer());
  }

  const Mask& mask_;
  Place place_;
  std::vector<std::string> places_;
};

}  // namespace

std::vector<std::string> with_terminal_forms(std::vector<std::string> values) {
  std::vector<std::string> forms;
  for (const std::string& value : values) {
    std::string form = with_carriage_returns(value);
    if (form != value) forms.push_back(std::move(form));
  }
  values.insert(values.end(), forms.begin(), forms.end());
  std::sort(values.begin(), values.end(), [](const auto& one, const auto& other) { return one.size() > other.size(); });
  return values;
}

Mask::Mask(std::vector<std::string> values) : values_(std::move(values)), host_values_(in_host_names(values_)) {
  borders_.reserve(values_.size());
  for (const std::string& value : values_) borders_.push_back(borders_of(value));
}

std::vector<Mask::Match> Mask::matches(std::string_view text) const { return matches_of(values_, text); }

bool Mask::occurs_in(std::string_view text) const {
  return std::any_of(values_.begin(), values_.end(),
                     [&](const std::string& value) { return text.find(value) != std::string_view::npos; });
}

std::size_t Mask::begun(std::string_view text) const {
  std::size_t longest = 0;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const std::string& value = values_[i];
    std::size_t begun =
        0;  // always less than the length of the value, because the searched suffix is shorter than the value
    for (const char c : text.substr(text.size() - std::min(text.size(), value.size() - 1))) {
      while (begun > 0 && c != value[begun]) begun = borders_[i][begun - 1];
      if (c == value[begun]) ++begun;
    }
    longest = std::max(longest, begun);
  }
  return longest;
}

std::string Mask::text(std::string_view text) const { return replaced(text, matches(text)); }

std::string Mask::host(std::string_view text) const {
  return replaced(text, matches_of(host_values_, in_lower_case(text)));
}

std::string Mask::replaced(std::string_view text, const std::vector<Match>& matches) {
  std::string result;
  std::size_t from = 0;
  for (const Match& match : matches) {
    result.append(text.substr(from, match.begin - from));
    result.append(kMasked);
    from = match.end;
  }
  result.append(text.substr(from));
  return result;
}

std::vector<std::string> Mask::json(Json& value) const {
  if (values_.empty()) return {};
  JsonMask masking(*this);
  masking.mask(value);
  return masking.places();
}

void Mask::answer(Answer& answer, bool whole_files) const {
  // Lists all members of Answer, so that the code does not compile with a new member until this function handles or
  // ignores it deliberately.
  [[maybe_unused]] const auto& [id, error, data, masked, files, not_written, refused, removed, renamed, mode_changed,
                                unnamed, home_files, stdout_log, stderr_log, stdout_cut, stderr_cut, exit_status,
                                metrics, ledger] = answer;
  if (values_.empty()) return;
  answer.masked = json(answer.data);
  answer.stdout_log = text(answer.stdout_log);
  answer.stderr_log = text(answer.stderr_log);
  if (answer.error) {
    answer.error->doing = text(answer.error->doing);
    answer.error->hint = text(answer.error->hint);
    answer.error->details = text(answer.error->details);
  }
  std::vector<ShippedFile> kept;
  for (ShippedFile& file : answer.files) {
    if (occurs_in(file.path)) {
      answer.not_written.push_back(file.path);
      continue;
    }
    if (!whole_files) file.content = text(file.content);
    kept.push_back(std::move(file));
  }
  answer.files = std::move(kept);
  for (std::vector<std::string>* paths :
       {&answer.not_written, &answer.removed, &answer.mode_changed, &answer.home_files})
    for (std::string& path : *paths) path = text(path);
  for (RefusedFile& file : answer.refused) file = {text(file.path), text(file.reason)};
  for (RenamedFile& file : answer.renamed) file = {text(file.from), text(file.to)};
  for (LedgerEntry& entry : answer.ledger) {
    entry.text = text(entry.text);
    json(entry.details);
  }
}

std::string StreamMask::add(std::string_view piece) {
  held_.append(piece);
  // Bytes before `ready` can be sent: a secret that begins there is completely in held_.
  std::size_t ready = held_.size() - mask_.begun(held_);
  std::size_t masked_to = 0;
  for (const Mask::Match& match : mask_.matches(held_)) {
    if (match.begin >= ready) break;
    masked_to = match.end;
    ready = std::max(ready, match.end);
  }
  // Does not split a UTF-8 character, except directly after the end of a secret.
  if (cut_ == Cut::Characters && ready > masked_to)
    ready -= std::min(unfinished_utf8(std::string_view(held_).substr(0, ready)), ready - masked_to);
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
