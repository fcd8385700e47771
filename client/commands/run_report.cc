#include "client/commands/run_report.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "client/answers/remedy.h"
#include "client/hints/hints.h"
#include "client/hints/mend.h"
#include "client/learn/evidence.h"
#include "client/logs/reading.h"
#include "client/workspace/secrets_in_files.h"
#include "schemas/core/json.h"
#include "schemas/core/json_text.h"
#include "schemas/core/lines.h"
#include "schemas/core/obeyed_names.h"
#include "schemas/core/words.h"
#include "schemas/pattern/shell_text.h"
#include "schemas/rules/path_rules.h"
#include "schemas/rules/text.h"
#include "schemas/wire/masked.h"

namespace band::client {
namespace {

constexpr std::size_t kTailLines = 20, kTailBytes = 4096;
constexpr std::size_t kMostReason = 300;  // bytes of a reason that the server sends
constexpr std::size_t kListedFiles = 5;   // lines about files that are not sent
constexpr std::size_t kMostRefusals = 3;  // lines about refusals
constexpr std::size_t kMostPaths = 100;   // paths of the sandbox that are examined in one text
constexpr int kMostComparisons = 100;  // each compares a refusal with other messages; the server chooses their number

std::string files_text(std::size_t count) { return std::to_string(count) + (count == 1 ? " file" : " files"); }

bool among(const std::vector<std::string>& paths, const std::string& path) {
  return std::binary_search(paths.begin(), paths.end(), path);
}

const char* what_became_of(const std::string& path, const RunOutcome& outcome) {
  if (outcome.back && among(outcome.back->written, path)) return "written";
  if (outcome.back && among(outcome.back->unchanged, path)) return "unchanged";
  if (outcome.kept && among(outcome.kept->written, path)) return "kept";
  return "dropped";
}

std::vector<LeftOut> all_left_out(const RunPlan& plan, const Shipment& shipment) {
  std::vector<LeftOut> all = plan.shipment.left_out;
  all.insert(all.end(), shipment.left_out.begin(), shipment.left_out.end());
  return all;
}

void show_log(const char* name, const std::string& script, const std::string& log, std::uint64_t cut,
              Terminal& terminal) {
  const std::string text = lines_for_carriage_returns(log), last = tail(text, kTailLines, kTailBytes);
  const std::size_t all = lines_of(text).size(), shown = lines_of(last).size();
  std::string title = std::string("--- ") + name + " of " + script;
  if (shown < all || last.size() + 1 < text.size()) {
    title += ", the end (" + std::to_string(all) + (all == 1 ? " line" : " lines");
    if (cut > 0) title += ", and " + human_bytes(static_cast<std::int64_t>(cut)) + " that were not kept";
    title += cut > 0 ? "; --json has the rest)" : "; --json has all of it)";
  }
  terminal.err(title + "\n" + printable(marked_as_log(last)) + "\n");
}

// Also if quiet: a secret is now on the disk. `written`: sorted.
void note_secrets(const RunOutcome& outcome, const std::vector<std::string>& written, Terminal& terminal) {
  const SecretSearch search(outcome.plan.env.secrets);
  std::map<std::vector<std::string>, std::vector<std::string>> paths;  // by the names of the secrets
  for (const ShippedFile& file : outcome.answer.files)
    if (among(written, file.path))
      if (auto names = search.names_in(file.content); !names.empty()) paths[names].push_back(file.path);
  for (const auto& [names, files] : paths)
    terminal.always("band: wrote the value of " + listed(names) + " into " + listed(files));
}

// Returns the changed files that no rule of `write` allows, and that a rule could allow.
std::vector<std::string> without_rule(const RunOutcome& outcome) {
  const auto write = Opening::of(outcome.plan.script.band.rules.write, false, PathRules::Use::Write);
  std::vector<std::string> paths;
  if (!write.ok()) return paths;
  std::set<std::string_view> refused;  // for another reason
  for (const RefusedFile& file : outcome.answer.refused) refused.insert(file.path);
  for (const std::string& path : outcome.answer.not_written)
    // The server chooses these texts.
    if (is_safe_relative_path(path) && !refused.contains(path) && !write->opens(path)) paths.push_back(path);
  return paths;
}

// Returns the first path below `directory` in a text, such as "/work/out/a.txt" for "/work/", for which `matters`
// returns true; "" if there is none.
std::string path_in(std::string_view text, std::string_view directory,
                    const std::function<bool(const std::string&)>& matters) {
  constexpr std::string_view kPart = "/._-+@%~";
  const auto is_part = [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || kPart.find(c) != std::string_view::npos;
  };
  std::size_t examined = 0;
  for (std::size_t at = text.find(directory); at != std::string_view::npos && ++examined <= kMostPaths;
       at = text.find(directory, at + 1)) {
    const bool is_url = at > 1 && text.substr(at - 2, 2) == "//";  // file:///work/x
    if (at > 0 && !is_url && is_part(text[at - 1])) continue;
    const std::string_view rest = text.substr(at, kMostReason);
    std::string path(rest.begin(), std::find_if_not(rest.begin(), rest.end(), is_part));
    while (path.ends_with('.')) path.pop_back();
    if (matters(path)) return path;
  }
  return "";
}

// The same for the texts of a JSON value.
std::string path_in_json(const Json& value, std::string_view directory,
                         const std::function<bool(const std::string&)>& matters) {
  if (value.is_string()) return path_in(value.get_ref<const std::string&>(), directory, matters);
  if (!value.is_structured()) return "";
  for (const auto& item : value.items()) {
    std::string path = value.is_object() ? path_in(item.key(), directory, matters) : "";
    if (path.empty()) path = path_in_json(item.value(), directory, matters);
    if (!path.empty()) return path;
  }
  return "";
}

bool has_text(const Json& value, std::string_view text) {
  if (value.is_string()) return value.get_ref<const std::string&>() == text;
  return value.is_structured() &&
         std::any_of(value.begin(), value.end(), [&](const Json& item) { return has_text(item, text); });
}

constexpr std::string_view kWork = "/work/";

bool is_any(const std::string&) { return true; }

// What /work is, after a path below it.
std::string meaning_of_work(const RunPlan& plan) {
  return ": in the sandbox /work is the workspace" +
         (plan.workspace ? ", " + printable_line(plan.workspace->path()) : std::string());
}

// The sandbox has the workspace at /work. Such a path in a file does not exist for the caller. Returns whether a file
// has one.
bool note_paths_in_files(const RunOutcome& outcome, Terminal& terminal) {
  std::vector<std::string> files;
  for (const ShippedFile& file : outcome.answer.files)
    if (among(outcome.back->written, file.path) && !path_in(file.content, kWork, is_any).empty())
      files.push_back(file.path);
  if (!files.empty())
    terminal.note("note: " + listed(files) + (files.size() == 1 ? " has a path" : " have paths") + " below /work" +
                  meaning_of_work(outcome.plan));
  return !files.empty();
}

void note_sandbox_paths(const RunOutcome& outcome, Terminal& terminal) {
  const RunPlan& plan = outcome.plan;
  if (plan.workspace && plan.workspace->path() == "/work") return;
  const bool in_files = note_paths_in_files(outcome, terminal);
  if (outcome.answer.error) return;
  // A command of `band exec` has no output in JSON, and many programs print absolute paths.
  const bool exec = !plan.command.empty();
  const std::string printed = exec ? end_of_log(outcome.answer.stdout_log) : "";
  const auto in_output = [&](std::string_view directory, const std::function<bool(const std::string&)>& matters) {
    return exec ? path_in(printed, directory, matters) : path_in_json(*outcome.answer.data, directory, matters);
  };
  const auto is_file = [](const std::string& path) { return path.find('.', path.rfind('/')) != std::string::npos; };
  for (const char* removed : {"/tmp/", "/band/home/"})
    if (const std::string path = in_output(removed, is_file); !path.empty())
      terminal.note("note: the output names " + printable_line(path) +
                    ", which is removed after the run: let the script write into the workspace");
  if (in_files) return;
  const auto exists = [&](const std::string& path) {
    return plan.workspace && path.size() > kWork.size() &&
           plan.workspace->resolve(path.substr(kWork.size())).kind != Tree::Kind::Missing;
  };
  std::string path = exec ? in_output(kWork, exists) : in_output(kWork, is_any);
  if (path.empty() && !exec && has_text(*outcome.answer.data, "/work")) path = "/work";
  if (!path.empty()) terminal.note("note: the output has the path " + printable_line(path) + meaning_of_work(plan));
}

// git writes its index also in commands that only read, such as `git status`.
bool has_only_refreshed(const Answer& answer) {
  static constexpr std::string_view kReading[] = {"describe", "diff",      "diff-index", "log",   "ls-files",
                                                  "rev-list", "rev-parse", "show",       "status"};
  if (answer.not_written != std::vector<std::string>{".git/index"} || !answer.removed.empty() ||
      !answer.renamed.empty() || !answer.mode_changed.empty() || !answer.home_files.empty() || answer.unnamed > 0)
    return false;
  bool any = false;
  for (const learn::AskedCommand& command : learn::evidence_of(answer).commands) {
    if (command.argv.empty() || command.argv.front() != "git") continue;
    const bool reads = command.argv.size() > 1 &&
                       std::find(std::begin(kReading), std::end(kReading), command.argv[1]) != std::end(kReading);
    if (!reads) return false;
    any = true;
  }
  return any;
}

void note_not_written(const RunOutcome& outcome,
                      const std::function<void(const std::vector<std::string>&, const std::string&)>& note) {
  const auto write = Opening::of(outcome.plan.script.band.rules.write, false, PathRules::Use::Write);
  if (!write.ok()) return;  // it was parsed before the run
  if (has_only_refreshed(outcome.answer))
    return note({".git/index"}, "note: git has written its index, as `git status` does; it is never written back: ");
  std::map<std::string, std::vector<std::string>> paths_by_reason;
  std::map<std::string_view, std::string_view> reasons;  // the server's
  for (const RefusedFile& file : outcome.answer.refused) reasons.emplace(file.path, file.reason);
  std::vector<std::string> directories;
  for (const std::string& path : outcome.answer.not_written) {
    if (path.ends_with('/')) {
      directories.push_back(path);
      continue;
    }
    const auto reason = reasons.find(path);
    const ObeyedName* const obeyed = obeyed_name(path);
    const bool never = obeyed != nullptr && obeyed->opened_by == OpenedBy::NoRule;
    paths_by_reason[reason == reasons.end() || never
                        ? why_not_written(*write, path)
                        : "not written back, because " +
                              printable_line(std::string(reason->second.substr(0, kMostReason))) + ": "]
        .push_back(path);
  }
  for (const auto& [why, paths] : paths_by_reason)
    note(paths, "note: " + files_text(paths.size()) + " changed in the sandbox, but " + why);
  note(directories, "note: the script made " + std::to_string(directories.size()) +
                        (directories.size() == 1 ? " empty directory" : " empty directories") +
                        "; in the workspace band makes none: ");
}

// `hidden`: paths of LeftOut with kWhyHidden.
void note_hidden(const std::vector<std::string>& hidden, const RunPlan& plan, Terminal& terminal) {
  if (hidden.empty()) return;
  const std::size_t most = terminal.verbose() ? hidden.size() : kListedFiles;
  const bool exec = !plan.command.empty();
  std::vector<RemedyLine> lines;
  std::string flags;
  for (std::size_t i = 0; i < std::min(kListedFiles, hidden.size()); ++i) {
    const std::string pattern = "./" + escaped_path(hidden[i]) + (hidden[i].ends_with('/') ? "**" : "");
    if (exec)
      flags += (i == 0 ? "" : " ") + Mend::read_flag(hidden[i]);
    else
      lines.push_back({own_remedy(plan.script.band.band, "read", pattern), pattern});
  }
  terminal.note("note: not sent: " + listed(hidden, most) +
                ": wildcards match no name that begins with a dot; name those that the script needs (some have " +
                "credentials): " +
                (!plan.command.empty()
                     ? "`" + flags + "`"
                     : (plan.by_call ? "ask your user to " : "") + printable_line(joined_instruction(lines))) +
                (hidden.size() > most ? "; --verbose and --json name all " + std::to_string(hidden.size()) : ""));
}

// For a rule of `read` that matched no file: another rule can deny the files that it names.
std::string why_unmatched(const RunPlan& plan, const Rule& rule) {
  std::string nothing = "matched no file in " + printable_line(plan.workspace->path());
  const auto pattern = PathPattern::parse(rule.pattern);
  const auto rules = PathRules::compile(plan.script.band.rules.read, PathRules::Use::Read);
  if (!pattern.ok() || !rules.ok()) return nothing;
  const std::string path = pattern->literal_prefix();
  if (path.empty() || plan.workspace->resolve(path).kind == Tree::Kind::Missing) return nothing;
  const PathVerdict verdict = rules->judge(path, false);
  if (std::string_view(verdict.section) != "deny" || !verdict.rule) return nothing;
  return "has no effect: deny.read " + shown_rule(*verdict.rule) + " denies " + printable_line(path);
}

// "X refused (...)" of "X refused (...), 2 times": the ledger adds the number of repetitions.
std::string_view without_times(std::string_view text) {
  constexpr std::string_view kTimes = " times";
  if (!text.ends_with(kTimes)) return text;
  std::size_t end = text.size() - kTimes.size();
  while (end > 0 && text[end - 1] >= '0' && text[end - 1] <= '9') --end;
  return end >= 2 && text.substr(end - 2, 2) == ", " ? text.substr(0, end - 2) : text;
}

// Returns the command line or the host of a refusal, as hints write it; "" if it has none.
std::string subject_of(const LedgerEntry& entry) {
  const Json& details = *entry.details;
  if (const auto host = details.find("host"); host != details.end() && host->is_string())
    return host->get<std::string>();
  const auto argv = details.find("argv");
  if (argv == details.end() || !argv->is_array()) return "";
  std::vector<std::string> words;
  for (const Json& word : *argv) words.push_back(word.is_string() ? word.get<std::string>() : "");
  return shell_text(words);
}

}  // namespace

JsonValue outcome_to_json(const RunOutcome& outcome, const std::vector<std::string>& notes) {
  Answer light = outcome.answer;
  light.files.clear();
  Json value = answer_to_json(std::move(light));
  const SecretSearch search(outcome.plan.env.secrets);
  Json files = Json::array(), left_out = Json::array(), unmatched = Json::array();
  for (const ShippedFile& file : outcome.answer.files)
    files.push_back({{"path", file.path},
                     {"bytes", file.content.size()},
                     {"here", what_became_of(file.path, outcome)},
                     {"secrets", search.names_in(file.content)}});
  for (const LeftOut& left : all_left_out(outcome.plan, outcome.shipment))
    left_out.push_back({{"path", left.path}, {"why", left.why}});
  for (const Rule& rule : outcome.plan.shipment.unmatched) unmatched.push_back(rule.pattern);
  value["files"] = std::move(files);
  value["leftOut"] = std::move(left_out);
  value["unmatched"] = std::move(unmatched);
  value["writableNotShipped"] = outcome.plan.unshipped.files;
  value["notes"] = notes;
  return value;
}

void note_left_out(const std::vector<LeftOut>& left, const RunPlan& plan, Terminal& terminal) {
  std::vector<std::string> hidden;
  std::vector<const LeftOut*> others;
  for (const LeftOut& one : left)
    if (one.why == kWhyHidden)
      hidden.push_back(one.path);
    else
      others.push_back(&one);
  note_hidden(hidden, plan, terminal);
  const std::size_t shown = terminal.verbose() ? others.size() : std::min(others.size(), kListedFiles);
  for (std::size_t i = 0; i < shown; ++i)
    terminal.note("note: not sent: " + printable_line(others[i]->path) + " " + printable_line(others[i]->why));
  if (shown < others.size())
    terminal.note("note: " + files_text(others.size() - shown) + " more not sent; --verbose and --json name them");
}

void note_shipment(const RunPlan& plan, const Shipment& shipment, Terminal& terminal) {
  for (std::size_t i = 0; i < plan.made_relative.size() && i < kListedFiles; ++i)
    terminal.note("note: " + printable_line(plan.made_relative[i].first) +
                  " is in the workspace; the script gets the path " + printable_line(plan.made_relative[i].second));
  if (plan.made_relative.size() > kListedFiles)
    terminal.note("note: " + std::to_string(plan.made_relative.size() - kListedFiles) +
                  " more paths of the input became relative");
  if (!plan.workspace) return;
  note_left_out(all_left_out(plan, shipment), plan, terminal);
  for (const Rule& rule : plan.shipment.unmatched)
    terminal.note("note: allow.read `" + printable_line(rule.pattern) + "` (" + printable_line(rule.origin) + ") " +
                  why_unmatched(plan, rule));
  if (!plan.unshipped.files.empty())
    terminal.note("note: allow.write allows " +
                  (plan.unshipped.more ? "files" : files_text(plan.unshipped.files.size())) +
                  " of the workspace that allow.read does not allow; a run that changes such a file fails: " +
                  listed(plan.unshipped.files));
  if (!plan.unshipped.incomplete.empty())
    terminal.note("note: cannot determine which files allow.write allows and allow.read does not: " +
                  plan.unshipped.incomplete);
}

// For paths without a reason in Answer::refused. A server that is older than this member sends none.
std::string why_not_written(const Opening& write, const std::string& path) {
  const ObeyedName* const obeyed = obeyed_name(path);
  if (obeyed != nullptr && obeyed->opened_by == OpenedBy::NoRule)
    return "never written back, even if allow.write allows it: ";
  if (write.opens(path)) return "not written back, because it is not a regular file, or the server refuses it: ";
  if (obeyed != nullptr && obeyed->opened_by == OpenedBy::Spelling && write.opens_but_for_dots(path))
    return "not written back, because `" + std::string(obeyed->name) + "` " + std::string(obeyed->reason) +
           ", and no rule of allow.write spells this name: ";
  if (write.opens_but_for_dots(path))
    return "not matched by a wildcard of allow.write, because its name begins with a dot (only a rule with its name "
           "allows it): ";
  for (const std::string& name : write.literals())
    if (path.starts_with(name + "/"))
      return "below " + printable_line(name) + ", which allow.write names as a file (for a directory write `./" +
             printable_line(name) + "/**`; band exec: `--write " + printable_line(name) + "/`): ";
  return "not allowed by allow.write: ";
}

void note_changes(const RunOutcome& outcome, Terminal& terminal) {
  const Answer& answer = outcome.answer;
  const WriteBack& back = *outcome.back;
  const auto note = [&](const std::vector<std::string>& paths, const std::string& what) {
    if (!paths.empty()) terminal.note(what + listed(paths));
  };
  note(back.written, "wrote " + files_text(back.written.size()) + ": ");
  note_secrets(outcome, back.written, terminal);
  note_sandbox_paths(outcome, terminal);
  if (!back.cleared.empty())
    terminal.note("note: removed " + files_text(back.cleared.size()) +
                  ": temporary files of an earlier run that was killed while it wrote files back");
  note_not_written(outcome, note);
  note(answer.removed,
       "note: the script removed " + files_text(answer.removed.size()) + "; in the workspace band removes nothing: ");
  std::vector<std::string> renamed;
  for (const RenamedFile& file : answer.renamed) renamed.push_back(file.from + " to " + file.to);
  note(renamed, "note: the script renamed " + files_text(renamed.size()) + "; in the workspace band renames nothing: ");
  note(answer.mode_changed,
       "note: the script set the mode of " + files_text(answer.mode_changed.size()) + "; modes are not written back: ");
  note(answer.home_files,
       "note: the script wrote into the home directory of the sandbox, which is removed after the run; " +
           std::string("for files to keep, let it write into the workspace: "));
  if (answer.unnamed > 0)
    terminal.note("note: " + files_text(answer.unnamed) + " more were changed, removed or renamed and are not named");
}

void count_not_written(const RunOutcome& outcome, Terminal& terminal) {
  const Answer& answer = outcome.answer;
  std::vector<std::string> changes = answer.not_written;
  for (const std::string& path : answer.removed) changes.push_back(path + " (removed)");
  for (const RenamedFile& file : answer.renamed) changes.push_back(file.from + " (renamed)");
  for (const std::string& path : answer.mode_changed) changes.push_back(path + " (mode)");
  changes.insert(changes.end(), answer.home_files.begin(), answer.home_files.end());
  const std::uint64_t count = changes.size() + answer.unnamed;
  if (count == 0 || has_only_refreshed(answer)) return;
  terminal.always("band: " + std::to_string(count) + (count == 1 ? " change was" : " changes were") +
                  " not written back" +
                  (terminal.quiet() || terminal.keeps() ? ": " + listed(changes) : ", see the notes above"));
  if (terminal.quiet()) return;
  for (const std::string& hint : outcome.advice.lost(without_rule(outcome))) terminal.note("hint: " + hint);
}

namespace {

struct Refusal {
  std::string_view text;
  const LedgerEntry* entry = nullptr;  // the first one
  std::uint64_t number = 0;
};

// The text of the ledger names a wide pattern without a place for it.
std::string without_pattern(std::string_view text) {
  constexpr std::string_view kBefore = "; \"", kAfter = " would allow it)";
  const std::size_t at = text.rfind(kBefore);
  if (at == std::string_view::npos || !text.ends_with(kAfter)) return std::string(text);
  return std::string(text.substr(0, at)) + ")";
}

}  // namespace

void note_refusals(const RunOutcome& outcome, std::initializer_list<std::string_view> shown_texts,
                   std::string_view shown_hint, Terminal& terminal) {
  int comparisons = 0;
  std::vector<Refusal> refusals;
  std::uint64_t count = 0;
  for (const LedgerEntry& entry : outcome.answer.ledger) {
    const std::uint64_t number = refusals_in(entry);
    if (number == 0) continue;
    const std::string_view text = without_times(std::string_view(entry.text).substr(0, kMostReason));
    const auto same =
        std::find_if(refusals.begin(), refusals.end(), [&](const Refusal& one) { return one.text == text; });
    if (same == refusals.end() && refusals.size() < kMostRefusals) {
      if (comparisons++ < kMostComparisons && (std::any_of(shown_texts.begin(), shown_texts.end(),
                                                           [&](std::string_view one) { return contains(one, text); }) ||
                                               contains_word(shown_hint, subject_of(entry), true)))
        continue;
      refusals.push_back({text, &entry, number});
    } else if (same != refusals.end()) {
      same->number += number;
    }
    count += number;
  }
  if (count == 0) return;
  if (terminal.quiet())
    return terminal.always("band: " + std::to_string(count) + (count == 1 ? " action was" : " actions were") +
                           " refused or not found; without --quiet, band names " + (count == 1 ? "it" : "them"));
  std::vector<std::string_view> texts;
  texts.reserve(refusals.size());
  for (const Refusal& refusal : refusals) texts.push_back(refusal.entry->text);
  const std::vector<std::string> mends = outcome.advice.allowing(texts);
  for (std::size_t i = 0; i < refusals.size(); ++i) {
    const Refusal& refusal = refusals[i];
    count -= refusal.number;
    // The hint of the failed run already has the remedy.
    if (mends[i].size() > 2 && contains(shown_hint, std::string_view(mends[i]).substr(2))) continue;
    terminal.note(
        "note: " + printable_line(mends[i].empty() ? std::string(refusal.text) : without_pattern(refusal.text)) +
        (refusal.text.size() == kMostReason ? "..." : "") +
        (refusal.number > 1 ? ", " + std::to_string(refusal.number) + " times" : "") + mends[i]);
  }
  if (count > 0) terminal.note("note: " + std::to_string(count) + " more refused or not found; --explain names all");
}

void note_nothing_sent(const RunOutcome& outcome, Terminal& terminal) {
  const RunPlan& plan = outcome.plan;
  if (!plan.workspace || plan.shipment.unmatched.empty() || !outcome.shipment.sent.empty()) return;
  terminal.always("band: no file was sent to the sandbox: no rule of allow.read matches a file in " +
                  printable_line(plan.workspace->path()));
}

void note_dropped(const RunOutcome& outcome, Terminal& terminal) {
  const std::vector<ShippedFile>& files = outcome.answer.files;
  if (!files.empty())
    terminal.note("note: " + files_text(files.size()) +
                  " changed in the sandbox and not written back; use --write-back to keep such changes");
}

void note_unnoticed(const RunOutcome& outcome, Terminal& terminal) {
  std::size_t most = kMostHints;
  if (const auto& error = outcome.answer.error) {
    const std::size_t hints = error->hint.empty() ? 0 : lines_of(error->hint).size();
    if ((error->code != Code::ScriptFailed && error->code != Code::PermissionDenied) || hints >= most) return;
    most -= hints;
  }
  if (terminal.quiet()) return;
  for (const std::string& fact : outcome.advice.unnoticed(outcome.back, most)) terminal.note("note: " + fact);
}

void note_masked(const Answer& answer, Terminal& terminal) {
  if (answer.masked.empty()) return;
  std::vector<std::string> places;
  for (const std::string& pointer : answer.masked) places.push_back(pointer.empty() ? "the whole output" : pointer);
  terminal.note("note: the output has `" + std::string(kMasked) + "` in place of a secret's value: " + listed(places));
}

void note_logs(const RunOutcome& outcome, Terminal& terminal) {
  const Answer& answer = outcome.answer;
  if (terminal.verbose()) return show_logs(outcome, terminal);
  if (const std::size_t lines = lines_of(lines_for_carriage_returns(answer.stderr_log)).size(); lines > 0)
    terminal.note("note: " + outcome.plan.script.place.name + " wrote " + (answer.stderr_cut > 0 ? "more than " : "") +
                  std::to_string(lines) + (lines == 1 ? " line" : " lines") + " to stderr; --verbose shows " +
                  (lines == 1 ? "it" : "them"));
  for (const auto& [name, cut] : {std::pair("stdout", answer.stdout_cut), std::pair("stderr", answer.stderr_cut)})
    if (cut > 0)
      terminal.note("note: " + human_bytes(static_cast<std::int64_t>(cut)) + " in the middle of " + name +
                    " were not kept");
}

std::optional<int> status_of_unstarted(const Error& error, const std::string& command) {
  constexpr int kNotExecutable = 126, kNotFound = 127;
  if (error.code != Code::SandboxUnavailable) return std::nullopt;
  const auto details = parse_json(error.details, "details");
  const auto names = [&](const char* member) {
    if (!details.ok() || !details->is_object()) return false;
    const auto list = details->find(member);
    return list != details->end() && list->is_array() && std::find(list->begin(), list->end(), command) != list->end();
  };
  return names("missing") ? std::optional(kNotFound) : names("unusable") ? std::optional(kNotExecutable) : std::nullopt;
}

void note_kept(const RunOutcome& outcome, Terminal& terminal) {
  const std::string& place = *outcome.plan.keep_partial;
  if (outcome.kept) {
    terminal.note("kept " + files_text(outcome.kept->written.size()) + " of the failed run in " +
                  printable_line(place) + ": " + listed(outcome.kept->written));
    note_secrets(outcome, outcome.kept->written, terminal);
  } else if (outcome.answer.files.empty()) {
    terminal.note("note: the failed run returned no file; nothing was written into " + printable_line(place));
  }
}

void show_logs(const RunOutcome& outcome, Terminal& terminal) {
  const Answer& answer = outcome.answer;
  const std::string& script = outcome.plan.script.place.name;
  bool any = false;
  const auto show = [&](const char* name, const std::string& log, std::uint64_t cut) {
    // --verbose has printed the log while the script ran, except the part that was not sent.
    if (log.empty() || (terminal.verbose() && cut == 0)) return;
    show_log(name, script, log, cut, terminal);
    any = true;
  };
  show("stdout", answer.stdout_log, answer.stdout_cut);
  show("stderr", answer.stderr_log, answer.stderr_cut);
  if (any) terminal.err("---\n");
}

void explain(const RunOutcome& outcome, Terminal& terminal) {
  std::string text = plan_to_text(outcome.plan, kExplainedFiles);
  text = text.substr(text.find("\nskill:") + 1);
  terminal.err("--- the rules of this run\n" + text + "--- what happened\n" +
               ledger_to_text(outcome.answer.ledger, kExplainedFiles));
  const Metrics& m = outcome.answer.metrics;
  const auto ms = [](double value) { return ms_text(value) + " ms"; };
  const StepTimes& steps = m.steps;
  terminal.err("  time: " + ms(m.totalMs) + " = queue " + ms(m.queueMs) + " + setup " + ms(m.setupMs) + " (slot " +
               ms_text(steps.slot) + ", chain " + ms_text(steps.chain) + ", stage " + ms_text(steps.stage) +
               ", views " + ms_text(steps.views) + ", start " + ms_text(steps.start) + ") + run " + ms(m.runMs) +
               " + teardown " + ms(m.teardownMs) +
               "\n  sandbox: " + (m.warm ? "made ahead, for these rules" : "made for this run") +
               "\n  memory: " + human_bytes(m.maxMemoryBytes) + "\n");
}

}  // namespace band::client
