// Any rules and any command line: the decision is made in bounded time, deny wins, a further allow rule denies nothing,
// and a pattern without a star matches one command line. The text is lines: `+pattern` allows, `~pattern` allows in the
// wider rules only, `-pattern` denies, `=pattern` is the operator's ceiling; then NUL, and the arguments, NUL between
// them.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/commands/decision.h"
#include "schemas/core/utf8.h"
#include "schemas/pattern/pattern.h"

namespace {

using namespace band;
using Outcome = Decision::Outcome;

void require(bool holds) {
  if (!holds) std::abort();
}

std::string_view take(std::string_view& rest, char end) {
  const std::size_t at = rest.find(end);
  const std::string_view part = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view{} : rest.substr(at + 1);
  return part;
}

struct Input {
  RuleSet allow, more, deny, ceiling;
  std::vector<std::string> argv;
};

// Skips patterns that do not parse: rules_from_json() rejects them before a decision.
Input read(std::string_view text) {
  Input input;
  std::string_view lines = take(text, '\0');
  while (!lines.empty()) {
    const std::string_view line = take(lines, '\n');
    if (line.empty() || !CliPattern::parse(line.substr(1)).ok()) continue;
    const Rule rule{std::string(line.substr(1)), std::string(line)};
    if (line[0] == '+') input.allow.push_back(rule);
    if (line[0] == '~') input.more.push_back(rule);
    if (line[0] == '-') input.deny.push_back(rule);
    if (line[0] == '=') input.ceiling.push_back(rule);
  }
  while (!text.empty()) input.argv.emplace_back(take(text, '\0'));
  return input;
}

std::optional<CommandRules> compiled(const RuleSet& allow, const Input& input) {
  Domain cli{{allow}, input.deny, {}};
  if (!input.ceiling.empty()) cli.opened.push_back(input.ceiling);
  const auto plan = plan_commands(cli);
  if (!plan.ok()) return std::nullopt;
  auto rules = CommandRules::compile(cli, *plan);
  require(rules.ok());
  return std::move(rules).value();
}

void check_texts(const Decision& decision, const std::vector<std::string>& argv) {
  for (const std::string& text : {decision.for_stderr(argv), decision.for_ledger(argv)}) {
    require(text.size() < 4096 && is_valid_utf8(text));
    for (std::size_t i = 0; i + 1 < text.size(); ++i) require(static_cast<unsigned char>(text[i]) >= 0x20);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 16384) return 0;
  const Input input = read({reinterpret_cast<const char*>(data), size});
  RuleSet wider = input.allow;
  wider.insert(wider.end(), input.more.begin(), input.more.end());
  const auto narrow = compiled(input.allow, input), wide = compiled(wider, input);
  if (!narrow) return 0;
  const auto decision = narrow->decide(input.argv);
  check_texts(decision, input.argv);
  check_texts(narrow->not_found(input.argv), input.argv);
  if (input.argv.empty()) {
    require(decision.outcome == Outcome::Undeclared);
    return 0;
  }
  const std::span arguments = std::span(input.argv).subspan(1);
  for (const Rule& rule : input.deny) {
    const auto pattern = CliPattern::parse(rule.pattern);
    if (pattern->base_name() == input.argv[0] && pattern->as_deny().matches_arguments(arguments))
      require(decision.outcome != Outcome::Allowed);
  }
  if (wide && decision.outcome == Outcome::Allowed) require(wide->decide(input.argv).outcome == Outcome::Allowed);
  // A rule without a star matches one line only: not one with an argument more, less, or longer.
  if (decision.rule && decision.outcome == Outcome::Allowed && decision.rule->pattern.find('*') == std::string::npos) {
    const auto pattern = CliPattern::parse(decision.rule->pattern);
    auto other = input.argv;
    other.emplace_back();
    require(!pattern->matches_arguments(std::span(other).subspan(1)));
    other.pop_back();
    for (std::size_t i = 1; i < other.size(); ++i) {
      other[i] += 'x';
      require(!pattern->matches_arguments(std::span(other).subspan(1)));
      other[i].pop_back();
    }
    if (other.size() > 1) require(!pattern->matches_arguments(std::span(other).subspan(2)));
  }
  return 0;
}
