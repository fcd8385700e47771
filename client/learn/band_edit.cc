#include "client/learn/band_edit.h"

#include <algorithm>
#include <set>

#include "client/author/skeleton.h"
#include "client/learn/band_text.h"
#include "schemas/band/band.h"
#include "schemas/core/json_text.h"
#include "schemas/yaml/yaml.h"

namespace band::client::learn {
namespace {

constexpr std::size_t kMostComment = 200;  // bytes
constexpr std::size_t kLongestWord = 60;   // bytes; a comment is cut before a shorter word, inside of a longer one

// ---- the band ----

struct Part {
  const char *section, *domain;
  RuleSet BandFile::*rules;
};
constexpr Part kParts[] = {{"allow", "cli", &BandFile::allow_cli},     {"allow", "net", &BandFile::allow_net},
                           {"allow", "read", &BandFile::allow_read},   {"allow", "write", &BandFile::allow_write},
                           {"insist", "cli", &BandFile::insist_cli},   {"insist", "net", &BandFile::insist_net},
                           {"insist", "read", &BandFile::insist_read}, {"insist", "write", &BandFile::insist_write},
                           {"deny", "cli", &BandFile::deny_cli},       {"deny", "net", &BandFile::deny_net},
                           {"deny", "read", &BandFile::deny_read},     {"deny", "write", &BandFile::deny_write}};

Result<BandFile> parsed(std::string_view text, const std::string& file) {
  std::vector<Diagnostic> errors;
  auto band = parse_band(text, file, errors);
  if (!band) return cannot_edit(file, errors.empty() ? "it has no band" : errors.front().text());
  return std::move(*band);
}

const RuleSet& rules_of(const BandFile& band, const std::string& section, const std::string& domain) {
  static const RuleSet none;
  for (const Part& part : kParts)
    if (section == part.section && domain == part.domain) return band.*part.rules;
  return none;
}

// ---- the editor ----

class Editor {
 public:
  Editor(BandText lines, const std::string& file) : lines_(std::move(lines)), file_(file) {}

  Status add(const Line& line) {
    BAND_CHECK(read());
    const std::string section = "/" + line.section, list = section + "/" + line.domain;
    if (document_.keys.contains(list)) return add_to(list, line);
    if (document_.keys.contains(section)) return add_domain(section, line);
    return add_section(line);
  }

  Status remove(const Removal& removal) {
    BAND_CHECK(read());
    const std::string section = "/" + removal.section, list = section + "/" + removal.domain;
    BAND_TRY(const BandFile band, parsed(text(), file_));
    const RuleSet& rules = rules_of(band, removal.section, removal.domain);
    for (std::size_t i = 0; i < rules.size(); ++i) {
      if (rules[i].pattern != removal.pattern) continue;
      return rules.size() == 1 ? remove_key(list, section) : remove_item(list, i, rules.size());
    }
    return cannot_edit(file_, "`" + removal.pattern + "` is not in " + removal.section + "." + removal.domain);
  }

  // Removes the comment of `band new`, which states that nothing is open yet.
  void drop_comment_of_new_band() {
    const std::vector<std::string> comment = new_band_comment();
    const auto end = lines_.rows.begin() + static_cast<std::ptrdiff_t>(lines_.fence);
    const auto found = std::search(lines_.rows.begin(), end, comment.begin(), comment.end());
    if (found == end) return;
    const std::size_t row = static_cast<std::size_t>(found - lines_.rows.begin());
    erase(row, row + comment.size());
  }

  std::string text() const { return lines_.text(); }

 private:
  static constexpr std::size_t kScalar = static_cast<std::size_t>(-1);

  Status read() {
    std::string yaml;
    for (std::size_t i = lines_.first; i < lines_.fence; ++i) yaml += lines_.rows[i] + "\n";
    std::vector<Diagnostic> errors;
    auto document = parse_yaml(yaml, file_, 2, errors);
    if (!document || !errors.empty())
      return cannot_edit(file_, errors.empty() ? "it is not valid YAML" : errors.front().text());
    document_ = std::move(*document);
    return done();
  }

  Spot spot(const YamlPlace& place) const {
    return {static_cast<std::size_t>(place.line - 1), static_cast<std::size_t>(place.column - 1)};
  }
  Spot key(const std::string& pointer) const { return spot(document_.keys.at(pointer)); }
  Spot value(const std::string& pointer) const { return spot(document_.place_of(pointer)); }

  // Returns true for a value in flow style ([ or {); false for a block, whose place may be outside of its row.
  bool is_flow(const std::string& pointer) const {
    const Spot at = value(pointer);
    return at.row < lines_.rows.size() && at.column < lines_.rows[at.row].size() &&
           (lines_.rows[at.row][at.column] == '[' || lines_.rows[at.row][at.column] == '{');
  }

  // Returns the number of items of a list; kScalar for a single pattern; 0 for a missing key.
  std::size_t size_of(const std::string& list) const {
    if (!document_.keys.contains(list)) return 0;
    std::size_t count = 0;
    while (document_.values.contains(list + "/" + std::to_string(count))) ++count;
    if (count > 0) return count;
    return is_flow(list) ? 0 : kScalar;
  }

  void insert(std::size_t row, std::string text) {
    lines_.rows.insert(lines_.rows.begin() + static_cast<std::ptrdiff_t>(row), std::move(text));
    if (row <= lines_.fence) ++lines_.fence;
  }
  void erase(std::size_t from, std::size_t to) {
    lines_.rows.erase(lines_.rows.begin() + static_cast<std::ptrdiff_t>(from),
                      lines_.rows.begin() + static_cast<std::ptrdiff_t>(to));
    lines_.fence -= to - from;
  }

  // Returns the row after the block that begins at `row` with this indentation. Rows with a deeper indentation belong
  // to the block.
  std::size_t behind_block(std::size_t row, std::size_t indent) const {
    std::size_t end = row + 1;
    for (std::size_t i = row + 1; i < lines_.fence; ++i) {
      if (is_comment_or_blank(lines_.rows[i])) continue;
      if (indent_of(lines_.rows[i]) <= indent) break;
      end = i + 1;
    }
    return end;
  }

  Status add_to(const std::string& list, const Line& line) {
    if (is_flow(list)) return add_to_flow(list, item_text(line), line);
    if (size_of(list) == kScalar) return scalar_to_list(list, line);
    const std::string last = list + "/" + std::to_string(size_of(list) - 1);
    const Spot at = value(last);
    const std::size_t dash = lines_.rows[at.row].rfind('-', at.column == 0 ? 0 : at.column - 1);
    if (dash == std::string::npos || indent_of(lines_.rows[at.row]) != dash)
      return cannot_edit(file_, "the list " + list + " has an unsupported form");
    insert(behind_block(at.row, dash), std::string(dash, ' ') + "- " + item_text(line) + comment(line));
    return done();
  }

  Status add_to_flow(const std::string& pointer, const std::string& item, const Line& line) {
    const auto end = end_of_flow(lines_, value(pointer));
    if (!end) return cannot_edit(file_, "the end of " + pointer + " was not found");
    std::string& row = lines_.rows[end->behind_last.row];
    row.insert(end->behind_last.column, (end->empty ? "" : end->comma_last ? " " : ", ") + item);
    row += comment_among_others(line);
    return done();
  }

  Status scalar_to_list(const std::string& list, const Line& line) {
    const Spot at = value(list);
    std::string& row = lines_.rows[at.row];
    const std::size_t end = end_of_value(row, at.column);
    if (end == std::string::npos || key(list).row != at.row)
      return cannot_edit(file_, list + " is one pattern over several lines");
    const std::string old = row.substr(at.column, end - at.column);
    const bool quoted = old.front() == '"' || old.front() == '\'';
    row.replace(at.column, end - at.column, "[" + (quoted ? old : json_string(old)) + ", " + item_text(line) + "]");
    row += comment_among_others(line);
    return done();
  }

  Status add_domain(const std::string& section, const Line& line) {
    if (is_flow(section)) return add_to_flow(section, line.domain + ": [" + item_text(line) + "]", line);
    const Spot at = value(section);  // the place of its first key
    if (at.row >= lines_.fence || indent_of(lines_.rows[at.row]) != at.column)
      return cannot_edit(file_, section + " has an unsupported form");
    insert_list(key(section).row + 1, at.column, line);
    return done();
  }

  Status add_section(const Line& line) {
    const auto top = document_.keys.find("/band");
    if (top == document_.keys.end() || lines_.rows[spot(top->second).row].starts_with('{'))
      return cannot_edit(file_, "its frontmatter is one flow map");
    const std::size_t indent = spot(top->second).column;
    const std::size_t row = place_for_section(line.section);
    insert(row, std::string(indent, ' ') + line.section + ":");
    insert_list(row + 1, indent + 2, line);
    return done();
  }

  void insert_list(std::size_t row, std::size_t indent, const Line& line) {
    insert(row, std::string(indent, ' ') + line.domain + ":");
    insert(row + 1, std::string(indent + 2, ' ') + "- " + item_text(line) + comment(line));
  }

  // Returns the row before the sections that usually follow, and before the comments above them; else the end.
  std::size_t place_for_section(const std::string& section) const {
    std::size_t row = lines_.fence;
    for (const char* later : {"/deny", "/insist", "/limit", "/env"}) {
      const bool is_behind =
          section == "allow" || std::string_view(later) == "/limit" || std::string_view(later) == "/env";
      if (is_behind && document_.keys.contains(later)) row = std::min(row, key(later).row);
    }
    if (row == lines_.fence) return row;
    while (row > lines_.first && !lines_.rows[row - 1].empty() && is_comment_or_blank(lines_.rows[row - 1])) --row;
    return row;
  }

  // Removes a list or a single pattern with its key, and the section when it has no other key.
  Status remove_key(const std::string& list, const std::string& section) {
    std::size_t others = 0;
    for (const auto& [pointer, place] : document_.keys)
      if (pointer.starts_with(section + "/") && pointer.find('/', section.size() + 1) == std::string::npos) ++others;
    if (is_flow(section)) return cannot_edit(file_, section + " is a flow map");
    const std::string& whole = others > 1 ? list : section;
    const Spot at = key(whole);
    if (indent_of(lines_.rows[at.row]) != at.column) return cannot_edit(file_, whole + " does not begin its line");
    erase(at.row, end_of_key(whole, at));
    return done();
  }

  std::size_t end_of_key(const std::string& pointer, Spot at) const {
    if (is_flow(pointer))
      if (const auto end = end_of_flow(lines_, value(pointer))) return end->bracket.row + 1;
    std::size_t end = behind_block(at.row, at.column);
    // A list whose dashes are in the column of the key.
    while (end < lines_.fence && indent_of(lines_.rows[end]) == at.column &&
           lines_.rows[end].substr(at.column).starts_with("- "))
      end = behind_block(end, at.column);
    return end;
  }

  Status remove_item(const std::string& list, std::size_t index, std::size_t count) {
    const Spot at = value(list + "/" + std::to_string(index));
    if (!is_flow(list)) {
      const std::size_t dash = indent_of(lines_.rows[at.row]);
      erase(at.row, behind_block(at.row, dash));
      return done();
    }
    // Erases from this item to the next one, or from the end of the previous one.
    const Spot other = value(list + "/" + std::to_string(index + 1 < count ? index + 1 : index - 1));
    if (other.row != at.row) return cannot_edit(file_, list + " is a flow list over several lines");
    std::string& row = lines_.rows[at.row];
    if (index + 1 < count) {
      row.erase(at.column, other.column - at.column);
      return done();
    }
    const auto end = end_of_flow(lines_, value(list));
    const std::size_t comma = row.rfind(',', at.column);
    if (!end || end->behind_last.row != at.row || comma == std::string::npos || comma < other.column)
      return cannot_edit(file_, "the last item of " + list + " was not found");
    row.erase(comma, end->behind_last.column - comma);
    return done();
  }

  // The comment after the item. It contains the item's text when the row has further items.
  static std::string comment(const Line& line) { return "   " + comment_text(line); }
  static std::string comment_among_others(const Line& line) {
    return "   # " + item_text(line) + ": " + comment_text(line).substr(2);
  }

  BandText lines_;
  const std::string& file_;
  YamlDocument document_;
};

// ---- the check ----

using Patterns = std::multiset<std::pair<std::string, bool>>;

Patterns patterns_of(const RuleSet& rules) {
  Patterns patterns;
  for (const Rule& rule : rules) patterns.insert({rule.pattern, rule.optional});
  return patterns;
}

std::string rest_of(const BandFile& band) {
  std::string rest = band.name + "\n" + band.icon + "\n" + band.description + "\n" + band.version + "\n" + band.path +
                     "\n" + band.min_band_version + "\n" + band.input_schema + "\n" + band.output_schema + "\n" +
                     dump_json(band.config) + "\n";
  for (const LimitKey& key : kLimitKeys) rest += std::to_string((band.limit.*key.member).value_or(-1)) + "\n";
  rest += std::to_string(band.limit.maxCostDollars.value_or(-1)) + "\n";
  for (const auto* list : {&band.extends, &band.includes, &band.targets, &band.provides})
    rest += json_list(*list) + "\n";
  for (const EnvRule& rule : band.env)
    rest += rule.name + (rule.required ? " required" : "") + (rule.secret ? " secret " : " ") +
            rule.fallback.value_or("\n") + rule.description + "\n";
  return rest;
}

Status check(const BandFile& before, const BandFile& after, const std::vector<Line>& lines,
             const std::vector<Removal>& removals, const std::string& file) {
  for (const Part& part : kParts) {
    Patterns wanted = patterns_of(before.*part.rules);
    for (const Line& line : lines)
      if (line.section == part.section && line.domain == part.domain) wanted.insert({line.pattern, line.optional});
    for (const Removal& removal : removals) {
      if (removal.section != part.section || removal.domain != part.domain) continue;
      const auto found =
          std::find_if(wanted.begin(), wanted.end(), [&](const auto& one) { return one.first == removal.pattern; });
      if (found != wanted.end()) wanted.erase(found);
    }
    if (wanted != patterns_of(after.*part.rules))
      return cannot_edit(file, std::string(part.section) + "." + part.domain + " would get other rules than intended");
  }
  if (rest_of(before) != rest_of(after)) return cannot_edit(file, "other parts than the rules would change");
  return done();
}

}  // namespace

std::string item_text(const Line& line) {
  // Characters that JSON leaves unescaped and that steer terminals (bidirectional overrides) are escaped in the form
  // that JSON and YAML share.
  const std::string pattern = escaped(json_string(line.pattern));
  return line.optional ? "{path: " + pattern + ", optional: true}" : pattern;
}

std::string comment_text(const Line& line) {
  std::string text = "run " + std::to_string(line.run) + ": " + line.reason;
  if (!line.warning.empty()) text += "; WIDE: " + line.warning;
  if (!line.source.empty()) text += " (" + line.evidence + ": " + line.source + ")";
  text = escaped(text);
  if (text.size() > kMostComment) {
    std::size_t cut = text.rfind(' ', kMostComment);
    if (cut == std::string::npos || cut + kLongestWord < kMostComment) {
      cut = kMostComment;
      while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;  // keeps whole UTF-8 characters
    }
    text = text.substr(0, cut) + (text[cut] == ' ' ? " ..." : "...");
  }
  return "# " + text;
}

Result<std::string> edited(std::string_view text, const std::string& file, const std::vector<Line>& lines,
                           const std::vector<Removal>& removals) {
  BAND_TRY(const BandFile before, parsed(text, file));
  BAND_TRY(BandText rows, BandText::split(text, file));
  Editor editor(std::move(rows), file);
  for (const Removal& removal : removals) BAND_CHECK(editor.remove(removal));
  if (!lines.empty()) editor.drop_comment_of_new_band();
  // A new list is inserted at the beginning of its section: the domains are added in reverse order.
  for (const char* domain : {"write", "read", "net", "cli"})
    for (const Line& line : lines)
      if (line.domain == domain) BAND_CHECK(editor.add(line));
  std::string result = editor.text();
  BAND_TRY(const BandFile after, parsed(result, file));
  BAND_CHECK(check(before, after, lines, removals, file));
  return result;
}

}  // namespace band::client::learn
