#include "schemas/rules/reader.h"

#include <algorithm>

#include "schemas/core/json.h"
#include "schemas/core/units.h"
#include "schemas/pattern/pattern.h"
#include "schemas/rules/checks.h"
#include "schemas/rules/placeholders.h"

namespace band {
namespace {

Status check_rule(std::string_view section, std::string_view domain, const std::string& pattern) {
  const bool may_be_placeholder =
      (section == "/allow" || section == "/insist") && (domain == "read" || domain == "write");
  if (may_be_placeholder && placeholder_of(pattern)) return done();
  if (domain != "cli") return check_pattern(domain, pattern);
  BAND_TRY(const CliPattern command, CliPattern::parse(pattern));
  return check_command(section.substr(section.rfind('/') + 1), command);
}

// In a document, a pattern with `dot` is a placeholder; in a request, it is the value.
Status check_written_dot(const Rule& rule, std::string_view domain) {
  BAND_CHECK(check_dot(rule, domain));
  if (!rule.dot || placeholder_of(rule.pattern)) return done();
  return Error{.code = Code::SkillInvalid,
               .doing = "`dot` of \"" + rule.pattern.substr(0, 80) +
                        "\": only a placeholder such as `{output}` can have it; any other pattern spells the names "
                        "that it allows",
               .hint = "write the pattern without `dot`"};
}

Result<std::int64_t> parse_limit(const LimitKey& key, const Json& value, const std::string& written) {
  if (key.kind == LimitKey::Kind::Duration) return parse_duration_ms(written);
  if (key.kind == LimitKey::Kind::Bytes) return parse_bytes(written);
  return value.get<std::int64_t>();  // a plain number; the schema reports numbers below 1
}

std::string most_of(const LimitKey& key) {
  if (key.kind == LimitKey::Kind::Duration) return "`" + std::to_string(key.most / 3'600'000) + "h`";
  if (key.kind == LimitKey::Kind::Bytes) return "`" + std::to_string(key.most >> 20) + "m`";
  return std::to_string(key.most);
}

}  // namespace

const Json* RuleReader::find(const std::string& pointer) const {
  const Json::json_pointer at(pointer);
  return document_.value->contains(at) ? &document_.value->at(at) : nullptr;
}

std::optional<std::int64_t> RuleReader::integer(const std::string& pointer) const {
  const Json* value = find(pointer);
  if (value == nullptr || !value->is_number_integer()) return std::nullopt;
  return value->get<std::int64_t>();
}

void RuleReader::each_string(const std::string& pointer, const Visit& visit) const {
  const Json* value = find(pointer);
  if (value == nullptr) return;
  if (value->is_string()) visit(value->get<std::string>(), pointer);
  if (!value->is_array()) return;
  for (std::size_t i = 0; i < value->size(); ++i)
    if ((*value)[i].is_string()) visit((*value)[i].get<std::string>(), join_pointer(pointer, i));
}

std::string RuleReader::text(const std::string& pointer) const {
  const Json* value = find(pointer);
  return value != nullptr && value->is_string() ? value->get<std::string>() : "";
}

std::vector<std::string> RuleReader::strings(const std::string& pointer) const {
  std::vector<std::string> out;
  each_string(pointer, [&](const std::string& value, const std::string&) { out.push_back(value); });
  return out;
}

void RuleReader::add_pattern(const std::string& section, const char* domain, Rule rule, const std::string& at,
                             RuleSet& out) {
  Status status = check_rule(section, domain, rule.pattern);
  if (status.ok()) status = check_optional(rule, domain, section.substr(section.rfind('/') + 1) == "allow");
  if (status.ok()) status = check_written_dot(rule, domain);
  if (!status.ok())
    return complain(at, readable_pointer(section + "/" + domain) + ": " + status.error().doing, status.error().hint);
  out.push_back(std::move(rule));
}

// Skips items of a wrong type, which the schema reports.
void RuleReader::add_item(const std::string& section, const char* domain, const Json& item, const std::string& at,
                          RuleSet& out) {
  if (item.is_string()) return add_pattern(section, domain, {item.get<std::string>(), origin(at)}, at, out);
  if (!item.is_object() || !item.contains("path") || !item["path"].is_string()) return;
  Rule rule{item["path"].get<std::string>(), origin(at)};
  if (item.contains("optional") && item["optional"].is_boolean()) rule.optional = item["optional"].get<bool>();
  if (item.contains("dot") && item["dot"].is_boolean()) rule.dot = item["dot"].get<bool>();
  add_pattern(section, domain, std::move(rule), at, out);
}

RuleSet RuleReader::patterns(const std::string& section, const char* domain) {
  RuleSet out;
  const std::string pointer = section + "/" + domain;
  const Json* value = find(pointer);
  if (value == nullptr) return out;
  if (!value->is_array()) add_item(section, domain, *value, pointer, out);
  for (std::size_t i = 0; value->is_array() && i < value->size(); ++i)
    add_item(section, domain, (*value)[i], join_pointer(pointer, i), out);
  return out;
}

Limits RuleReader::limits(const std::string& pointer) {
  Limits out;
  for (const LimitKey& key : kLimitKeys) {
    const std::string at = pointer + "/" + key.name;
    const Json* value = find(at);
    if (value == nullptr || !(value->is_string() || value->is_number_integer())) continue;
    if (key.kind == LimitKey::Kind::Count && value->is_string()) continue;  // the schema reports this
    const std::string written = value->is_string() ? value->get<std::string>() : dump_json(*value);
    const Result<std::int64_t> number = parse_limit(key, *value, written);
    if (!number.ok())
      complain(at, readable_pointer(at) + ": " + number.error().doing, number.error().hint);
    else if (number.value() > key.most)
      complain(at, readable_pointer(at) + ": " + written + " is more than any server allows",
               "write at most " + most_of(key));
    else
      out.*key.member = number.value();
  }
  if (const Json* dollars = find(pointer + "/maxCostDollars"); dollars != nullptr && dollars->is_number())
    out.maxCostDollars = dollars->get<double>();
  return out;
}

std::string RuleReader::origin(const std::string& pointer) const {
  return file_ + ":" + std::to_string(document_.place_of(pointer).line);
}

void RuleReader::complain(const std::string& pointer, std::string message, std::string hint) {
  const YamlPlace at = document_.place_of(pointer);
  errors_.push_back({file_, at.line, at.column, std::move(message), std::move(hint)});
}

void RuleReader::complain_at_key(const std::string& pointer, std::string message, std::string hint) {
  const auto key = document_.keys.find(pointer);
  if (key == document_.keys.end()) return complain(pointer, std::move(message), std::move(hint));
  errors_.push_back({file_, key->second.line, key->second.column, std::move(message), std::move(hint)});
}

void check_rest(const YamlDocument& document, const std::string& file, std::string_view schema_name,
                std::vector<Diagnostic>& errors) {
  std::vector<Diagnostic> by_schema;
  check_yaml(document, file, schema_name, by_schema);
  const std::size_t before = errors.size();
  for (Diagnostic& diagnostic : by_schema) {
    const auto end = errors.begin() + static_cast<std::ptrdiff_t>(before);
    const auto same = [&](const Diagnostic& d) { return d.line == diagnostic.line && d.column == diagnostic.column; };
    if (std::none_of(errors.begin(), end, same)) errors.push_back(std::move(diagnostic));
  }
}

}  // namespace band
