#include "schemas/rules/placeholders.h"

#include <algorithm>

#include "schemas/core/diagnostic.h"
#include "schemas/core/json.h"
#include "schemas/core/obeyed_names.h"
#include "schemas/pattern/pattern.h"
#include "schemas/rules/named_path.h"

namespace band {
namespace {

bool is_name(std::string_view text) {
  const auto is_part = [](unsigned char c) { return ::isalnum(c) != 0 || c == '_' || c == '-'; };
  return !text.empty() && text.size() <= 128 && std::all_of(text.begin(), text.end(), is_part);
}

Error refuse(const Rule& rule, const std::string& what, const std::string& hint = "") {
  return Error{
      .code = Code::InputInvalid,
      .doing = "`" + *placeholder_of(rule.pattern) + "` of the input " + what + "; the rule " + rule.pattern + " (" +
               rule.origin + ") allows a file of the workspace",
      .hint = hint.empty()
                  ? "name a file of the workspace by its path relative to the workspace, as in `notes/today.md`"
                  : hint};
}

// The caller of the script chooses the value, and the caller may be an agent. Therefore it opens fewer names for
// writing than a pattern that the author of the band has written.
Status check_written_value(const Rule& rule, const std::string& path) {
  const ObeyedName* const obeyed = obeyed_name(path);
  if (obeyed != nullptr && obeyed->opened_by != OpenedBy::AnyRule)
    return refuse(rule,
                  "names `" + std::string(obeyed->name) + "`, which " + std::string(obeyed->reason) +
                      "; a value cannot allow to write it",
                  "choose another name; only a rule that spells the name can allow it");
  if (has_hidden_name(path) && !rule.dot)
    return refuse(rule, "has a name that begins with a dot, which a value does not allow to write",
                  "choose another name; or write {path: \"" + rule.pattern + "\", dot: true} in BAND.md");
  return done();
}

// Normalises the path: "notes//today.md" becomes the pattern "./notes/today.md".
Result<Rule> literal(const Rule& rule, const std::string& path, bool writes) {
  if (path.starts_with('/')) return refuse(rule, "is an absolute path");
  std::string pattern = ".";
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    const std::string segment = path.substr(start, end - start);
    start = end + 1;
    if (segment == "..") return refuse(rule, "has the segment `..`");
    if (!segment.empty() && segment != ".") pattern += "/" + escaped_path(segment);
  }
  if (pattern == ".") return refuse(rule, "names no file");
  const auto parsed = PathPattern::parse(pattern);
  if (!parsed.ok()) return refuse(rule, "cannot be a path");
  if (writes) BAND_CHECK(check_written_value(rule, parsed->literal_prefix()));
  return Rule{pattern, rule.origin, rule.optional, rule.dot, true};
}

// `writes`: the rule is one of `write`.
Status replace(const Rule& rule, const Json& input, bool writes, RuleSet& out) {
  const std::string name = *placeholder_of(rule.pattern);
  const auto found = input.is_object() ? input.find(name) : input.end();
  if (found == input.end() || found->is_null()) return done();
  if (!found->is_string() && !found->is_array()) return refuse(rule, "is not a string");
  const Json values = found->is_array() ? *found : Json::array({*found});
  for (const Json& value : values) {
    if (!value.is_string()) return refuse(rule, "has an item that is not a string");
    BAND_TRY(Rule replaced, literal(rule, value.get<std::string>(), writes));
    out.push_back(std::move(replaced));
  }
  return done();
}

Status replace_all(RuleSet& set, const Json& input, bool writes) {
  RuleSet out;
  for (Rule& rule : set) {
    if (placeholder_of(rule.pattern))
      BAND_CHECK(replace(rule, input, writes, out));
    else
      out.push_back(std::move(rule));
  }
  set = std::move(out);
  return done();
}

}  // namespace

std::optional<std::string> placeholder_of(std::string_view pattern) {
  if (pattern.size() < 3 || pattern.front() != '{' || pattern.back() != '}') return std::nullopt;
  const std::string_view name = pattern.substr(1, pattern.size() - 2);
  if (!is_name(name)) return std::nullopt;
  return std::string(name);
}

std::vector<Rule> placeholders(const Rules& rules) {
  std::vector<Rule> found;
  const auto add = [&](const RuleSet& set) {
    std::copy_if(set.begin(), set.end(), std::back_inserter(found),
                 [](const Rule& rule) { return placeholder_of(rule.pattern).has_value(); });
  };
  for (const Domain* domain : {&rules.read, &rules.write}) {
    for (const RuleSet& layer : domain->opened) add(layer);
    add(domain->insist);
  }
  return found;
}

Result<Rules> with_input(const Rules& rules, const Json& input) {
  Rules replaced = rules;
  for (Domain* domain : {&replaced.read, &replaced.write}) {
    const bool writes = domain == &replaced.write;
    for (RuleSet& layer : domain->opened) BAND_CHECK(replace_all(layer, input, writes));
    BAND_CHECK(replace_all(domain->insist, input, writes));
  }
  return replaced;
}

Result<Rules> with_path(const Rules& rules, const std::string& property, const std::string& path) {
  Json input = Json::object();
  input[property] = path;
  return with_input(rules, input);
}

}  // namespace band
