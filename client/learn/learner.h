// Derives the smallest band from the evidence of runs: the lines that a further run needs, and lines that no run used.
// Pure.
//
// Promises: trial() opens exactly what the band and lines() open. Rules that learn adds to get more evidence open
// nothing: a host name and programs that the same rules deny, and insists on reading files that are open anyway.
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

// Returns which other rules close what the line would open, and what to write where; "" when the line alone opens it.
// `input`: the index of the input whose run needed the line.
using ClosedBy = std::function<std::string(const Line& line, std::size_t input)>;

// A script before its first run.
struct Subject {
  Rules rules;                       // the rules of its composed band
  std::string file;                  // the BAND.md that receives the lines, as origins name it
  std::string governing;             // the BAND.md that governs the script now; differs while `file` does not exist
  std::vector<std::string> sharers;  // other scripts that `governing` governs
  ShellReading script;               // run.sh; `assigned` also has the assignments of its lib
  std::set<std::string> properties;  // properties of the input that may name a file
  Workspace workspace;
  ClosedBy closed_by = {};  // empty: each line alone is enough
};

// One finished run.
struct Run {
  int number = 0;         // from 1
  std::size_t input = 0;  // the index of its input
  const Json& value;      // the input itself
  const Json& given;      // the same without the schema's defaults
  const Evidence& evidence;
};

inline constexpr std::string_view kWatchedHost = "band-learn.invalid";  // no host has such a name (RFC 6761, 6.4)

class Learner {
 public:
  explicit Learner(Subject subject);

  // Returns the rules of the next run with this input; placeholders are not replaced. `given`: the input without the
  // schema's defaults. A line `{property}` is left out when a default names a file whose name begins with a dot.
  // Appends to `watched` a sentence for each rule that learn adds to get more evidence.
  Rules trial(const Json& input, const Json& given, std::size_t index, std::vector<Watch>& watched) const;

  // Evaluates a finished run. Returns true when the next run would have other rules.
  bool observe(const Run& run);
  const std::vector<Line>& lines() const { return lines_; }
  // Lines that no run has; they do not count as a change.
  const std::vector<Closed>& closed() const { return closed_; }
  // `settled`: the last run of each input succeeded with the current lines(). Then the proposal also has changes that
  // these runs suggest and that no run had: `insist`, and removals.
  Proposal proposal(std::size_t inputs, bool settled) const;

 private:
  using Key = std::string;  // domain and pattern
  static Key key_of(const Line& line) { return line.domain + " " + line.pattern; }
  // A line of cli that was removed: in a run with the line all its calls failed, and that run succeeded.
  struct Failing {
    Line line;
    std::set<std::size_t> inputs;
    std::string call;  // the ledger's line of one call
    int run = 0;
  };
  struct BandRead {  // a read rule of the band itself that may be unused
    Rule rule;
    bool seen = false;
    std::set<std::size_t> unseen;  // inputs with a successful run that did not read it
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
  // Returns true for a call of a removed line whose calls only failed for this input, in a run that succeeded without
  // it.
  bool is_tolerated(const CliPattern& call, const Run& run);
  std::vector<Decision> tolerated_commands() const;
  void contacts(const Run& run);
  void files(const Run& run);
  // An existing file is replaced only when it was sent to the script, so a line of `write` needs a line of `read` for
  // the same file (written.cc). `paths`: the files that the script wrote, or would write.
  void pair_reads(const Run& run, std::vector<std::string> paths);
  void pair_own_write(const Run& run, const std::string& pattern, const std::vector<std::string>& paths);
  void add_pair(const std::string& write, const std::string& pattern, const std::string& path, std::string warning,
                const Run& run);
  void drop_lone_pairs();
  bool writes_by(const std::string& pattern) const;
  // Returns existing files that this run's rules of `write` name and that were not sent to the script.
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
  // Returns the reads of lines_ and band_reads_ that the next run with this input has to prove.
  std::vector<Rule> wanted_reads(const Json& input, const Json& given, std::size_t index) const;
  Rules opened_rules() const;
  // The rules of a run with this input: without placeholders that name a hidden file by a default.
  Rules opened_rules(const Json& input, const Json& given) const;
  static bool is_open_for(const Line& line, const Json& input, const Json& given);
  Rules rules_with(const std::function<bool(const Line&)>& is_open) const;
  const Line* find(const std::string& domain, const std::string& pattern) const;
  // Returns true when the workspace has a file that the pattern names with this input.
  bool is_there(const std::string& domain, const std::string& pattern, const Json& input) const;
  std::vector<Removal> removals() const;
  // Returns texts about lines `{property}` of the band for which no input named a file, so their use is not known.
  std::vector<std::string> unnamed_placeholders() const;
  bool insists_on(const Line& line, std::size_t inputs) const;

  Subject subject_;
  std::vector<Line> lines_, last_dropped_;
  std::map<Key, CommandPattern> patterns_;  // the patterns of the lines of cli
  std::map<Key, Failing> failing_;
  std::set<Key> dropped_, kept_, rejected_;
  std::set<std::string> programs_;  // watched programs
  std::set<std::string> insisted_;  // reads that the last run had to prove
  std::vector<BandRead> band_reads_;
  std::set<std::string> used_;   // used lines of the band: section, pattern, origin
  std::set<std::string> named_;  // lines of `write` by which the input of a successful run named a file
  std::map<std::size_t, std::vector<std::vector<std::string>>> ok_;  // by input: commands that exited 0 in its last run
  std::map<std::string, std::string> unknown_;
  std::map<std::size_t, std::vector<std::string>> missing_;  // by input: texts about files that its last run lacked
  std::vector<Decision> decisions_;
  std::vector<Closed> closed_;
  std::map<std::string, std::string> closed_by_;  // results of subject_.closed_by, by key and input
  bool incomplete_ = false;                       // the ledger of some run was incomplete
  bool read_script_ = false, changed_ = false;
};

// Reduces a settled proposal to the part that runs had: each `insist` becomes `allow` again, and nothing is removed.
// left_out names these, and each line that no run has tried.
Proposal tried_part(Proposal proposal);

}  // namespace band::client::learn
