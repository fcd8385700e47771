// Any bytes as a BAND.md: no crash and no hang; the result is either a band or errors, each with a place in the file
// and a remedy; the rules of a band are the same after encoding and decoding.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "schemas/band/band.h"
#include "schemas/core/json.h"
#include "schemas/permit/algebra.h"
#include "schemas/rules/checks.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

band::Domain domain_of(const band::RuleSet& allow, const band::RuleSet& deny, const band::RuleSet& insist) {
  band::Domain domain;
  domain.opened = {allow};
  domain.deny = deny;
  domain.insist = insist;
  return domain;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  // Most bytes should reach the YAML, not the search for a frontmatter.
  if (text.substr(0, 3) != "---") text = "---\nband: x\n" + text + "\n---\n";
  std::vector<band::Diagnostic> errors;
  const auto band = band::parse_band(text, "f", errors);
  require(band.has_value() == errors.empty());
  const auto lines = std::count(text.begin(), text.end(), '\n') + 2;
  for (const band::Diagnostic& error : errors) {
    require(error.line >= 1 && error.line <= lines && error.column >= 1);
    require(!error.message.empty() && !error.hint.empty());
  }
  (void)band::skill_invalid(errors);
  if (!band) return 0;
  band::Rules rules;
  rules.cli = domain_of(band->allow_cli, band->deny_cli, band->insist_cli);
  rules.net = domain_of(band->allow_net, band->deny_net, band->insist_net);
  rules.read = domain_of(band->allow_read, band->deny_read, band->insist_read);
  rules.write = domain_of(band->allow_write, band->deny_write, band->insist_write);
  rules.limit = band->limit;
  rules.env = band->env;
  const band::Json wire = rules_to_json(rules);
  const auto back = band::rules_from_json(wire);
  // A band of 64 KiB may have more rules than the wire accepts (compose_band() reports that); nothing else may differ.
  if (back.ok())
    require(rules_to_json(*back) == wire);
  else
    require(back.error().message().find("more than") != std::string::npos);
  (void)check_insists(rules);
  return 0;
}
