// `band learn` runs a script several times, and derives from the evidence of each run (client/learn/evidence.h) which
// lines the BAND.md needs (client/learn/lines.h), and which of its lines no run used. A line is an entry of `allow` or
// `insist`. The next run has the lines that were found so far. Pure.
//
// Promises: the rules that trial() returns allow exactly what the band and lines() allow together. trial() adds further
// rules only to get more evidence. These rules allow nothing more: they name a host and programs that trial() also
// denies, or they insist on reading files that the other rules already allow. Does not cover: branches of the script
// that no run took.
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

// Returns "" if adding `line` to the BAND.md is enough to allow what the line names. Otherwise returns a text that
// names the other rules (of another band or of the operator) that still deny this, and the change that these rules
// need. `input`: the index of the input whose run needed the line.
using ClosedBy = std::function<std::string(const Line& line, std::size_t input)>;

// A script before its first run.
struct Subject {
  Rules rules;            // the rules of its composed band
  std::string file;       // the BAND.md to which the lines are added, as origins name it
  std::string governing;  // the BAND.md that now applies to the script; not `file` if `file` does not exist yet
  std::vector<std::string> sharers;  // other scripts to which `governing` applies
  ShellReading script;               // read from run.sh; `assigned` also has the names assigned in scripts/_lib
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

// trial() names and denies this host; no host has such a name (RFC 6761, 6.4).
inline constexpr std::string_view kWatchedHost = "band-learn.invalid";

class Learner {
 public:
  explicit Learner(Subject subject);

  // Returns the rules of the next run with this input; placeholders are not replaced. `given`: the input without the
  // schema's defaults. Leaves out each line `{property}` for which has_hidden_default() is true. Appends an entry to
  // `watched` for each rule that only serves to get more evidence.
  Rules trial(const Json& input, const Json& given, std::size_t index, std::vector<Watch>& watched) const;

  // Derives lines from a finished run. Returns true when trial() now returns other rules than this run had.
  bool observe(const Run& run);
  const std::vector<Line>& lines() const { return lines_; }
  // Lines that the script needs and that are not enough alone (ClosedBy). No run has these lines. A new line of this
  // kind alone does not make observe() return true.
  const std::vector<Closed>& closed() const { return closed_; }
  // `inputs`: the number of inputs. `settled`: for each input, the most recent run with this input had the current
  // lines() and succeeded. If this is true, the proposal also has changes that follow from these runs but that no run
  // had: lines of `insist`, and removals.
  Proposal proposal(std::size_t inputs, bool settled) const;

 private:
  using Key = std::string;  // domain and pattern
  static Key key_of(const Line& line) { return line.domain + " " + line.pattern; }
  // A line of `cli` that was removed, because a run succeeded although all command lines that this line allowed failed.
  struct Failing {
    Line line;
    std::set<std::size_t> inputs;  // the inputs with which such a run succeeded
    std::string call;              // one of these command lines, as in the ledger
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
  // Returns true if a removed line (Failing) of this input allows the call, and this run succeeded without the line.
  bool is_tolerated(const CliPattern& call, const Run& run);
  std::vector<Decision> tolerated_commands() const;
  void contacts(const Run& run);
  void files(const Run& run);
  // Adds the lines of `read` for files that the script wrote or would write (`paths`): an existing file is replaced
  // only when it was sent to the script, so a line of `write` needs a line of `read` for the same file (written.cc).
  void pair_reads(const Run& run, std::vector<std::string> paths);
  void pair_own_write(const Run& run, const std::string& pattern, const std::vector<std::string>& paths);
  void add_pair(const std::string& write, const std::string& pattern, const std::string& path, std::string warning,
                const Run& run);
  void drop_lone_pairs();
  bool writes_by(const std::string& pattern) const;
  // Returns existing files that patterns of `write` in the rules of this run name. A run with such files fails if they
  // are not sent to the script.
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
  // Returns the rules of `read`, from lines_ and band_reads_, on which the next run with this input insists, because it
  // is not known yet whether the script reads their files.
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
  std::set<Key> dropped_, kept_, rejected_;
  std::set<std::string> programs_;  // programs that trial() names and denies, so that the ledger shows their arguments
  std::set<std::string> insisted_;  // patterns of `read` on which the most recent run insisted
  std::vector<BandRead> band_reads_;
  std::set<std::string> used_;   // lines of the BAND.md that a run used: section, pattern, origin
  std::set<std::string> named_;  // lines of `write` that stood for a file of the input in a successful run
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

// Reduces a settled proposal to the changes that a successful run had. Each line of `insist` becomes one of `allow`.
// Lines that no successful run had, and all removals, are dropped. Proposal::left_out describes each of these
// reductions.
Proposal tried_part(Proposal proposal);

}  // namespace band::client::learn
