#include "client/learn/learner.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "client/learn/use.h"
#include "client/logs/reading.h"
#include "schemas/core/join.h"
#include "schemas/core/json_text.h"
#include "schemas/pattern/pattern.h"
#include "schemas/rules/checks.h"
#include "schemas/rules/net_rules.h"
#include "schemas/rules/path_rules.h"
#include "schemas/rules/placeholders.h"

namespace band::client::learn {
namespace {

constexpr std::size_t kMostLines = 300;

// Returns true when `text` contains `word` as a whole word.
bool has_word(const std::string& text, const std::string& word) {
  const auto is_part = [&](std::size_t at) { return ::isalnum(static_cast<unsigned char>(text[at])) != 0; };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_part(at - 1)) && (end == text.size() || !is_part(end))) return true;
  }
  return false;
}

bool mentions(const std::vector<std::string>& messages, const std::string& word) {
  return std::any_of(messages.begin(), messages.end(), [&](const std::string& text) { return has_word(text, word); });
}

}  // namespace

Learner::Learner(Subject subject) : subject_(std::move(subject)) {
  const RuleSet& insist = subject_.rules.read.insist;
  for (const RuleSet& layer : subject_.rules.read.opened)
    for (const Rule& rule : layer) {
      const auto is_insisted = [&](const Rule& other) { return other.pattern == rule.pattern; };
      if (is_of_file(rule, subject_.file) && !rule.pattern.starts_with('/') &&
          std::none_of(insist.begin(), insist.end(), is_insisted))
        band_reads_.push_back({rule, false, {}});
    }
}

bool Learner::observe(const Run& run) {
  changed_ = false;
  for (Line& line : lines_)
    line.tried =
        line.tried || (run.evidence.succeeded && line.run < run.number && is_open_for(line, run.value, run.given));
  if (!run.evidence.started) {
    if (run.evidence.write_conflict) pair_reads(run, targets_in_the_way(run));
    if (!changed_) refused_to_start(run);
    return changed_;
  }
  incomplete_ = incomplete_ || !run.evidence.incomplete.empty();
  if (run.evidence.exited_well) last_dropped_.clear();
  mark_use(run);
  mark_reads(run);
  commands(run);
  contacts(run);
  files(run);
  programs(run);
  variables(run);
  if (!run.evidence.exited_well)
    restore_dropped();
  else if (run.evidence.incomplete.empty())
    drop_unused(run);
  drop_lone_pairs();
  return changed_;
}

// Drops lines that this server cannot fulfil: it lacks the program, or its operator closes the host.
void Learner::refused_to_start(const Run& run) {
  const std::vector<std::string>& messages = run.evidence.messages;
  const auto is_meant = [&](const Line& line) {
    const std::string word = line.domain == "cli" ? line.pattern.substr(0, line.pattern.find(' ')) : line.pattern;
    return mentions(messages, word);
  };
  for (const Line& line : lines_) {
    if (!is_meant(line)) continue;
    rejected_.insert(key_of(line));
    doubt(key_of(line), "whether the script works without `" + line.pattern + "` of allow." + line.domain +
                            ": with this line, no run can start: " + join(messages, "; "));
    changed_ = true;
  }
  std::erase_if(lines_, [&](const Line& line) { return rejected_.contains(key_of(line)); });
  std::erase_if(programs_, [&](const std::string& name) {
    if (!mentions(messages, name)) return false;
    rejected_.insert("program " + name);
    doubt("program " + name, "how the script calls `" + name + "`: " + join(messages, "; "));
    return changed_ = true;
  });
  if (!changed_) doubt("start", "why no run can start: " + join(messages, "; "));
}

// ---- connections ----

void Learner::contacts(const Run& run) {
  const auto net = NetRules::compile(opened_rules().net);
  if (!net.ok()) return;
  for (const Contact& contact : run.evidence.contacts) {
    if (contact.end != Contact::End::Refused) continue;
    const bool web = contact.port == 0 || contact.port == 443 || contact.port == 80;
    const std::string pattern = contact.host + (web ? "" : ":" + std::to_string(contact.port));
    const auto parsed = NetPattern::parse(pattern);
    const bool known =
        parsed.ok() && (parsed->kind == NetPattern::Kind::Name || parsed->kind == NetPattern::Kind::Address);
    if (!known || contact.section.starts_with("deny.") || contact.host == kWatchedHost) {
      doubt(contact.text, "whether the script needs a refused connection: " + contact.text);
      continue;
    }
    const NetHost host = NetHost::of(contact.host);
    const bool open =
        contact.port == 0 ? !host.address && net->lookup(host.name).allowed : net->connect(host, contact.port).allowed;
    if (open) {
      doubt(contact.text, "why a connection that a rule allows was refused: " + contact.text);
      continue;
    }
    Line line{.section = "allow", .domain = "net", .pattern = pattern, .evidence = "ledger", .source = contact.text};
    line.reason = contact.port == 0 ? "the script looked the name up" : "the script connected there";
    add(std::move(line), run);
  }
  if (run.evidence.refused_packets > 0)
    doubt("packets", "to which hosts " + std::to_string(run.evidence.refused_packets) +
                         " refused packets were sent: the ledger has no host names for packets");
}

// ---- files ----

void Learner::files(const Run& run) {
  const std::vector<InputValue> values = values_of(run.value, run.given);
  const auto opened = with_input(opened_rules(run.value, run.given), run.value);
  if (!opened.ok()) return doubt("input", "which files the input names: " + opened.error().doing);
  const auto reads = PathRules::compile(opened->read, PathRules::Use::Read),
             writes = PathRules::compile(opened->write, PathRules::Use::Write);
  if (!reads.ok() || !writes.ok()) return;
  const FileSearch search{
      subject_.workspace,
      subject_.properties,
      values,
      [&](const std::string& path) { return reads->opens(path, false); },
      [&](const std::string& path) { return writes->opens(path, false); },
      [&, known = std::map<std::string, bool>{}](const std::string& property) mutable {  // called for each value
        const auto [at, is_new] = known.try_emplace(property);
        if (is_new) at->second = has_hidden_default(run.value, run.given, property);
        return at->second;
      }};
  FileLines found;
  const bool failed = !run.evidence.exited_well;
  lines_of_input(search, failed, found);
  if (failed) lines_of_log(search, run.evidence, found);
  missing_[run.input] = std::move(found.missing);
  if (!std::exchange(read_script_, true)) lines_of_script(search, subject_.script, found);
  std::vector<std::string> written = run.evidence.came_back;
  if (run.evidence.exited_well) {
    lines_of_written(search, run.evidence.stayed, found);
    written.insert(written.end(), run.evidence.stayed.begin(), run.evidence.stayed.end());
  }
  if (run.evidence.unnamed > 0)
    doubt("unnamed", "which " + std::to_string(run.evidence.unnamed) + " further files the script changed");
  for (Line& line : found.lines) add(std::move(line), run);
  for (Decision& decision : found.decisions) decide(std::move(decision));
  for (const std::string& text : found.unknown) doubt(text, text);
  pair_reads(run, std::move(written));
}

// ---- variables ----

void Learner::variables(const Run& run) {
  const auto declared = [&](const std::string& name) {
    const auto& env = subject_.rules.env;
    return std::any_of(env.begin(), env.end(), [&](const EnvRule& rule) { return rule.name == name; });
  };
  for (const std::string& name : unset_variables(run.evidence.log))
    if (check_env_name(name).ok() && !declared(name) && !subject_.script.assigned.contains(name))
      decide({"env: {" + name + ": {}}", "the script stopped because " + name + " is not set"});
  for (const ShellVariable& use : subject_.script.uses)
    if (!use.has_default && is_environment_name(use.name) && !declared(use.name) &&
        !subject_.script.assigned.contains(use.name))
      decide({"env: {" + use.name + ": {}}", "run.sh:" + std::to_string(use.line) + " uses $" + use.name});
  for (const UnpassedVariable& variable : run.evidence.variables)
    if (!variable.mend.empty() && check_env_name(variable.name).ok())
      decide({variable.mend, "the script sets " + variable.name + " for a command, and the command does not get it"});
}

// ---- used rules ----

void Learner::mark_use(const Run& run) {
  for (const AskedCommand& command : run.evidence.commands)
    if (command.end == AskedCommand::End::Succeeded || command.end == AskedCommand::End::Failed)
      used_.insert("cli " + command.pattern + " " + command.origin);  // escaped in the ledger
  for (const Contact& contact : run.evidence.contacts) {
    if (contact.end == Contact::End::Refused) continue;
    for (Line& line : lines_)
      if (line.domain == "net" && reaches(line.pattern, contact)) line.seen = true;
    for (const RuleSet& layer : subject_.rules.net.opened)
      for (const Rule& rule : layer)
        if (reaches(rule.pattern, contact)) used_.insert(key_of_rule("net", rule));
  }
  mark_calls(run);
  mark_writes(run);
}

// Marks the reads that this run had to prove and that the kernel reported.
void Learner::mark_reads(const Run& run) {
  const auto was_read = [&](const std::string& pattern) {
    return names_one_of("read", pattern, run.value, run.evidence.reads);
  };
  const bool complete = run.evidence.exited_well && run.evidence.incomplete.empty();
  const std::vector<Rule> all = wanted_reads(run.value, run.given, run.input);
  insisted_.clear();
  for (const Rule& rule : all) insisted_.insert(rule.pattern);
  // Learn added this insist and drops it in the next run, because this run's output is not known.
  changed_ = changed_ || (run.evidence.insist_failed && !all.empty());
  // A line that allowed replacing a file is used, even if the file was not read.
  for (BandRead& read : band_reads_)
    read.seen = read.seen || names_one_of("read", read.rule.pattern, run.value, run.evidence.came_back);
  for (const Rule& wanted : all) {
    const bool seen = was_read(wanted.pattern);
    for (BandRead& read : band_reads_) {
      if (read.rule.pattern != wanted.pattern) continue;
      read.seen = read.seen || seen;
      if (!seen && complete) read.unseen.insert(run.input);
    }
    for (Line& line : lines_)
      if (line.domain == "read" && line.pattern == wanted.pattern && line.run < run.number)
        line.seen = line.seen || seen;
  }
}

// Drops lines that a successful run had and did not use.
void Learner::drop_unused(const Run& run) {
  // A command may succeed with the lines that the next run opens. After a change outside there is no next run.
  const bool is_last = !changed_, ends_here = !changes_outside(run.evidence, opened_rules()).empty();
  const auto is_unused = [&](const Line& line) {
    if (line.seen || line.run >= run.number || kept_.contains(key_of(line))) return false;
    if (line.domain == "cli") return is_last && !ends_here && only_failed(line, run);
    return line.domain == "net" || (line.domain == "read" && line.wants_read && insisted_.contains(line.pattern));
  };
  for (const Line& line : lines_) {
    if (ends_here && only_failed(line, run))
      doubt(
          "without " + key_of(line),
          "whether the script needs `" + line.pattern +
              "`: the calls that it allows failed, the script succeeded, and no further run could be made without it");
    if (!is_unused(line)) continue;
    if (line.domain == "cli") note_failing(line, run);
    dropped_.insert(key_of(line));
    last_dropped_.push_back(line);
    changed_ = true;
  }
  std::erase_if(lines_, is_unused);
}

// Restores the lines dropped last: a script that only tests whether a file exists reads nothing, and may still fail
// without the file.
void Learner::restore_dropped() {
  for (Line& line : std::exchange(last_dropped_, {})) {
    if (!kept_.insert(key_of(line)).second) continue;  // restored before
    line.wants_read = false;
    lines_.push_back(std::move(line));
    changed_ = true;
  }
}

// ---- the lists ----

// Returns true when other rules close the line, so that a run with it would end as the run without it.
bool Learner::is_closed(const Line& line, const Run& run) {
  if (!subject_.closed_by) return false;
  const auto [at, is_new] = closed_by_.try_emplace(key_of(line) + " " + std::to_string(run.input));
  if (is_new) at->second = subject_.closed_by(line, run.input);
  if (at->second.empty()) return false;
  const auto same = [&](const Closed& other) { return other.domain == line.domain && other.pattern == line.pattern; };
  if (std::none_of(closed_.begin(), closed_.end(), same))
    closed_.push_back({line.domain, line.pattern, line.reason, run.number, at->second});
  return true;
}

void Learner::add(Line line, const Run& run) {
  const std::string key = key_of(line);
  if (rejected_.contains(key) || is_closed(line, run)) return;
  if (const Line* same = find(line.domain, line.pattern)) {
    if (same->run < run.number)
      doubt(key, "why the script did not get `" + line.pattern + "`, although this run allowed it");
    return;
  }
  if (dropped_.contains(key)) {
    if (line.evidence == "input" || line.evidence == "script") return;       // a run succeeded without it
    if (line.domain != "cli" || !did_well(run.evidence)) kept_.insert(key);  // a command: other inputs may not need it
    line.wants_read = false;
  }
  if (line.domain == "write") {
    for (Line& other : lines_) {
      const std::string both = other.domain == "write" ? common_pattern(other.pattern, line.pattern) : "";
      if (both.empty()) continue;
      other.pattern = both;
      other.reason = "the script wrote several such files";
      other.warning = kWideGroup;
      other.run = run.number;
      other.tried = false;
      changed_ = true;
      return;
    }
  }
  if (lines_.size() >= kMostLines) return doubt("many", "more than " + std::to_string(kMostLines) + " lines");
  line.run = run.number;
  lines_.push_back(std::move(line));
  changed_ = true;
}

const Line* Learner::find(const std::string& domain, const std::string& pattern) const {
  for (const Line& line : lines_)
    if (line.domain == domain && line.pattern == pattern) return &line;
  return nullptr;
}

void Learner::doubt(const std::string& key, const std::string& text) {
  if (unknown_.size() < 50) unknown_.emplace(key, text);
}

void Learner::decide(Decision decision) {
  const auto same = [&](const Decision& other) { return other.write == decision.write; };
  if (decisions_.size() < 50 && std::none_of(decisions_.begin(), decisions_.end(), same))
    decisions_.push_back(std::move(decision));
}

}  // namespace band::client::learn
