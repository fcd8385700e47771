#include <algorithm>

#include "client/answers/judgement.h"
#include "client/workspace/opening.h"
#include "client/workspace/workspace.h"
#include "schemas/core/json_text.h"
#include "schemas/core/obeyed_names.h"
#include "schemas/rules/machine_paths.h"
#include "schemas/rules/path_rules.h"
#include "schemas/rules/placeholders.h"
#include "schemas/rules/text.h"
#include "schemas/wire/wire.h"

namespace band::client {
namespace {

using Outcome = Judgement::Outcome;
using Kind = Question::Kind;

Domain Rules::*domain_of(const Question& question) {
  return question.kind == Kind::Read ? &Rules::read : &Rules::write;
}

PathRules::Use use_of(const Question& question) {
  return question.kind == Kind::Read ? PathRules::Use::Read : PathRules::Use::Write;
}

// Returns the rules that decide: those of the band, intersected with the ceiling. For a path of the machine, a deny of
// `read` also applies to writing, because a sandbox does not show such a file in a writable directory.
Domain deciding(const Question& question, const Grounds& grounds) {
  const Rules& permitted = grounds.permitted.rules;
  if (question.kind == Kind::Read) return permitted.read;
  return question.absolute ? with_both_denies(permitted.write, permitted.read) : permitted.write;
}

// Returns the section of a deny. For a path that is written, the denies of `read` apply, too.
std::string deny_section(const Question& question, const Grounds& grounds, std::size_t index) {
  const bool other = question.kind == Kind::Write && index >= grounds.permitted.rules.write.deny.size();
  return other ? "deny.read" : std::string("deny.") + question.domain();
}

std::size_t segments_in_common(std::string_view a, std::string_view b) {
  std::size_t count = 0;
  while (!a.empty() && !b.empty()) {
    const std::size_t x = std::min(a.find('/'), a.size()), y = std::min(b.find('/'), b.size());
    if (a.substr(0, x) != b.substr(0, y)) break;
    ++count;
    a.remove_prefix(std::min(x + 1, a.size()));
    b.remove_prefix(std::min(y + 1, b.size()));
  }
  return count;
}

// The rule of the same kind (workspace or machine) with the most directories in common.
std::optional<Rule> nearest_rule(const Question& question, const Domain& domain) {
  return nearest_of(domain, [&](const Rule& rule) -> std::optional<std::size_t> {
    const auto pattern = PathPattern::parse(rule.pattern);
    if (!pattern.ok() || pattern->absolute() != question.absolute) return std::nullopt;
    return segments_in_common(pattern->literal_prefix(), question.path);
  });
}

// Paths that exist in every sandbox, and not on the machine (own_paths() of server/view/stage.h; /dev/shm is a link to
// /tmp).
struct OwnPath {
  std::string_view path;
  bool write;  // writable; all of them are readable
  std::string_view about;
};
constexpr OwnPath kOwnPaths[] = {
    {"tmp", true, ": private, empty at the start, and removed at the end"},
    {"dev/shm", true, ", and a link to /tmp: private, empty at the start, and removed at the end"},
    {"work", true, ": the copy of the workspace; for a file of the workspace, ask about ./PATH"},
    {"band/out", true, ": the output of the script, and its error message"},
    {"band/in", false, ": the input and the configuration, which cannot be written"},
    {"band/skill", false, ": a copy of the skill, which cannot be written"},
    {"proc", false, ": it shows the sandbox's processes, and cannot be written"},
    {"dev/null", true, ""},
    {"dev/zero", true, ""},
    {"dev/full", true, ""},
    {"dev/random", true, ""},
    {"dev/urandom", true, ""}};
constexpr std::string_view kStreams[] = {"dev/stdin", "dev/stdout", "dev/stderr", "dev/fd", "dev/tty"};

bool is_at_or_below(std::string_view path, std::string_view directory) {
  return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
}

Judgement of_sandbox(Judgement judgement) {
  const std::string& path = judgement.question.path;
  for (const OwnPath& own : kOwnPaths) {
    if (!is_at_or_below(path, own.path)) continue;
    const bool allowed = own.write || judgement.question.kind == Kind::Read;
    judgement.outcome = allowed ? Outcome::Allowed : Outcome::Refused;
    judgement.reason = "/" + std::string(own.path) + " is the sandbox's own" + std::string(own.about) +
                       (allowed ? "; no rule applies to it" : "");
    if (!allowed) judgement.mend = "no rule can allow writing it";
    return judgement;
  }
  for (const std::string_view stream : kStreams) {
    if (!is_at_or_below(path, stream)) continue;
    judgement.outcome = Outcome::Depends;
    judgement.reason = "/" + std::string(stream) +
                       " refers to a stream or a terminal of the process; no rule applies to it, and it is not known "
                       "before a run whether it exists";
    return judgement;
  }
  judgement.reason =
      "/" + escaped(path.substr(0, path.find('/'))) + " is the sandbox's own, and does not contain this path";
  judgement.mend = "no rule can allow it";
  return judgement;
}

constexpr const char* kOfFloor =
    "a rule can allow only files that the sandbox lacks: a run is refused if a rule allows a file of /usr or /etc that "
    "the sandbox already has";

// Judges a path of the floor that no rule opens. A deny does not hide a file of the floor.
Judgement of_floor(Judgement judgement) {
  const bool reads = judgement.question.kind == Kind::Read;
  judgement.outcome = reads ? Outcome::Depends : Outcome::Refused;
  judgement.reason =
      reads ? "the sandbox has its own /usr and /etc; it is not known before a run which files they contain"
            : "the sandbox has its own /usr and /etc, in which a script cannot write";
  judgement.notes.emplace_back(kOfFloor);
  return judgement;
}

// Returns whether the path has a name that only such a rule opens (schemas/core/obeyed_names.h).
bool has_name(const Question& question, OpenedBy opened_by) {
  const ObeyedName* const obeyed =
      question.absolute || question.kind == Kind::Read ? nullptr : obeyed_name(question.path);
  return obeyed != nullptr && obeyed->opened_by == opened_by;
}

// Returns an error for paths that no rule can open: names that cannot be sent, and files that the client never writes.
std::optional<Error> never(const Question& question, const Grounds& grounds) {
  if (question.absolute) return std::nullopt;
  if (!is_safe_relative_path(question.path))
    return Error{.code = Code::PermissionDenied,
                 .doing = question.path + " has a name that cannot be sent (control characters, or not UTF-8)",
                 .hint = "rename the file"};
  if (!has_name(question, OpenedBy::NoRule)) return std::nullopt;
  const auto writes = Opening::of(grounds.rules.write, false, PathRules::Use::Write);
  const Status named = writes.ok() ? may_come_back(*writes, question.path) : Status(writes.error());
  if (named.ok()) return std::nullopt;
  return named.error();
}

void add_notes(Judgement& judgement, const Grounds& grounds) {
  const Question& question = judgement.question;
  if (question.absolute) {
    judgement.notes.push_back("not known before a run: whether " + escaped(question.written_path()) +
                              " exists on the target's machine, where links in its path point to, and whether the "
                              "sandbox's user may open it");
    if (is_of_floor(question.path)) judgement.notes.emplace_back(kOfFloor);
    return;
  }
  if (question.kind == Kind::Read) {
    judgement.notes.push_back(
        "the script gets a copy that is made before the run starts; a link is sent only if the rules also allow its "
        "target");
    return;
  }
  const auto reads = PathRules::compile(grounds.rules.read, PathRules::Use::Read);
  if (reads.ok() && !reads->opens(question.path, false))
    judgement.notes.push_back(
        "if the file exists, it is not replaced (WRITE_CONFLICT): only a file that allow.read allows can be replaced");
}

// The path is refused, but a placeholder opens it if the input names this file.
Result<bool> depends(Judgement& judgement, const Grounds& grounds) {
  const Question& question = judgement.question;
  if (question.absolute) return false;
  for (const Rule& rule : grounds.unfilled) {
    const std::string property = *placeholder_of(rule.pattern);
    const auto filled = with_path(grounds, property, question.path);
    if (!filled.ok()) continue;
    BAND_TRY(const PathRules rules, PathRules::compile(deciding(question, *filled), use_of(question)));
    if (!rules.opens(question.path, false)) continue;
    const auto& layers = (grounds.written.*domain_of(question)).opened;
    const bool in_domain = std::any_of(layers.begin(), layers.end(), [&](const RuleSet& layer) {
      return std::any_of(layer.begin(), layer.end(), [&](const Rule& other) { return other.pattern == rule.pattern; });
    });
    if (!in_domain) continue;
    judgement.outcome = Outcome::Depends;
    judgement.rule = rule;
    judgement.section = std::string("allow.") + question.domain();
    judgement.reason = "the answer depends on the input: " + judgement.section + " " + shown_rule(rule) +
                       " allows it when `" + property + "` of the input is " + shown_string(question.path);
    judgement.mend = "ask with the whole input: --input '{\"" + property + "\": ...}'";
    return true;
  }
  return false;
}

Status explain_closed(Judgement& judgement, const Grounds& grounds, const Domain& domain) {
  const Question& question = judgement.question;
  const std::string what = std::string("no rule of allow.") + question.domain() + " matches";
  judgement.reason = what;
  judgement.nearest = nearest_rule(question, domain);
  if (judgement.nearest) judgement.reason += "; nearest " + shown_rule(*judgement.nearest);
  if (question.absolute)
    judgement.notes.push_back(
        "an absolute path names a file of the machine that runs the script; a file of the workspace is ./PATH");
  BAND_TRY(const Opening opening, Opening::of(domain, question.absolute, use_of(question)));
  if (has_name(question, OpenedBy::Spelling)) {
    const ObeyedName& obeyed = *obeyed_name(question.path);
    judgement.reason += "; only a rule that spells `" + std::string(obeyed.name) + "` allows it, because `" +
                        std::string(obeyed.name) + "` " + std::string(obeyed.reason);
  } else if (opening.opens_but_for_dots(question.path)) {
    judgement.reason += "; a wildcard matches no name that begins with a dot";
    if (question.absolute && question.kind == Kind::Write)
      judgement.notes.push_back(
          "in a writable directory of the machine, new names that begin with a dot can "
          "be created nevertheless: no rule prevents this");
  }
  return not_opened(judgement, grounds, domain_of(question), [&](const RuleSet& layer) -> Result<bool> {
    BAND_TRY(const PathRules alone, PathRules::compile({{layer}, {}, {}}, use_of(question)));
    return alone.opens(question.path, question.absolute);
  });
}

}  // namespace

Result<Judgement> judge_path(const Question& question, const Grounds& grounds) {
  Judgement judgement;
  judgement.question = question;
  if (question.absolute && is_of_sandbox(question.path)) return of_sandbox(std::move(judgement));
  if (const auto error = never(question, grounds)) {
    judgement.reason = escaped(error->doing);
    judgement.mend = escaped(error->hint);
    return judgement;
  }
  const Domain domain = deciding(question, grounds);
  BAND_TRY(const PathRules rules, PathRules::compile(domain, use_of(question)));
  const PathVerdict verdict = rules.judge(question.path, question.absolute);
  if (verdict.allowed) {
    judgement.outcome = Outcome::Allowed;
    judgement.rule = verdict.rule;
    judgement.section = std::string(verdict.section) + "." + question.domain();
    judgement.reason = judgement.section + " " + shown_rule(*verdict.rule);
    add_notes(judgement, grounds);
    return judgement;
  }
  if (question.absolute && is_of_floor(question.path)) return of_floor(std::move(judgement));
  if (verdict.rule) {
    judgement.section = deny_section(question, grounds, verdict.index);
    RuleSet own = grounds.rules.read.deny;
    own.insert(own.end(), grounds.rules.write.deny.begin(), grounds.rules.write.deny.end());
    closed_by_deny(judgement, *verdict.rule, own);
    return judgement;
  }
  BAND_TRY(const bool by_input, depends(judgement, grounds));
  if (by_input) return judgement;
  BAND_CHECK(explain_closed(judgement, grounds, domain));
  return judgement;
}

}  // namespace band::client
