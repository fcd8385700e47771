#include "client/commands/learn_report.h"

#include <algorithm>
#include <set>

#include "client/learn/band_edit.h"
#include "client/learn/learner.h"
#include "client/terminal/terminal.h"
#include "schemas/core/json_text.h"
#include "schemas/core/lines.h"
#include "schemas/rules/placeholders.h"

namespace band::client {
namespace {

constexpr std::size_t kShownEntries = 20, kShownInput = 200, kShownError = 400;

std::string runs_text(std::size_t count) { return std::to_string(count) + (count == 1 ? " run" : " runs"); }

std::string cut(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // keeps whole UTF-8 characters
  return text.substr(0, end) + "...";
}

// A watched pattern is allowed and denied in the same rules: it is not open.
bool is_watched(const Domain& rules, const Rule& rule) {
  return std::any_of(rules.deny.begin(), rules.deny.end(), [&](const Rule& deny) {
    return deny.pattern == rule.pattern && deny.origin == learn::kWatchOrigin;
  });
}

// Returns `{path}` with each file that this input names by it. It may be a default of the skill's author.
std::vector<std::string> pattern_texts(const std::string& domain, const Rule& rule, const Json& input) {
  const std::string text = json_string(rule.pattern);
  if ((domain != "read" && domain != "write") || !placeholder_of(rule.pattern)) return {text};
  Rules one;
  Domain& mine = domain == "read" ? one.read : one.write;
  mine.opened.push_back({rule});
  const auto named = with_input(one, input);
  if (!named.ok()) return {text + " = nothing, because " + named.error().doing};  // no run can start with it
  std::vector<std::string> texts;
  for (const RuleSet& layer : (domain == "read" ? named->read : named->write).opened)
    for (const Rule& concrete : layer) texts.push_back(text + " = " + json_string(concrete.pattern));
  return texts.empty() ? std::vector<std::string>{text + " = nothing"} : texts;
}

void add_opened(const std::string& domain, const Domain& rules, const Json& input, std::vector<std::string>& lines) {
  for (const RuleSet& layer : rules.opened)
    for (const Rule& rule : layer)
      if (!is_watched(rules, rule))
        for (const std::string& text : pattern_texts(domain, rule, input))
          lines.push_back(std::string(domain).append(" ").append(text).append("  (").append(rule.origin).append(")"));
}

// Returns a rule's line without its origin, because an edit of the file changes the line number.
std::string_view without_origin(std::string_view line) { return line.substr(0, line.rfind("  (")); }

std::vector<std::string> not_among(const std::vector<std::string>& lines, const std::vector<std::string>& others) {
  std::vector<std::string> rest;
  for (const std::string& line : lines) {
    const auto same = [&](const std::string& other) { return without_origin(other) == without_origin(line); };
    if (std::none_of(others.begin(), others.end(), same)) rest.push_back(line);
  }
  return rest;
}

std::string list(const std::string& title, const std::vector<std::string>& items) {
  if (items.empty()) return "";
  std::string text = title + "\n";
  for (const std::string& item : items) text += "  " + printable_line(item) + "\n";
  return text;
}

std::vector<std::string> decisions_of(const learn::Proposal& proposal) {
  std::vector<std::string> items;
  for (const learn::Decision& decision : proposal.decisions)
    items.push_back(decision.write + "   # " + decision.reason);
  return items;
}

std::vector<std::string> closed_of(const learn::Proposal& proposal) {
  std::vector<std::string> items;
  for (const learn::Closed& closed : proposal.closed)
    items.push_back("allow." + closed.domain + " " + json_string(closed.pattern) + "  (run " +
                    std::to_string(closed.run) + ": " + closed.reason + "): " + closed.by);
  return items;
}

std::vector<std::string> removals_of(const learn::Proposal& proposal) {
  std::vector<std::string> items;
  for (const learn::Removal& removal : proposal.removals)
    items.push_back(removal.section + "." + removal.domain + " " + json_string(removal.pattern) + "  (" +
                    removal.origin + "): " + removal.reason);
  return items;
}

std::vector<std::string> warnings_of(const learn::Proposal& proposal) {
  std::vector<std::string> items;
  for (const learn::Line& line : proposal.lines)
    if (!line.warning.empty())
      items.push_back(line.section + "." + line.domain + " " + json_string(line.pattern) + ": " + line.warning);
  return items;
}

// Lines for commands that exited with 0 and whose absence did not fail the script. They are kept: no run shows whether
// the script uses their output.
std::vector<std::string> optional_of(const learn::Proposal& proposal) {
  std::vector<std::string> items;
  for (const learn::Line& line : proposal.lines)
    if (line.well_without > 0 && line.worked)
      items.push_back(line.section + "." + line.domain + " " + json_string(line.pattern) + "  (run " +
                      std::to_string(line.well_without) + " succeeded without it)");
  return items;
}

// The lines in the form of a BAND.md, for a user who has to write them.
std::string lines_to_paste(const learn::Proposal& proposal) {
  std::string text;
  for (const learn::Line& line : proposal.lines)
    text += "  " + line.section + ": {" + line.domain + ": [" + learn::item_text(line) + "]}   " +
            learn::comment_text(line) + "\n";
  return printable(text);
}

std::size_t untried(const learn::Proposal& proposal) {
  return static_cast<std::size_t>(
      std::count_if(proposal.lines.begin(), proposal.lines.end(), [](const learn::Line& line) { return !line.tried; }));
}

std::string head_of(const LearnResult& result) {
  std::string text = result.script + ": " + runs_text(result.runs.size());
  if (result.settled) return text + "; the script works with each input\n";
  if (!result.unfinished.empty())
    text += "; " + cut(result.unfinished, kShownError);
  else if (!result.runs.empty() && result.runs.back().error)
    text += result.runs.back().unseen.empty()
                ? "; the last run ended with " + std::string(code_name(result.runs.back().error->code))
                : std::string("; the last run failed only because a watched action did not happen");
  return text + (result.stopped.empty() ? "" : "; " + result.stopped) + "\n";
}

// What the user can do about `unfinished`.
std::string mend_of_unfinished(const LearnResult& result) {
  return "`band learn " + result.script + " ... --runs " + std::to_string(2 * result.runs.size()) +
         "`, with the `--input` of this run first, finds the lines that this input needs; or write the proposed lines "
         "into " +
         result.file + " yourself, and run this again";
}

// What the user can do about closed lines. Further runs would give no more evidence for these lines.
std::string mend_of_closed(const LearnResult& result) {
  return "write the line in the file whose rules do not allow the action yet, then run `band learn " + result.script +
         " ...` again";
}

std::string next_of(const LearnResult& result, bool writes) {
  std::vector<std::string> next;
  const learn::Proposal& proposal = result.proposal;
  const std::string runs =
      "`band learn " + result.script + " ... --runs " + std::to_string(result.runs.size() + result.inputs + 1) + "`";
  if (const std::size_t lines = untried(proposal); lines > 0 && result.pending && result.not_applied.empty())
    next.push_back(std::to_string(lines) + (lines == 1 ? " line was" : " lines were") +
                   " not in any successful run: " + runs + " tries " + (lines == 1 ? "it" : "them"));
  if (!proposal.left_out.empty() && !result.not_edited)
    next.push_back(runs +
                   " tries the lines that were left out; if a run changes something outside the sandbox, write these "
                   "lines yourself");
  if (!result.unfinished.empty() && result.not_applied.empty()) next.push_back(mend_of_unfinished(result));
  if (!result.settled && !proposal.closed.empty() && result.not_applied.empty()) next.push_back(mend_of_closed(result));
  if (!result.not_applied.empty()) next.push_back(result.not_applied);
  if (result.settled && !result.diff.empty() && !writes)
    next.push_back("band learn " + result.script + " ... --apply    (writes this into " + result.path + ")");
  if (proposal.changes()) next.push_back("band validate " + result.skill_directory);
  return list("next:", next);
}

std::string sharers_text(const LearnResult& result) {
  if (result.proposal.lines.empty() || result.not_edited) return "";
  if (!result.is_new)
    return list(
        "the lines also apply to these scripts, because " + printable_line(result.file) + " applies to them, too:",
        result.sharers);
  return printable_line(result.file) + " is a new file: " + printable_line(result.governing) +
         (result.sharers.empty() ? " belongs to another skill" : " is also the band of " + result.sharers.front()) +
         (result.sharers.size() > 1 ? " and others\n" : "\n");
}

// `result.stopped` is the reason why the last runs were not made, or why they did not confirm all lines.
std::string left_out_reason(const LearnResult& result) {
  return "no successful run had these changes (" + printable_line(result.stopped) + ")";
}

std::string json_bool(bool value) { return value ? "true" : "false"; }

std::string json_of(const std::optional<Error>& error) {
  return error ? json_object({{"code", json_string(code_name(error->code))},
                              {"message", json_string(error->message())},
                              {"hint", json_string(error->hint)}})
               : "null";
}

std::string json_of(const LedgerEntry& entry) {
  return json_object(
      {{"kind", json_string(entry.kind)}, {"text", json_string(entry.text)}, {"details", dump_json(entry.details)}});
}

std::string json_of(const learn::Line& line) {
  return json_object({{"section", json_string(line.section)},
                      {"domain", json_string(line.domain)},
                      {"pattern", json_string(line.pattern)},
                      {"optional", json_bool(line.optional)},
                      {"reason", json_string(line.reason)},
                      {"evidence", json_string(line.evidence)},
                      {"source", json_string(line.source)},
                      {"run", std::to_string(line.run)},
                      {"tried", json_bool(line.tried)},
                      {"wellWithout", std::to_string(line.well_without)},
                      {"warning", json_string(line.warning)}});
}

std::string json_of(const learn::Removal& removal) {
  return json_object({{"section", json_string(removal.section)},
                      {"domain", json_string(removal.domain)},
                      {"pattern", json_string(removal.pattern)},
                      {"origin", json_string(removal.origin)},
                      {"reason", json_string(removal.reason)}});
}

std::string json_of(const learn::Decision& decision) {
  return json_object({{"write", json_string(decision.write)}, {"reason", json_string(decision.reason)}});
}

std::string json_of(const learn::Closed& closed) {
  return json_object({{"domain", json_string(closed.domain)},
                      {"pattern", json_string(closed.pattern)},
                      {"reason", json_string(closed.reason)},
                      {"run", std::to_string(closed.run)},
                      {"by", json_string(closed.by)}});
}

std::string json_of(const LearnRun& run);

template <class Item>
std::string json_of_all(const std::vector<Item>& items) {
  std::vector<std::string> texts;
  texts.reserve(items.size());
  for (const Item& item : items) texts.push_back(json_of(item));
  return json_array(texts);
}

std::vector<std::string> texts_of(const std::vector<learn::Watch>& watches) {
  std::vector<std::string> texts;
  texts.reserve(watches.size());
  for (const learn::Watch& watch : watches) texts.push_back(watch.text());
  return texts;
}

std::string json_of(const LearnRun& run) {
  return json_object({{"run", std::to_string(run.number)},
                      {"input", std::to_string(run.input + 1)},
                      {"opened", json_list(run.opened)},
                      {"watched", json_list(texts_of(run.watched))},
                      {"unseen", json_list(run.unseen)},
                      {"whole", json_bool(run.is_whole)},
                      {"error", json_of(run.error)},
                      {"ledger", json_of_all(run.ledger)},
                      {"outside", json_list(run.outside)}});
}

}  // namespace

std::vector<std::string> opened_lines(const Rules& rules, const Json& input) {
  std::vector<std::string> lines;
  add_opened("cli", rules.cli, input, lines);
  add_opened("net", rules.net, input, lines);
  add_opened("read", rules.read, input, lines);
  add_opened("write", rules.write, input, lines);
  for (const EnvRule& rule : rules.env) lines.push_back("env " + json_string(rule.name) + "  (" + rule.origin + ")");
  return lines;
}

// Lists each watched action once, and the reason once for each kind.
std::string watches_of(const LearnRun& run, const std::vector<LearnRun>& before) {
  std::set<std::string> what, why;
  for (const LearnRun& other : before)
    for (const learn::Watch& watch : other.watched) what.insert(watch.what), why.insert(watch.why);
  std::string text;
  for (const learn::Watch& watch : run.watched)
    if (what.insert(watch.what).second)
      text += "  watches " + printable_line(why.insert(watch.why).second ? watch.text() : watch.what) + "\n";
  return text;
}

std::string announcement(const LearnRun& run, std::size_t inputs, const std::vector<LearnRun>& runs) {
  const std::vector<std::string> before = runs.empty() ? std::vector<std::string>() : runs.back().opened;
  std::string text = "run " + std::to_string(run.number) + ": input " + std::to_string(run.input + 1) + " of " +
                     std::to_string(inputs) + ", " + printable_line(cut(run.input_text, kShownInput)) + "\n";
  if (run.is_whole) text += "  with the band as it would be written\n";
  const std::vector<std::string> fresh = not_among(run.opened, before);
  if (run.opened.empty()) text += "  allows nothing except its input and its output\n";
  if (fresh.empty() && !run.opened.empty() && !before.empty()) text += "  allows the same as the run before\n";
  const char* opens = fresh.size() < run.opened.size() ? "  also allows " : "  allows ";
  for (const std::string& line : fresh) text += opens + printable_line(line) + "\n";
  for (const std::string& line : not_among(before, run.opened))
    text += "  no longer allows " + printable_line(line) + "\n";
  for (const std::string& line : run.insists) text += "  insists on " + printable_line(line) + "\n";
  text += watches_of(run, runs);
  if (!runs.empty()) return text;
  return text +
         "  Each run has real effects: the script can create, send or pay something. No file is written back into the "
         "workspace.\n";
}

std::string account_of(const LearnRun& run) {
  std::string text = "run " + std::to_string(run.number) + " ended: ";
  if (!run.error)
    text += "success\n";
  else if (!run.unseen.empty())
    text += "a watched action did not happen; the script succeeded, and learn repeats the run without that watch\n";
  else
    text +=
        std::string(code_name(run.error->code)) + ": " + printable_line(cut(run.error->message(), kShownError)) + "\n";
  for (const std::string& unseen : run.unseen) text += "  did not happen: " + printable_line(unseen) + "\n";
  for (const std::string_view line : lines_of(run.stderr_end)) text += "  stderr: " + printable_line(line) + "\n";
  std::size_t shown = 0;
  for (const LedgerEntry& entry : run.ledger) {
    if (entry.kind != "command" && entry.kind != "not-found" && entry.kind != "net" && entry.kind != "write") continue;
    if (++shown > kShownEntries) continue;
    text += "  " + entry.kind + ": " + printable_line(cut(entry.text, 300)) + "\n";
  }
  if (shown > kShownEntries) text += "  and " + std::to_string(shown - kShownEntries) + " more; --json has them\n";
  for (const std::string& change : run.outside) text += "  outside: " + printable_line(change) + "\n";
  return text;
}

std::string not_applied_text(const LearnResult& result) {
  if (result.settled && result.not_edited)
    return "--apply wrote nothing: " + result.not_edited->message() + "; " + result.not_edited->hint;
  if (!result.unfinished.empty())
    return "--apply wrote nothing: " + result.unfinished + ". " + mend_of_unfinished(result);
  if (!result.proposal.closed.empty() && !result.pending)
    return "--apply wrote nothing: no line of " + result.file + " alone allows what the script was refused; " +
           mend_of_closed(result);
  const bool failed = !result.runs.empty() && result.runs.back().error && result.runs.back().unseen.empty();
  const std::string again = "`band learn " + result.script + " ... --runs " +
                            std::to_string(result.runs.size() + result.inputs + 1) + " --apply`";
  return "--apply wrote nothing: " +
         (failed ? "run " + std::to_string(result.runs.back().number) + " ended with " +
                       std::string(code_name(result.runs.back().error->code))
                 : std::string("no run has tried all of these lines")) +
         ". " +
         (failed && !result.pending ? "Fix that error; then " + again + " writes them"
                                    : again + " tries them and writes them when the script works") +
         "; or write the lines that you want into " + result.file + " yourself";
}

std::string learn_to_text(const LearnResult& result, bool writes) {
  const learn::Proposal& proposal = result.proposal;
  std::string text = printable(head_of(result));
  if (!proposal.changes() && !result.not_edited)
    text += printable(result.file) + ": nothing to add, nothing to remove\n";
  if (result.not_edited) {
    text += printable(result.not_edited->message()) + "\n" + printable(result.not_edited->hint) + "\n";
    if (!proposal.lines.empty()) text += "write:\n" + lines_to_paste(proposal);
  } else {
    text += printable(result.diff);
  }
  return text + sharers_text(result) + list("removed:", removals_of(proposal)) +
         list("left out, because " + left_out_reason(result) + ":", proposal.left_out) +
         list("the script also succeeded without these lines; remove the lines that the script must not have:",
              optional_of(proposal)) +
         list("wide:", warnings_of(proposal)) +
         list("another band or the operator does not allow these lines (neither tried nor written):",
              closed_of(proposal)) +
         list("for you to decide (not written):", decisions_of(proposal)) + list("not known:", proposal.unknown) +
         next_of(result, writes);
}

std::string learn_to_json(const LearnResult& result) {
  return json_object({{"script", json_string(result.script)},
                      {"file", json_string(result.file)},
                      {"isNew", json_bool(result.is_new)},
                      {"path", json_string(result.path)},
                      {"works", json_bool(result.settled)},
                      {"applied", json_bool(result.applied)},
                      {"notApplied", json_string(result.not_applied)},
                      {"stopped", json_string(result.stopped)},
                      {"unfinished", json_string(result.unfinished)},
                      {"runs", json_of_all(result.runs)},
                      {"lines", json_of_all(result.proposal.lines)},
                      {"removed", json_of_all(result.proposal.removals)},
                      {"closed", json_of_all(result.proposal.closed)},
                      {"decide", json_of_all(result.proposal.decisions)},
                      {"leftOut", json_list(result.proposal.left_out)},
                      {"unknown", json_list(result.proposal.unknown)},
                      {"diff", json_string(result.diff)},
                      {"notEdited", json_of(result.not_edited)}});
}

}  // namespace band::client
