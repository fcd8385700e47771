// `band new`: makes the files of a new skill or script, all of them or none. Existing files are not changed.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "client/author/skeleton.h"
#include "client/commands/commands.h"
#include "client/host/environment.h"
#include "client/host/invoker.h"
#include "client/host/tree.h"
#include "client/host/write_all.h"
#include "schemas/core/json_text.h"
#include "schemas/core/usage.h"
#include "schemas/pattern/shell_text.h"
#include "schemas/permit/compose.h"
#include "schemas/wire/names.h"

namespace band::client {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFirstScript = "hello";

struct Plan {
  std::string skill, script;
  std::string root, directory;  // the directory of skills, and that of this skill
  std::vector<NewFile> files;
  bool is_skill = false;     // false: a script of an existing skill
  std::string why_own_band;  // why a script gets its own BAND.md; "": it gets none
};

Error failed(std::string doing, int err) {
  const bool there = err == EEXIST || err == ENOTDIR;
  return Error{.code = there ? Code::WriteConflict : Code::Usage,
               .doing = "cannot " + std::move(doing),
               .err = err,
               .hint = there ? "nothing was changed; choose another name, or rename the existing file or directory"
                             : "nothing was made; check the permissions and the free space on the disk"};
}

// The directories above the skill that were made so far. The caller chose their path, which may have links. The
// destructor removes them unless keep() was called.
class MadeAbove {
 public:
  MadeAbove() = default;
  MadeAbove(const MadeAbove&) = delete;
  MadeAbove& operator=(const MadeAbove&) = delete;
  ~MadeAbove() {
    for (auto path = paths_.rbegin(); !kept_ && path != paths_.rend(); ++path) ::rmdir(path->c_str());
  }
  void keep() { kept_ = true; }

  Status directories(const fs::path& directory) {
    fs::path path;
    for (const fs::path& part : directory) {
      path /= part;
      if (::mkdir(path.c_str(), 0777) == 0)
        paths_.push_back(path.string());
      else if (std::error_code ignored; !fs::is_directory(path, ignored))
        return failed("create directory " + path.string(), errno);
    }
    return done();
  }

 private:
  std::vector<std::string> paths_;
  bool kept_ = false;
};

// The files and directories made so far in the skill's directory. Follows no link in this directory: a skill that was
// copied from another person could lead to any directory of the caller. The destructor removes what was made unless
// keep() was called.
class MadeInside {
 public:
  explicit MadeInside(const Tree& skill) : skill_(skill) {}
  MadeInside(const MadeInside&) = delete;
  MadeInside& operator=(const MadeInside&) = delete;
  ~MadeInside() {
    if (!kept_) remove_all(files_, 0), remove_all(directories_, AT_REMOVEDIR);
  }
  void keep() { kept_ = true; }

  Status file(const NewFile& made) {
    const fs::path path = made.path;
    const std::string name = path.filename().string(), shown = join_path(skill_.path(), made.path);
    int err = 0;
    std::string at;
    const Fd directory = skill_.make_directory(path.parent_path().string(), 0777, directories_, at, err);
    if (!directory) return no_directory(join_path(skill_.path(), at), err);
    const mode_t mode = name.ends_with(".sh") ? 0777 : 0666;  // the kernel applies the umask
    const Fd fd(::openat(directory.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (!fd) return failed("create " + shown, errno);
    files_.push_back(made.path);
    if (!write_all(fd.get(), made.content)) return failed("write " + shown, errno);
    return done();
  }

 private:
  static Error no_directory(const std::string& path, int err) {
    std::error_code ignored;
    if (!fs::is_symlink(fs::symlink_status(path, ignored))) return failed("make directory " + path, err);
    return Error{.code = Code::PermissionDenied,
                 .doing = path + " is a link, and band writes no file through a link in a skill's directory",
                 .hint = "nothing was made; replace the link by a directory"};
  }

  void remove_all(const std::vector<std::string>& paths, int flags) const {
    int err = 0;
    for (auto path = paths.rbegin(); path != paths.rend(); ++path)
      if (const Fd parent = skill_.open_directory(fs::path(*path).parent_path().string(), err))
        ::unlinkat(parent.get(), fs::path(*path).filename().c_str(), flags);
  }

  const Tree& skill_;
  std::vector<std::string> files_, directories_;  // relative to the skill's directory
  bool kept_ = false;
};

Status make(const Plan& plan) {
  MadeAbove above;
  BAND_CHECK(above.directories(plan.directory));
  BAND_TRY(const Tree skill, Tree::open(plan.directory));
  MadeInside inside(skill);
  for (const NewFile& file : plan.files) BAND_CHECK(inside.file(file));
  inside.keep();
  above.keep();
  return done();
}

Status check_script_name(const std::string& skill, const std::string& script) {
  if (is_script_name(std::string(skill).append("/").append(script)) && !script.starts_with('_')) return done();
  return usage("`" + script + "` cannot be a script's name", kNameRule);
}

Result<std::string> absolute(const std::string& directory) {
  std::error_code error;
  const fs::path path = fs::absolute(directory, error);
  if (directory.empty() || error) return usage("--to names no directory", "write --to DIR");
  return path.lexically_normal().string();
}

// Returns the directory for the new skill: --to, else ~/.band/skills.
Result<std::string> root_for(const CommandLine& line) {
  if (line.to) return absolute(*line.to);
  BAND_TRY(const auto invoker, sudo_invoker());
  if (invoker)
    return usage("with sudo the skill in " + invoker->home + " would belong to root",
                 "run it as " + invoker->name + ", without sudo; or name a directory: --to DIR");
  const std::string home = home_directory();
  if (home.empty()) return usage("there is no home directory", "set HOME, or name a directory: --to DIR");
  return home + "/.band/skills";
}

Result<Plan> plan_skill(const CommandLine& line) {
  const auto& words = line.arguments;
  if (words.size() < 2 || words.size() > 3)
    return usage("`band new skill` needs a name, and optionally the name of its first script (default: hello)",
                 "for example: band new skill weather forecast");
  Plan plan{.skill = words[1],
            .script = words.size() == 3 ? words[2] : kFirstScript,
            .root = "",
            .directory = "",
            .files = {},
            .is_skill = true,
            .why_own_band = ""};
  if (const std::string why = why_not_a_skill_name(plan.skill); !why.empty())
    return usage("`" + plan.skill + "` cannot be the name of a skill: " + why, kSkillNameRule);
  BAND_CHECK(check_script_name(plan.skill, plan.script));
  if (!line.skills.empty()) return usage("`band new skill` does not take --skills", "write --to DIR");
  BAND_TRY(plan.root, root_for(line));
  plan.directory = join_path(plan.root, plan.skill);
  if (std::error_code ignored; fs::symlink_status(plan.directory, ignored).type() != fs::file_type::not_found)
    return Error{.code = Code::WriteConflict,
                 .doing = plan.directory + " exists already",
                 .hint = "to add a script to it: band new script " + plan.skill + "/NAME"};
  plan.files = new_skill_files(plan.skill, plan.script);
  return plan;
}

bool opens_something(const Rules& rules) {
  for (const Domain* domain : {&rules.cli, &rules.net, &rules.read, &rules.write})
    if (!domain->opens_nothing() || !domain->insist.empty()) return true;
  return false;
}

// Returns why the new script needs its own BAND.md; "" if this file exists already, or if the BAND.md of the skill
// opens nothing. The BAND.md of the skill belongs to other scripts. With this band, the new script may not load,
// because its input may lack a property that a placeholder such as `{path}` names; and the new script would have
// permissions that it does not need.
std::string why_own_band(const std::string& directory, const std::string& script) {
  const auto nearest = nearest_band_file(directory, script);
  if (nearest && nearest->parent_path() == fs::path(directory) / "scripts" / script) return "";
  std::vector<Diagnostic> errors;
  const auto band = compose_band(directory, script, errors);
  if (!band) return errors.empty() ? "the skill's BAND.md is not valid" : errors.front().text();
  if (opens_something(band->rules)) return band->band.file + " allows what other scripts need";
  if (!band->rules.env.empty()) return band->band.file + " declares variables that other scripts need";
  if (!band->band.input_schema.empty() || !band->band.output_schema.empty())
    return band->band.file + " has the key `contract`, and the new script would use the schemas of other scripts";
  return "";
}

Result<Plan> plan_script(const CommandLine& line, Terminal& terminal) {
  const auto& words = line.arguments;
  const std::size_t slash = words.size() == 2 ? words[1].find('/') : std::string::npos;
  if (slash == std::string::npos)
    return usage("`band new script` needs a name of the form SKILL/NAME",
                 "for example: band new script weather/forecast");
  if (line.to)
    return usage("`band new script` does not take --to", "name the directory of the skills with --skills DIR");
  Plan plan{.skill = words[1].substr(0, slash),
            .script = words[1].substr(slash + 1),
            .root = "",
            .directory = "",
            .files = {},
            .is_skill = false,
            .why_own_band = ""};
  BAND_CHECK(check_script_name(plan.skill, plan.script));
  BAND_TRY(const auto roots, roots_of(line, terminal));
  const std::string shipped = shipped_root();
  for (const SkillPlace& place : find_skills(roots))
    if (place.name == plan.skill) plan.directory = place.directory;
  if (plan.directory.empty())
    return usage("there is no skill `" + plan.skill + "`",
                 "band new skill " + plan.skill + " " + plan.script + "; `band list` shows the existing skills");
  plan.root = fs::path(plan.directory).parent_path().string();
  if (plan.root == shipped)
    return usage("`" + plan.skill + "` is a skill that ships with band: the next installation would replace it",
                 "copy it first: mkdir -p ~/.band/skills && cp -rL " + plan.directory + " ~/.band/skills/");
  plan.files = new_script_files(plan.skill, plan.script);
  plan.why_own_band = why_own_band(plan.directory, plan.script);
  if (!plan.why_own_band.empty()) plan.files.push_back(own_band_file(plan.skill, plan.script));
  return plan;
}

Result<Plan> plan_of(const CommandLine& line, Terminal& terminal) {
  const std::string kind = line.arguments.empty() ? "" : line.arguments.front();
  if (kind == "skill") return plan_skill(line);
  if (kind == "script") return plan_script(line, terminal);
  return usage("`band new` needs `skill` or `script`", "band new skill NAME, or band new script SKILL/NAME");
}

// Returns true when `band run` without --skills finds this skill. Of several skills with one name it uses the first.
bool is_found(const Plan& plan) {
  const auto roots = skill_roots({});
  if (!roots.ok()) return false;
  for (const SkillPlace& place : find_skills(*roots)) {
    std::error_code ignored;
    if (place.name == plan.skill) return fs::equivalent(place.directory, plan.directory, ignored);
  }
  return false;
}

// Returns the directory of another skill of the same name, which `band run` has found until now; "" for none.
std::string hidden_by(const Plan& plan) {
  const auto roots = skill_roots({});
  if (!roots.ok()) return "";
  bool is_there = false;
  for (const std::string& root : *roots) {
    std::error_code ignored;
    std::string directory = join_path(root, plan.skill);
    if (!fs::exists(directory, ignored)) continue;
    if (is_there) return directory;
    if (!fs::equivalent(directory, plan.directory, ignored)) return "";
    is_there = true;
  }
  return "";
}

std::string to_text(const Plan& plan, bool found) {
  std::string text;
  for (const NewFile& file : plan.files) text += "made " + printable_line(join_path(plan.directory, file.path)) + "\n";
  const std::string name = plan.skill + "/" + plan.script;
  const std::string where = found ? "" : " --skills " + quoted_word(plan.root);
  text += "\n  band run " + name + " --name World" + where + "\n  band test " + name + where + "\n  band validate " +
          quoted_word(plan.directory) + "\n";
  if (const std::string hidden = hidden_by(plan); plan.is_skill && !hidden.empty())
    text += "\nnote: `band run " + name + "` now runs this skill, and no longer the one in " + printable_line(hidden) +
            "\n";
  if (!plan.is_skill)
    text +=
        "\nnote: an agent does not find the script yet, because SKILL.md does not name it. Write into SKILL.md what "
        "the "
        "script does, and this call:\n\n"
        "    band call " +
        name + " --name World\n";
  if (!plan.why_own_band.empty())
    text += "\nnote: scripts/" + plan.script + "/BAND.md is the script's own band and allows nothing, because " +
            printable_line(plan.why_own_band) + "\n";
  const std::string band = (plan.why_own_band.empty() ? "" : "scripts/" + plan.script + "/") + "BAND.md";
  return text + "\nThen write scripts/" + plan.script + "/run.sh, the two schemas and tests/" + plan.script +
         ".yaml, and allow in " + band + " what the script needs. docs/skills.md describes all of this.\n";
}

std::string to_json(const Plan& plan) {
  std::vector<std::string> paths;
  for (const NewFile& file : plan.files) paths.push_back(file.path);
  return json_object({{"skill", json_string(plan.skill)},
                      {"script", json_string(plan.skill + "/" + plan.script)},
                      {"directory", json_string(plan.directory)},
                      {"files", json_list(paths)}});
}

}  // namespace

int new_command(const CommandLine& line, Terminal& terminal) {
  const auto plan = plan_of(line, terminal);
  if (!plan.ok()) return fail(line, terminal, plan.error());
  if (const Status made = make(*plan); !made.ok()) return fail(line, terminal, made.error());
  return line.json ? print_json_text(terminal, to_json(*plan)) : print(terminal, to_text(*plan, is_found(*plan)));
}

}  // namespace band::client
