// Derives lines of cli from the commands that a script ran or tried to run (learner.h), and finds the commands that the
// script does not need.
#include <algorithm>

#include "client/learn/learner.h"
#include "client/learn/use.h"
#include "client/logs/reading.h"
#include "schemas/core/json_text.h"
#include "schemas/pattern/pattern.h"
#include "schemas/rules/checks.h"

namespace band::client::learn {
namespace {

constexpr std::size_t kMostCommands = 1'000;  // per run, kept for insist
constexpr std::size_t kMostLiteralLines =
    3;  // for calls that differ in one word; a further call makes them one pattern
constexpr const char* kWideLines = "`*` stands for the word in which these calls differ, and allows any text there";

// Returns true when a rule can have this name of a command.
bool is_command_name(std::string_view name) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-";
  return !name.empty() && name.size() <= 64 && name.find_first_not_of(kPlain) == std::string_view::npos;
}

// The line for a decision about a pattern.
std::string cli_decision(const std::string& pattern) { return "cli: [" + escaped(json_string(pattern)) + "]"; }
std::string wide_star(const std::string& word) {
  return "the script called it; WIDE: `*` allows every text. It is used because the ledger does not show all of `" +
         word + "`, which contains a secret or a control character";
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts)
    if (!text.empty()) all += (all.empty() ? "" : "; ") + text;
  return all;
}

// `them`: "it" or "them", the calls that the script did not need.
std::string reason_of(const std::string& what, const Line& line, const std::string& them) {
  return what + (line.well_without > 0 ? ", and succeeded without " + them : "");
}

}  // namespace

void Learner::commands(const Run& run) {
  auto& ok = ok_[run.input];
  ok.clear();  // keeps the last run of each input only
  for (const AskedCommand& command : run.evidence.commands) {
    using End = AskedCommand::End;
    if (command.end == End::Succeeded && ok.size() < kMostCommands) ok.push_back(command.argv);
    if (command.end == End::NotFound || command.end == End::Denied) ask(command, run);
  }
}

void Learner::ask(const AskedCommand& command, const Run& run) {
  const std::string& shown = command.text;
  if (command.argv.empty() || !is_command_name(command.argv.front()))
    return doubt(shown,
                 "how to allow a command whose name has other characters than letters, digits and . _ + -: " + shown);
  const std::string& name = command.argv.front();
  if (command.section == "deny.cli" && command.origin != kWatchOrigin)
    return doubt(shown, "whether the script needs a command that the band denies: " + shown);
  if (command.cut)
    return doubt(name, "which arguments `" + name +
                           "` was called with: the ledger has at most 64 arguments and 1 KiB of a command line; write "
                           "the line yourself, such as `" +
                           name + " *`");
  Generalised found = generalise(command.argv, values_of(run.value, run.given), subject_.script);
  const std::string text = found.pattern.text();
  const auto parsed = CliPattern::parse(text);
  if (!parsed.ok()) return doubt(text, "a pattern for " + shown + ": " + parsed.error().doing);
  if (const Status status = check_command("allow", *parsed); !status.ok())
    return doubt(text, "a pattern for " + shown + ": " + status.error().doing);
  if (!found.unknown.empty()) return decide({cli_decision(text), wide_star(found.unknown)});
  if (is_tolerated(*parsed, run)) return;
  if (const Line* same = find("cli", text)) {
    if (same->run < run.number)
      doubt(text, "why this call did not run, although this run had the line `" + text + "`: " + shown);
    return;
  }
  for (const std::string& word : found.doubtful)
    doubt(std::string(text).append(word), std::string("whether `")
                                              .append(word)
                                              .append("` of `")
                                              .append(text)
                                              .append("` differs in other runs: give a second --input"));
  programs_.erase(name);
  Line line{.section = "allow", .domain = "cli", .pattern = text, .evidence = "ledger"};
  line.source = command.text.substr(0, command.text.find("  ("));  // without the deciding rule
  line.reason = "the script called it";
  line.well_without = did_well(run.evidence) ? run.number : 0;
  line.warning = joined({warning_of_command(*parsed), found.pattern.has_star() ? kWideValue : ""});
  line.run = run.number;
  line.argv = command.argv;
  add_command(std::move(line), std::move(found.pattern), run);
}

// Adds the line unchanged while there are at most kMostLiteralLines similar ones; then one pattern replaces them.
void Learner::add_command(Line line, CommandPattern pattern, const Run& run) {
  if (rejected_.contains(key_of(line)) || is_closed(line, run)) return;
  std::set<Key> replaced, like;
  CommandPattern all = pattern;
  for (const Line& other : lines_) {
    const auto known = patterns_.find(key_of(other));
    if (other.domain != "cli" || known == patterns_.end()) continue;
    const auto both = merged(known->second, pattern);
    if (both && both->text() == other.pattern) {  // the known pattern covers the new one
      if (other.run < line.run)
        doubt(key_of(line), "why this call did not run, although `" + other.pattern + "` allows it: " + line.source);
      return;
    }
    if (both && both->text() == line.pattern) {
      replaced.insert(key_of(other));
    } else if (auto more = merged(known->second, all); more && CliPattern::parse(more->text()).ok()) {
      like.insert(key_of(other));
      all = std::move(*more);
    }
  }
  const bool many = like.size() >= kMostLiteralLines;
  if (many) {
    line.pattern = all.text();
    line.warning = joined({warning_of_command(*CliPattern::parse(line.pattern)), kWideLines});
    pattern = std::move(all);
    replaced.merge(std::set<Key>(like));
  }
  for (const Line& other : lines_)
    if (replaced.contains(key_of(other)) && other.well_without == 0) line.well_without = 0;
  line.reason = many ? reason_of("the script made " + std::to_string(like.size() + 1) + " such calls", line, "them")
                     : reason_of("the script called it", line, "it");
  std::erase_if(lines_, [&](const Line& other) { return replaced.contains(key_of(other)); });
  for (const Key& key : replaced) patterns_.erase(key);
  patterns_[key_of(line)] = std::move(pattern);
  add(std::move(line), run);
}

// Returns one pattern for lines that differ in a word. A person decides whether any word is allowed there.
std::vector<Decision> Learner::wider_commands() const {
  std::vector<Decision> wider;
  std::set<Key> done;
  for (const Line& first : lines_) {
    const auto known = patterns_.find(key_of(first));
    if (known == patterns_.end() || !done.insert(key_of(first)).second) continue;
    CommandPattern all = known->second;
    std::size_t count = 1;
    for (const Line& other : lines_) {
      const auto like = patterns_.find(key_of(other));
      if (like == patterns_.end() || done.contains(key_of(other))) continue;
      auto both = merged(all, like->second);
      if (!both || !CliPattern::parse(both->text()).ok()) continue;
      done.insert(key_of(other));
      all = std::move(*both);
      ++count;
    }
    if (count > 1)
      wider.push_back({cli_decision(all.text()), "in place of " + std::to_string(count) +
                                                     " lines, if other runs need more of them; WIDE: " + kWideLines});
  }
  return wider;
}

// Adds programs that other programs searched for and did not find. These calls did not reach the broker, so their
// arguments are not known yet.
void Learner::programs(const Run& run) {
  if (run.evidence.exited_well) return;
  for (const LogWord& word : missing_words(run.evidence.log)) {
    const std::string name = program_of(word);
    if (name.empty() || programs_.size() >= 20 || rejected_.contains("program " + name)) continue;
    if (declares(opened_rules().cli, name) || !programs_.insert(name).second) continue;
    changed_ = true;
  }
}

// ---- commands that the script does not need ----

std::vector<const AskedCommand*> Learner::calls_of(const Line& line, const Run& run) const {
  std::vector<const AskedCommand*> calls;
  const std::string pattern = escaped(line.pattern);  // as in the ledger
  for (const AskedCommand& command : run.evidence.commands)
    if (line.domain == "cli" && command.pattern == pattern && command.origin == kWatchOrigin) calls.push_back(&command);
  return calls;
}

void Learner::mark_calls(const Run& run) {
  for (Line& line : lines_)
    for (const AskedCommand* call : calls_of(line, run))
      line.worked = line.worked || call->end == AskedCommand::End::Succeeded;
}

// Returns true when calls of the line were allowed and all of them failed, in every run.
bool Learner::only_failed(const Line& line, const Run& run) const {
  const auto calls = calls_of(line, run);
  return did_well(run.evidence) && !line.worked && !calls.empty() &&
         std::all_of(calls.begin(), calls.end(),
                     [](const AskedCommand* call) { return call->end == AskedCommand::End::Failed; });
}

void Learner::note_failing(const Line& line, const Run& run) {
  Failing& failing = failing_[key_of(line)];
  failing.line = line;
  failing.inputs.insert(run.input);
  failing.call = calls_of(line, run).front()->text;
  failing.run = run.number;
}

bool Learner::is_tolerated(const CliPattern& call, const Run& run) {
  if (!did_well(run.evidence)) return false;
  for (auto& [key, failing] : failing_) {
    const auto pattern = CliPattern::parse(failing.line.pattern);
    if (!failing.inputs.contains(run.input) || !pattern.ok() || !pattern->covers(call)) continue;
    failing.line.well_without = run.number;
    return true;
  }
  return false;
}

// Returns the removed lines as decisions: other inputs may need the command.
std::vector<Decision> Learner::tolerated_commands() const {
  std::vector<Decision> decisions;
  for (const auto& [key, failing] : failing_) {
    if (find("cli", failing.line.pattern) != nullptr) continue;  // it turned out to be needed
    const std::string without = failing.line.well_without > 0
                                    ? "the script succeeded without this line (run " +
                                          std::to_string(failing.line.well_without) +
                                          "), and the call failed in a run with this line"
                                    : std::string("the script succeeded although the call failed");
    std::string reason = without + ": " + failing.call + " (run " + std::to_string(failing.run) + ")";
    if (!failing.line.warning.empty()) reason += "; WIDE: " + failing.line.warning;
    decisions.push_back({cli_decision(failing.line.pattern), std::move(reason)});
  }
  return decisions;
}

}  // namespace band::client::learn
