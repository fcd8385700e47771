#include "schemas/permit/permit.h"

#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include "schemas/core/diagnostic.h"
#include "schemas/core/json_text.h"
#include "schemas/permit/algebra.h"
#include "schemas/permit/closed.h"
#include "schemas/permit/limits.h"
#include "schemas/rules/path_rules.h"
#include "schemas/rules/text.h"

namespace band {
namespace {

// Adds the layers and deny rules of the ceiling. A ceiling without `allow` for a domain has no layer for this domain,
// so only its `deny` applies. A domain of `inner` without a layer allows nothing; with the layer of the ceiling it
// would allow what the ceiling allows. Ignores insist rules and variables of the ceiling.
void restrict_domain(Domain& inner, const Domain& outer) {
  if (!inner.opened.empty()) {
    inner.opened.insert(inner.opened.end(), outer.opened.begin(), outer.opened.end());
    inner.of_ceiling = outer.opened.size();
  }
  inner.deny.insert(inner.deny.end(), outer.deny.begin(), outer.deny.end());
  inner.denied_by_ceiling = outer.deny.size();
}

Rules under_ceiling(const Rules& rules, const Rules& ceiling) {
  Rules result = rules;
  for (Domain Rules::*domain : {&Rules::cli, &Rules::net, &Rules::read, &Rules::write})
    restrict_domain(result.*domain, ceiling.*domain);
  return result;
}

std::set<std::string> limits_at_ceiling(const EffectiveLimits& given, const Limits& ceiling) {
  std::set<std::string> names;
  for (const LimitKey& key : kLimitKeys)
    if (given.*key.effective == ceiling.*key.member) names.insert(key.name);
  return names;
}

// Adds a note for each limit that is lower in the ceiling than in the band. The client receives the notes before the
// script starts.
void note_lowered(const Limits& asked, const EffectiveLimits& given, std::vector<LedgerEntry>& notes) {
  for (const LimitKey& key : kLimitKeys) {
    const auto& wanted = asked.*key.member;
    const std::int64_t got = given.*key.effective;
    if (!wanted || got >= *wanted) continue;
    notes.push_back({"limit",
                     std::string("limit.") + key.name + " is " + limit_in_units(key, got) +
                         ", the most that this server allows (ceiling.limit in server.yaml); the band asks for " +
                         limit_in_units(key, *wanted),
                     lowered_details(key, *wanted, got)});
  }
}

// Returns whether the files have more than `most` directories above them. The caller chooses the paths, so a request of
// a few MiB can name millions of directories; this function stops at the first one that is too many.
bool has_more_directories(const std::vector<ShippedFile>& files, std::int64_t most) {
  std::set<std::string_view> directories;
  for (const ShippedFile& file : files) {
    std::string_view path = file.path;
    for (std::size_t slash = path.rfind('/'); slash != std::string_view::npos; slash = path.rfind('/')) {
      path = path.substr(0, slash);
      if (!directories.insert(path).second) break;  // the directories above it were inserted with it
      if (static_cast<std::int64_t>(directories.size()) > most) return true;
    }
  }
  return false;
}

// The client has checked the same limits with the band's values, and the ceiling may be lower.
Status check_sizes(const std::vector<ShippedFile>& files, const Permitted& permitted) {
  const auto refused = [&](const char* limit, const std::string& what, std::int64_t most) {
    const std::string name = std::string("limit.") + limit;
    return Error{.code = Code::LimitExceeded,
                 .doing = what + "; " + name + " is " + std::to_string(most),
                 .hint = (permitted.at_ceiling.count(limit) != 0
                              ? "ask the operator to raise ceiling." + name + " in server.yaml"
                              : "raise " + name + " in the band") +
                         ", or allow fewer files in allow.read"};
  };
  const auto count = static_cast<std::int64_t>(files.size());
  if (count > permitted.limits.maxFiles)
    return refused("maxFiles", std::to_string(count) + " files of the workspace were sent", permitted.limits.maxFiles);
  if (has_more_directories(files, permitted.limits.maxFiles))
    return refused(
        "maxFiles",
        "the files of the workspace are in more than " + std::to_string(permitted.limits.maxFiles) + " directories",
        permitted.limits.maxFiles);
  std::int64_t bytes = 0;
  for (const ShippedFile& file : files) bytes += static_cast<std::int64_t>(file.content.size());
  if (bytes > permitted.limits.maxDiskBytes)
    return refused("maxDiskBytes", "the workspace's files have " + std::to_string(bytes) + " bytes",
                   permitted.limits.maxDiskBytes);
  return done();
}

// The client then leaves such files out (client/commands/running.h).
Status check_denied(const std::vector<ShippedFile>& files, const Domain& ceiling_read) {
  if (files.empty() || (ceiling_read.opened.empty() && ceiling_read.deny.empty())) return done();
  std::vector<std::string> paths;
  paths.reserve(files.size());
  for (const ShippedFile& file : files) paths.push_back(file.path);
  BAND_TRY(const std::vector<DeniedFile> denied, files_denied_by(ceiling_read, paths));
  if (denied.empty()) return done();
  const std::size_t more = denied.size() - 1;
  return Error{.code = Code::PermissionDenied,
               .doing = "this server's ceiling does not allow that " + denied.front().path + " is read (" +
                        denied.front().why + ")" +
                        (more == 0 ? "" : ", and " + std::to_string(more) + " more of the sent files"),
               .hint =
                   "do not send these files: deny them in the band's `read`, or ask the operator to change "
                   "`ceiling` in /etc/band/server.yaml",
               .details = json_object({{"denied", std::to_string(denied.size())}})};
}

}  // namespace

EffectiveLimits permitted_limits(const Limits& request, const Limits& ceiling) { return effective(request, ceiling); }

Result<std::vector<DeniedFile>> files_denied_by(const Domain& ceiling_read, const std::vector<std::string>& paths) {
  BAND_TRY(const PathRules rules, PathRules::compile(ceiling_read, PathRules::Use::Read));
  std::vector<DeniedFile> denied;
  for (const std::string& path : paths) {
    const PathVerdict verdict = rules.judge(path, false);
    if (verdict.rule && std::string_view(verdict.section) == "deny")
      denied.push_back({path, "deny.read " + shown_rule(*verdict.rule)});
    else if (!verdict.allowed && !ceiling_read.opened.empty())
      denied.push_back({path, "no rule of its allow.read matches"});
  }
  return denied;
}

Result<Permitted> permit(const Rules& request, const std::vector<ShippedFile>& files, const Rules& ceiling,
                         const std::vector<Cidr>& allow_private) {
  Permitted permitted;
  permitted.rules = under_ceiling(request, ceiling);
  permitted.limits = permitted_limits(request.limit, ceiling.limit);
  permitted.at_ceiling = limits_at_ceiling(permitted.limits, ceiling.limit);
  const auto contradictions = check_insists(permitted.rules);
  if (!contradictions.empty()) return skill_invalid(contradictions);
  BAND_TRY(permitted.commands, plan_commands(permitted.rules.cli));
  BAND_TRY(permitted.notes, what_is_closed(request, ceiling, allow_private));
  note_lowered(request.limit, permitted.limits, permitted.notes);
  BAND_CHECK(check_denied(files, ceiling.read));
  BAND_CHECK(check_sizes(files, permitted));
  return permitted;
}

}  // namespace band
