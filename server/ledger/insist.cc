#include "server/ledger/insist.h"

#include <algorithm>
#include <cstdint>
#include <span>

#include "schemas/core/json_text.h"
#include "schemas/rules/net_rules.h"

namespace band::ledger {
namespace {

constexpr std::size_t kMaxSeenBytes = 400;
constexpr std::size_t kMaxListed = 20;        // number of missing patterns in the message; the details contain all
constexpr std::size_t kMaxCompared = 10'000;  // files, or hosts; one comparison costs the length of both names
// Likeness of an event that matches the pattern but does not count. Events that do not match have a lower likeness.
constexpr std::size_t kMatches = 1u << 20;
constexpr std::uint64_t kMostSteps = 1u << 27;  // the same limit as in the broker

std::string cut(std::string_view text) {
  if (text.size() <= kMaxSeenBytes) return escaped(text);
  return escaped(text.substr(0, kMaxSeenBytes)) + "...";
}

std::size_t shared_prefix(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

std::string_view last_segment(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Returns the number of bytes that pattern and path have in common at their beginning and end. A path with an equal
// file name in another directory gets a higher result than another name in the same directory.
std::size_t likeness(std::string_view pattern, std::string_view path) {
  const std::string_view name = last_segment(path), wanted = last_segment(pattern);
  const auto ends = std::mismatch(name.rbegin(), name.rend(), wanted.rbegin(), wanted.rend());
  return shared_prefix(pattern, path) + static_cast<std::size_t>(ends.first - name.rbegin()) +
         (name == wanted ? 256 : 0);
}

// Returns the length of the common suffix: `*.github.com` is nearer to api.github.com than to a.com. The same host with
// another port has the highest likeness.
std::size_t likeness(const NetPattern& pattern, const NetHost& host) {
  const std::string text = host.text();
  const auto ends = std::mismatch(text.rbegin(), text.rend(), pattern.host.rbegin(), pattern.host.rend());
  return 1 + static_cast<std::size_t>(ends.first - text.rbegin()) + (is_about(pattern, host) ? 1024 : 0);
}

struct Missing {
  const char* section;
  const Rule* rule;
  std::string nearest;  // "" when no similar event was recorded
};

Error unsatisfied(const std::vector<Missing>& all) {
  Error error{.code = Code::InsistNotSatisfied};
  std::vector<std::string> list;
  for (const Missing& missing : all) {
    list.push_back(json_object({{"section", json_string(missing.section)},
                                {"pattern", json_string(escaped(missing.rule->pattern))},
                                {"origin", json_string(escaped(missing.rule->origin))},
                                {"nearest", missing.nearest.empty() ? "null" : json_string(missing.nearest)}}));
    if (list.size() > kMaxListed) continue;
    if (!error.doing.empty()) error.doing += "\n";
    error.doing += std::string(missing.section) + " " + shown_string(missing.rule->pattern, 120);
    if (!missing.rule->origin.empty()) error.doing += " (" + escaped(missing.rule->origin) + ")";
    error.doing += " did not happen; ";
    error.doing += missing.nearest.empty() ? "no similar event was recorded" : "nearest: " + missing.nearest;
  }
  if (all.size() > kMaxListed) error.doing += "\nand " + std::to_string(all.size() - kMaxListed) + " more";
  error.hint =
      "the script exited with 0 without doing what its band insists on: correct the script, or remove the insist; "
      "`--explain` shows what the script did";
  error.details = json_array(list);
  return error;
}

}  // namespace

Result<Insists::Kind> Insists::compile_files(const RuleSet& insist) {
  Kind kind;
  for (const Rule& rule : insist) {
    BAND_TRY(PathPattern pattern, PathPattern::parse(rule.pattern));
    kind.missing.push_back({rule, std::move(pattern), {}});
  }
  return kind;
}

Result<Insists> Insists::compile(const Rules& rules) {
  Insists insists;
  for (const Rule& rule : rules.cli.insist) {
    BAND_TRY(CliPattern pattern, CliPattern::parse(rule.pattern));
    insists.commands_.push_back({rule, std::move(pattern), {}});
  }
  for (const Rule& rule : rules.net.insist) {
    BAND_TRY(NetPattern pattern, NetPattern::parse(rule.pattern));
    insists.hosts_.push_back({rule, std::move(pattern), {}});
  }
  BAND_TRY(insists.reads_, compile_files(rules.read.insist));
  BAND_TRY(insists.writes_, compile_files(rules.write.insist));
  return insists;
}

void Insists::command_succeeded(const std::vector<std::string>& argv, std::string_view text) {
  command(argv, text, true);
}

void Insists::command_failed(const std::vector<std::string>& argv, std::string_view text) {
  // A command line that the broker denied because of its length is not compared here either.
  std::size_t bytes = 0;
  for (const std::string& argument : argv) bytes += argument.size();
  std::uint64_t steps = 0;
  for (const InsistedCommand& insist : commands_) steps += insist.pattern.most_steps(argv.size(), bytes);
  if (steps <= kMostSteps) command(argv, text, false);
}

void Insists::command(const std::vector<std::string>& argv, std::string_view text, bool good) {
  if (argv.empty()) return;
  const std::span arguments = std::span(argv).subspan(1);
  std::erase_if(commands_, [&](InsistedCommand& insist) {
    if (insist.pattern.base_name() != argv[0]) return false;
    const bool matches = insist.pattern.matches_arguments(arguments);
    const std::size_t like = matches ? kMatches : 1 + insist.pattern.leading_matches(arguments);
    if (like > insist.nearest.likeness) insist.nearest = {like, cut(text)};
    return matches && good;
  });
}

void Insists::host_reached(std::string_view host, std::uint16_t port, std::string_view text) {
  this->host(host, port, text, true);
}

void Insists::host_not_reached(std::string_view host, std::uint16_t port, std::string_view text) {
  this->host(host, port, text, false);
}

void Insists::host(std::string_view host, std::uint16_t port, std::string_view text, bool good) {
  const NetHost reached = NetHost::of(host);
  const auto meant = [&](const InsistedHost& insist) {
    return insist.pattern.opens(port) && is_about(insist.pattern, reached);
  };
  if (good) std::erase_if(hosts_, meant);
  if (hosts_compared_++ >= kMaxCompared) return;
  for (InsistedHost& insist : hosts_) {
    const std::size_t like = meant(insist) ? kMatches : likeness(insist.pattern, reached);
    if (like > insist.nearest.likeness) insist.nearest = {like, cut(text)};
  }
}

void Insists::file_read(std::string_view path, bool absolute) { file(reads_, path, absolute, ""); }
void Insists::file_written(std::string_view path, bool absolute) { file(writes_, path, absolute, ""); }
void Insists::file_not_read(std::string_view path, bool absolute, std::string_view why) {
  file(reads_, path, absolute, why);
}
void Insists::file_not_written(std::string_view path, bool absolute, std::string_view why) {
  file(writes_, path, absolute, why);
}
// Considers only patterns that match the file. For other patterns, an unchanged file is not worth naming.
void Insists::file_unchanged(std::string_view path) {
  for (InsistedFile& insist : writes_.missing)
    if (insist.nearest.likeness < kMatches && !insist.pattern.absolute() && insist.pattern.matches(path))
      insist.nearest = {kMatches, cut("./" + std::string(path)) +
                                      ", which still has the content that the client sent: " +
                                      "writing the same content again does not count"};
}

bool Insists::waits_for_reads() const { return !reads_.missing.empty(); }

void Insists::file(Kind& kind, std::string_view path, bool absolute, std::string_view why_not) {
  const auto about = [&](const InsistedFile& insist) {
    return insist.pattern.absolute() == absolute && insist.pattern.matches(path);
  };
  if (why_not.empty()) std::erase_if(kind.missing, about);
  if (kind.compared++ >= kMaxCompared) return;
  const std::string shown = (absolute ? "/" : "./") + std::string(path);
  for (InsistedFile& insist : kind.missing) {
    const bool meant = about(insist);
    const std::size_t like = meant ? kMatches : likeness(insist.pattern.text(), shown);
    if (like <= insist.nearest.likeness) continue;
    insist.nearest = {like, cut(shown)};
    if (meant) insist.nearest.text += ", which " + std::string(why_not);
  }
}

Status Insists::judge() const {
  std::vector<Missing> missing;
  for (const InsistedCommand& insist : commands_) missing.push_back({"insist.cli", &insist.rule, insist.nearest.text});
  for (const InsistedHost& insist : hosts_) missing.push_back({"insist.net", &insist.rule, insist.nearest.text});
  for (const InsistedFile& insist : reads_.missing)
    missing.push_back({"insist.read", &insist.rule, insist.nearest.text});
  for (const InsistedFile& insist : writes_.missing)
    missing.push_back({"insist.write", &insist.rule, insist.nearest.text});
  if (missing.empty()) return done();
  return unsatisfied(missing);
}

}  // namespace band::ledger
