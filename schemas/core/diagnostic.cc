#include "schemas/core/diagnostic.h"

#include <algorithm>
#include <tuple>

#include "schemas/core/json_text.h"

namespace band {

std::string Diagnostic::text() const {
  std::string out = file;
  if (line > 0) out += ":" + std::to_string(line);
  if (line > 0 && column > 0) out += ":" + std::to_string(column);
  if (!out.empty()) out += ": ";
  out += message;
  if (!hint.empty()) out += "; " + hint;
  return out;
}

std::string json_of(const std::vector<Diagnostic>& diagnostics) {
  std::vector<std::string> list;
  list.reserve(diagnostics.size());
  for (const Diagnostic& each : diagnostics)
    list.push_back(json_object({{"file", json_string(each.file)},
                                {"line", std::to_string(each.line)},
                                {"column", std::to_string(each.column)},
                                {"message", json_string(each.message)},
                                {"hint", json_string(each.hint)}}));
  return json_array(list);
}

Error skill_invalid(const std::vector<Diagnostic>& errors) {
  Error error{.code = Code::SkillInvalid};
  for (const Diagnostic& diagnostic : errors) error.doing += (error.doing.empty() ? "" : "\n") + diagnostic.text();
  if (errors.empty()) error.doing = "the band is not valid";
  error.hint = "correct these errors; `band validate SKILL` checks a skill without running its scripts";
  error.details = json_of(errors);
  return error;
}

Diagnostic at_origin(const std::string& origin, std::string message, std::string hint) {
  Diagnostic diagnostic{origin, 0, 0, std::move(message), std::move(hint)};
  const std::size_t colon = origin.rfind(':');
  const std::string line = colon == std::string::npos ? "" : origin.substr(colon + 1);
  if (!line.empty() && line.size() < 7 && line.find_first_not_of("0123456789") == std::string::npos) {
    diagnostic.file = origin.substr(0, colon);
    diagnostic.line = std::stoi(line);
  }
  return diagnostic;
}

void sort_by_place(std::vector<Diagnostic>& diagnostics) {
  const auto place = [](const Diagnostic& d) { return std::tie(d.file, d.line, d.column, d.message); };
  std::stable_sort(diagnostics.begin(), diagnostics.end(),
                   [&](const Diagnostic& a, const Diagnostic& b) { return place(a) < place(b); });
  diagnostics.erase(std::unique(diagnostics.begin(), diagnostics.end(),
                                [&](const Diagnostic& a, const Diagnostic& b) { return place(a) == place(b); }),
                    diagnostics.end());
}

std::size_t edits_between(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

std::string nearest_word(const std::string& word, const std::vector<std::string>& known) {
  if (word.size() > 64) return "";  // longer than every key, and the table is quadratic
  std::string best;
  std::size_t least = word.size() / 3 + 2;  // `maxRuntime` is near `maxRuntimeMs`; `x` is only near one-letter words
  for (const std::string& candidate : known) {
    const std::size_t edits = edits_between(word, candidate);
    if (edits < least && edits < candidate.size()) {
      least = edits;
      best = candidate;
    }
  }
  return best;
}

}  // namespace band
