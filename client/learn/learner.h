// `band learn` runs a script several times. From the evidence of each run (client/learn/evidence.h), Learner derives
// which lines the BAND.md needs (client/learn/lines.h), and which of its lines no run used. A line is an entry of
// `allow` or `insist`. The next run has the lines that were found so far. Pure: examines files and other rules only
// through the functions in Subject.
//
// Promises: the rules that trial() returns allow nothing more than the band and lines() allow together. trial() adds
// further rules, which allow nothing more and only serve to get more evidence:
// - If the band has no rule of `net`: one host, which is both allowed and denied. It stays denied, because deny has
//   precedence. But the ledger (the server's record of the run) has the names of refused hosts only if there is a rule
//   of `net`.
// - Programs, each both allowed and denied, so that the ledger has the arguments of their refused calls.
// - Insists on reading files that other rules already allow: the run fails if the script does not read them.
// Does not cover: branches of the script that no run took.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "client/learn/command_pattern.h"
#include "client/learn/evidence.h"
#include "client/learn/file_lines.h"
#include "client/learn/lines.h"
#include "client/shell/reading.h"
#include "schemas/core/json_fwd.h"
#include "schemas/pattern/pattern.h"
#include "schemas/rules/rules.h"

namespace band::client::learn {

// Returns "" if adding `line` to the BAND.md is enough to allow what the line names. Otherwise other rules still deny
// it: those of another band, or the operator's. Then returns a text that names these rules and how to change them.
// `input`: the index of the input whose run needed the line.
using ClosedBy = std::function<std::string(const Line& line, std::size_t input)>;

// A script before its first run.
struct Subject {
  Rules rules;       // the rules of its composed band
  std::string file;  // the BAND.md to which the lines are added, as origins name it: "tool/scripts/go/BAND.md"
  // The BAND.md that now applies to the script. It is another one than `file` only if `file` has still to be created.
  std::string governing;
  std::vector<std::string> sharers;  // other scripts to which `governing` applies
  // Read from run.sh. ShellReading::assigned also has the variables that other *.sh files of the skill assign.
  ShellReading script;
  std::set<std::string> properties;  // properties of the input that may name a file
  Workspace workspace;
  ClosedBy closed_by = {};  // an empty function counts as one that always returns ""
};

// One finished run.
struct Run {
  int number = 0;         // from 1
  std::size_t input = 0;  // the index of its input
  const Json& value;      // the input with the schema's defaults
  const Json& given;      // the input without the schema's defaults
  const Evidence& evidence;
};

// If the rules have no `net`, trial() allows and denies this host, so that the ledger has the names of all refused
// hosts. No host has this name (RFC 6761, 6.4).
inline constexpr std::string_view kWatchedHost = "band-learn.invalid";

class Learner {
 public:
  explicit Learner(Subject subject);

  // Returns the rules of the next run with this input. `given`: the input without the schema's defaults; `index`: the
  // index of the input. Appends an entry to `watched` for each rule that only serves to get more evidence.
  // A pattern `{property}` stands for the files that this property of the input names; it is not replaced by their
  // paths. A line `{property}` is left out if the property has a hidden default (has_hidden_default() in evidence.h):
  // the line would allow a file that the caller did not name.
  Rules trial(const Json& input, const Json& given, std::size_t index, std::vector<Watch>& watched) const;

  // Derives lines from a finished run. Returns true when trial() now returns other rules than this run had.
  bool observe(const Run& run);
  const std::vector<Line>& lines() const { return lines_; }
  // Lines that the script needs, but that alone would allow nothing, because of other rules (ClosedBy).
  // trial() does not add them to a run, so observe() does not return true because of them.
  const std::vector<Closed>& closed() const { return closed_; }
  // `inputs`: the number of inputs. `settled`: for each input, the last observed run succeeded, and observe() returned
  // false for it. If `settled` is true, the proposal also has two kinds of changes that no observed run had. A line of
  // `cli` becomes a line of `insist` if there are several inputs, and a command line that it allows exited with 0 in
  // the last run of each input. A line of the BAND.md is removed if no run used it.
  Proposal proposal(std::size_t inputs, bool settled) const;

 private:
  using Key = std::string;  // domain and pattern
  static Key key_of(const Line& line) { return line.domain + " " + line.pattern; }
  // A line of `cli` that was removed: all command lines that it allowed failed, and the script succeeded nevertheless.
  // So the script may not need them.
  struct Failing {
    Line line;
    std::set<std::size_t> inputs;  // the inputs of these successful runs
    std::string call;              // one of the failed command lines, as in the ledger
    int run = 0;
  };
  struct BandRead {  // a rule of `read` in the BAND.md, which may be unused
    Rule rule;
    bool seen = false;
    std::set<std::size_t> unseen;  // inputs with a successful run in which no file of the rule was read
  };

  void refused_to_start(const Run& run);
  void commands(const Run& run);
  void ask(const AskedCommand& command, const Run& run);
  void add_command(Line line, CommandPattern pattern, const Run& run);
  std::vector<Decision> wider_commands() const;
  void mark_calls(const Run& run);
  std::vector<const AskedCommand*> calls_of(const Line& line, const Run& run) const;
  bool only_failed(const Line& line, const Run& run) const;
  void note_failing(const Line& line, const Run& run);
  // Returns true if this run succeeded although the call was refused, and a removed line (Failing) allows the call. The
  // line must have been removed after a run with the same input.
  bool is_tolerated(const CliPattern& call, const Run& run);
  std::vector<Decision> tolerated_commands() const;
  void contacts(const Run& run);
  void files(const Run& run);
  // Adds the lines of `read` for files that the script wrote or would write (`paths`). An existing file of the
  // workspace is replaced only if it was sent to the script, and only files that `read` allows are sent. So a line of
  // `write` needs a line of `read` for the same file (written.cc).
  void pair_reads(const Run& run, std::vector<std::string> paths);
  void pair_own_write(const Run& run, const std::string& pattern, const std::vector<std::string>& paths);
  void add_pair(const std::string& write, const std::string& pattern, const std::string& path, std::string warning,
                const Run& run);
  void drop_lone_pairs();
  bool writes_by(const std::string& pattern) const;
  // Returns the existing files of the workspace that a rule of `write` of this run names without wildcards. If such a
  // file is not sent to the script, the run fails.
  std::vector<std::string> targets_in_the_way(const Run& run) const;
  void programs(const Run& run);
  void variables(const Run& run);
  void mark_reads(const Run& run);
  void mark_use(const Run& run);
  void mark_writes(const Run& run);
  void drop_unused(const Run& run);
  void restore_dropped();
  void add(Line line, const Run& run);
  bool is_closed(const Line& line, const Run& run);
  void doubt(const std::string& key, const std::string& text);
  void decide(Decision decision);
  // Returns the rules of `read`, from lines_ and band_reads_, on which the next run with this input insists. It is not
  // known yet whether the script reads the files of these rules.
  std::vector<Rule> wanted_reads(const Json& input, const Json& given, std::size_t index) const;
  // Returns the rules of the band with lines_ added.
  Rules opened_rules() const;
  // As opened_rules(), without the lines `{property}` for which has_hidden_default() is true with this input.
  Rules opened_rules(const Json& input, const Json& given) const;
  static bool is_open_for(const Line& line, const Json& input, const Json& given);
  Rules rules_with(const std::function<bool(const Line&)>& is_open) const;
  const Line* find(const std::string& domain, const std::string& pattern) const;
  // Returns true when the workspace has a file that the pattern names in a run with this input.
  bool is_there(const std::string& domain, const std::string& pattern, const Json& input) const;
  std::vector<Removal> removals() const;
  // Returns texts about lines `{property}` of the BAND.md for which no input named a file. It is therefore not known
  // whether the script uses them.
  std::vector<std::string> unnamed_placeholders() const;
  bool insists_on(const Line& line, std::size_t inputs) const;

  Subject subject_;
  std::vector<Line> lines_, last_dropped_;
  std::map<Key, CommandPattern> patterns_;  // the patterns of the `cli` lines in lines_
  std::map<Key, Failing> failing_;
  // dropped_: lines that were removed because a successful run did not use them. kept_: lines that are not removed
  // although a run did not use them. rejected_: lines and programs with which no run can start.
  std::set<Key> dropped_, kept_, rejected_;
  std::set<std::string> programs_;  // trial() allows and denies these programs, so that the ledger has their arguments
  std::set<std::string> insisted_;  // patterns of `read` on which the most recent run insisted
  std::vector<BandRead> band_reads_;
  std::set<std::string> used_;  // lines of the BAND.md that a run used: domain, pattern, origin
  // Rules of `write` that a successful run had; a rule `{property}` only if the run's input had the property.
  std::set<std::string> named_;
  // By input: the commands that exited with 0 in the most recent run with this input.
  std::map<std::size_t, std::vector<std::vector<std::string>>> ok_;
  std::map<std::string, std::string> unknown_;
  // By input: texts about files that did not exist in the most recent run with this input.
  std::map<std::size_t, std::vector<std::string>> missing_;
  std::vector<Decision> decisions_;
  std::vector<Closed> closed_;
  std::map<std::string, std::string> closed_by_;  // cached results of subject_.closed_by, by key and input
  bool incomplete_ = false;                       // the ledger of some run was incomplete
  bool read_script_ = false, changed_ = false;
};

// Reduces a settled proposal to the changes that a successful run had. Lines that no successful run had, and all
// removals, are dropped. Of the other lines, each line of `insist` becomes one of `allow`. Proposal::left_out describes
// each of these reductions.
Proposal tried_part(Proposal proposal);

}  // namespace band::client::learn
