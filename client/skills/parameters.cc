#include "client/skills/parameters.h"

#include <algorithm>
#include <optional>

#include "client/skills/schema_view.h"
#include "client/skills/skills.h"
#include "client/terminal/nearest.h"
#include "client/terminal/verbs.h"
#include "schemas/core/join.h"
#include "schemas/core/json.h"
#include "schemas/core/json_pointer.h"

namespace band::client {
namespace {

std::string in_quotes(std::string_view text) {
  return "\"" + std::string(text.substr(0, 80)) + (text.size() > 80 ? "...\"" : "\"");
}

// Letter case and separators do not distinguish parameters: dryRun, dry-run, dry_run, DRY_RUN.
std::string canonical(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (c != '-' && c != '_') out += (c >= 'A' && c <= 'Z') ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

const Parameter* find_parameter(const std::vector<Parameter>& parameters, std::string_view name) {
  const Parameter* found = nullptr;
  for (const Parameter& parameter : parameters)
    if (parameter.name == name) return &parameter;
  for (const Parameter& parameter : parameters) {
    if (canonical(parameter.name) != canonical(name)) continue;
    if (found != nullptr) return nullptr;  // `a_b` and `aB`: only the exact spelling is unambiguous
    found = &parameter;
  }
  return found;
}

// Converts `text` to a value of `type`; nothing if it is not one.
std::optional<Json> convert_to(const std::string& type, const std::string& text) {
  if (type == "string") return Json(text);
  // The grammar of JSON defines numbers: not "0x10", "1_000", "+5", " 5".
  if (text.empty() || text.find_first_of(" \t\r\n") == 0) return std::nullopt;
  auto parsed = parse_json(text, "value");
  if (!parsed.ok()) return std::nullopt;
  const std::string_view got = json_type_name(*parsed);
  if (got != type && !(type == "number" && got == "integer")) return std::nullopt;
  return std::move(parsed).value();
}

std::optional<Json> convert(const std::vector<std::string>& types, const std::string& text) {
  if (types.empty()) {
    auto parsed = parse_json(text, "value");
    return parsed.ok() ? std::move(parsed).value() : Json(text);
  }
  for (const std::string& type : types)
    if (auto value = convert_to(type, text)) return value;
  return std::nullopt;
}

Error wrong_value(const std::string& flag, const std::vector<std::string>& types, const std::string& text) {
  std::string hint;
  const auto has = [&](const char* type) { return std::find(types.begin(), types.end(), type) != types.end(); };
  if (has("integer")) hint = "write a whole number, for example " + flag + "=5";
  if (has("number")) hint = "write a number as in JSON, for example " + flag + "=1.5";
  if (has("boolean")) hint = "write " + flag + " alone, " + flag + "=true or " + flag + "=false";
  if (has("object")) hint = "write JSON text, for example " + flag + "='{\"key\": \"value\"}'";
  return Error{.code = Code::InputInvalid,
               .doing = flag + ": expected " + join(types, " or ") + " (rule `type`), got " + in_quotes(text),
               .hint = hint};
}

// Returns band's own flags with a similar name, except those that the script also has: "`--a` or `--b`".
std::string flags_near(const std::string& name, const std::vector<std::string>& of_script, std::string_view verb) {
  std::string text;
  for (const std::string& flag : nearest(name, flags_of(verb)))
    if (std::find(of_script.begin(), of_script.end(), flag) == of_script.end())
      text += (text.empty() ? "`--" : " or `--") + flag + "`";
  return text;
}

// The values of one parameter, in order; empty for a bare flag.
struct Given {
  std::string flag;
  std::vector<std::string> texts;
  bool negated = false, bare = false;
};

class Words {
 public:
  Words(const std::vector<Parameter>& parameters, const std::vector<std::string>& words, std::string_view verb)
      : parameters_(parameters), words_(words), verb_(verb) {}

  Result<std::map<const Parameter*, Given>> read() {
    for (; at_ < words_.size(); ++at_) {
      const std::string& word = words_[at_];
      if (!word.starts_with("--") || word.size() == 2)
        return Error{.code = Code::Usage,
                     .doing = "unexpected word " + in_quotes(word),
                     .hint = "parameters are written --name value, or --name=value when the value begins with `--`"};
      BAND_CHECK(flag(word));
    }
    return std::move(given_);
  }

 private:
  Status flag(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(2, equals == std::string::npos ? std::string::npos : equals - 2);
    const Parameter* parameter = find_parameter(parameters_, name);
    bool negated = false;
    if (parameter == nullptr && name.starts_with("no-")) {
      parameter = find_parameter(parameters_, std::string_view(name).substr(3));
      negated = parameter != nullptr && parameter->takes("boolean");
      if (!negated) parameter = nullptr;
    }
    if (parameter == nullptr) return unknown(name);
    Given& given = given_[parameter];
    if (given.flag.empty()) given.flag = "--" + (negated ? name.substr(3) : name);
    if (given.bare || given.negated ||
        (!given.texts.empty() && !parameter->takes("array") && !parameter->types.empty()))
      return twice(given.flag);
    if (negated) {
      if (equals != std::string::npos)
        return Error{.code = Code::Usage,
                     .doing = "--" + name + " does not accept a value",
                     .hint = "write --" + name + " alone"};
      if (!given.texts.empty()) return twice(given.flag);
      given.negated = true;
      return done();
    }
    return value(*parameter, given,
                 equals == std::string::npos ? std::nullopt : std::optional(word.substr(equals + 1)));
  }

  Status value(const Parameter& parameter, Given& given, std::optional<std::string> written) {
    if (written) {
      given.texts.push_back(std::move(*written));
      return done();
    }
    const bool has_next = at_ + 1 < words_.size() && !words_[at_ + 1].starts_with("--");
    if (parameter.takes("boolean")) {
      // A bare flag, unless the next word can only be its value.
      if (has_next && (parameter.types.size() > 1 || words_[at_ + 1] == "true" || words_[at_ + 1] == "false")) {
        given.texts.push_back(words_[++at_]);
        return done();
      }
      if (!given.texts.empty()) return twice(given.flag);
      given.bare = true;
      return done();
    }
    if (!has_next)
      return Error{.code = Code::Usage,
                   .doing = given.flag + " needs a value" +
                            (parameter.types.empty() ? "" : " (" + join(parameter.types, " or ") + ")"),
                   .hint = "write " + given.flag + "=VALUE, also when the value begins with `--`"};
    given.texts.push_back(words_[++at_]);
    return done();
  }

  Error twice(const std::string& flag) const {
    return Error{
        .code = Code::Usage, .doing = flag + " is given twice, but accepts one value", .hint = "write it once"};
  }

  Error unknown(const std::string& name) const {
    std::vector<std::string> names;
    for (const Parameter& parameter : parameters_) names.push_back(kebab_case(parameter.name));
    std::string otherwise = names.empty() ? "this script has no parameters" : "it has --" + join(names, ", --");
    if (names.size() > 12) otherwise = "--help after the script's name lists its parameters";
    std::string hint = did_you_mean(name, names, "--", "");
    // After the script's name every unknown word belongs to the script, even a mistyped flag of band.
    if (const std::string own = flags_near(name, names, verb_); !own.empty())
      hint = (hint.empty() ? "did you mean " : hint.substr(0, hint.size() - 1) + ", or ") + "band's own " + own + "?";
    const std::vector<std::string> of_run = flags_of("run");
    if (verb_ == "call" && std::find(of_run.begin(), of_run.end(), name) != of_run.end())
      return Error{.code = Code::Usage,
                   .doing = "`band call` does not accept --" + name,
                   .hint =
                       "it uses the current directory, the installed skills and the usual target; the user can call "
                       "`band run`, which accepts it"};
    return Error{
        .code = Code::Usage, .doing = "the script has no parameter --" + name, .hint = hint.empty() ? otherwise : hint};
  }

  const std::vector<Parameter>& parameters_;
  const std::vector<std::string>& words_;
  std::string_view verb_;
  std::size_t at_ = 0;
  std::map<const Parameter*, Given> given_;
};

Result<Json> array_of(const Json& schema, const Parameter& parameter, const Given& given) {
  if (given.texts.size() == 1 && given.texts[0].starts_with('[')) {
    auto whole = parse_json(given.texts[0], given.flag);
    if (whole.ok() && whole->is_array()) return std::move(whole).value();
  }
  Json list = Json::array();
  for (std::size_t i = 0; i < given.texts.size(); ++i) {
    std::vector<std::string> types;
    if (const auto items = parameter.schema->find("items"); items != parameter.schema->end()) {
      if (items->is_array() && i < items->size()) types = types_of(schema, (*items)[i]);
      if (!items->is_array()) types = types_of(schema, *items);
    }
    auto item = convert(types, given.texts[i]);
    if (!item) return wrong_value(given.flag, types, given.texts[i]);
    list.push_back(std::move(*item));
  }
  return list;
}

Result<Json> value_of(const Json& schema, const Parameter& parameter, const Given& given) {
  if (given.negated) return Json(false);
  if (given.bare) return Json(true);
  if (given.texts.size() == 1)
    for (const std::string& type : parameter.types) {
      if (type == "array") break;  // an item, or the whole as JSON
      if (auto value = convert_to(type, given.texts[0])) return std::move(*value);
    }
  if (parameter.takes("array") || given.texts.size() > 1) return array_of(schema, parameter, given);
  auto value = convert(parameter.types, given.texts[0]);
  if (!value) return wrong_value(given.flag, parameter.types, given.texts[0]);
  return std::move(*value);
}

}  // namespace

Result<Json> apply_parameters(Json input, const Json& schema, const std::vector<std::string>& words,
                              std::map<std::string, std::string>& given, std::string_view verb) {
  const std::vector<Parameter> parameters = parameters_of(schema);
  if (input.is_null()) input = Json::object();
  if (words.empty()) return input;
  if (!input.is_object())
    return Error{.code = Code::Usage,
                 .doing = "--input is " + std::string(json_type_name(input)) + ", but there are also parameter flags",
                 .hint = "flags set members of an object: remove the flags, or pass an object with --input"};
  BAND_TRY(const auto read, Words(parameters, words, verb).read());
  for (const Parameter& parameter : parameters) {  // in the schema's order, so that the input is reproducible
    const auto it = read.find(&parameter);
    if (it == read.end()) continue;
    BAND_TRY(input[parameter.name], value_of(schema, parameter, it->second));
    given[parameter.name] = it->second.flag;
  }
  return input;
}

std::optional<Error> why_refused(const Script& script, const std::optional<std::string>& input,
                                 const std::vector<std::string>& words, std::string_view verb) {
  Json value;
  if (input) {
    auto given = parse_json(*input, "--input");
    if (!given.ok()) return std::move(given).error();
    value = std::move(given).value();
  }
  std::map<std::string, std::string> flags;
  auto made = apply_parameters(std::move(value), script.input_schema(), words, flags, verb);
  if (!made.ok()) return std::move(made).error();
  const auto violations = check_input(script, *made);
  return violations.empty() ? std::nullopt : std::optional(input_invalid(violations, flags, script.place.name));
}

std::string output_misfit(const Script& script, std::string_view json) {
  const auto value = parse_json(json, "output");
  if (!script.output || !value.ok()) return "";
  const auto violations = script.output->validate(*value);
  if (violations.empty()) return "";
  const Violation& first = violations.front();
  return (first.pointer.empty() ? "" : first.pointer + ": ") + first.message;
}

Error input_invalid(const std::vector<Violation>& violations, const std::map<std::string, std::string>& given,
                    const std::string& script) {
  std::string text;
  Json details = Json::array();
  for (const Violation& violation : violations) {
    std::string where = violation.pointer.empty() ? "input" : "input" + violation.pointer;
    // "/a~1b/0" is `--a/b` and "/0".
    if (const auto tokens = pointer_tokens(violation.pointer); tokens && !tokens->empty()) {
      const std::size_t rest = std::min(violation.pointer.find('/', 1), violation.pointer.size());
      if (const auto it = given.find(tokens->front()); it != given.end())
        where = it->second + violation.pointer.substr(rest);
    }
    text += (text.empty() ? "" : "\n  ") + where + ": " + violation.message + " (rule `" + violation.rule + "`)";
    details.push_back({{"pointer", violation.pointer}, {"rule", violation.rule}, {"message", violation.message}});
  }
  if (violations.size() > 1) text = std::to_string(violations.size()) + " errors in the input:\n  " + text;
  return Error{.code = Code::InputInvalid,
               .doing = text,
               .hint = "`band run " + script + " --help` shows the parameters",
               .details = dump_json(details)};
}

}  // namespace band::client
