// From the evidence of runs to the smallest band: which lines a further run needs, and which no run used. Pure.
//
// Promises: trial() opens what the band opens and lines() says, and nothing else. What learn adds to see more opens
// nothing: a name and programs that are denied in the same breath, and insists on reading what is opened anyway.
// Does not cover: what a script does in branches that no run took.
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

// Who closes what the line would open, and what to write where; "" when the line is enough. `input`: which of the
// inputs asked for it.
using ClosedBy = std::function<std::string(const Line& line, std::size_t input)>;

// What is known of a script before any run.
struct Subject {
  Rules rules;                       // of its band, composed
  std::string file;                  // the BAND.md that a line would go into, as origins name it
  std::string governing;             // the one that governs the script now: another one while `file` is not there
  std::vector<std::string> sharers;  // other scripts that this one governs
  ShellReading script;               // run.sh; what its lib assigns is in `assigned`
  std::set<std::string> properties;  // of the input that may name a file
  Workspace workspace;
  ClosedBy closed_by = {};  // none: each line is enough
};

// One run, as it ended.
struct Run {
  int number = 0;         // from 1
  std::size_t input = 0;  // which of the inputs
  const Json& value;      // that input
  const Json& given;      // the same without the schema's defaults
  const Evidence& evidence;
};

inline constexpr std::string_view kWatchedHost = "band-learn.invalid";  // RFC 6761, 6.4: no host has such a name

class Learner {
 public:
  explicit Learner(Subject subject);

  // For a run with this input, placeholders included; `given`: the input without the schema's defaults. A line
  // `{property}` is left out where a default names a file whose name begins with a dot. `watched` gets what learn adds
  // in order to see more, a sentence each.
  Rules trial(const Json& input, const Json& given, std::size_t index, std::vector<Watch>& watched) const;

  // Whether another run would have other rules.
  bool observe(const Run& run);
  const std::vector<Line>& lines() const { return lines_; }
  // None of them is in a run, or counts as a change.
  const std::vector<Closed>& closed() const { return closed_; }
  // `settled`: the last run of each input went well, under lines() as they are now. Then it has what these runs suggest
  // and none of them had: `insist`, and lines that are taken out.
  Proposal proposal(std::size_t inputs, bool settled) const;

 private:
  using Key = std::string;  // domain and pattern
  static Key key_of(const Line& line) { return line.domain + " " + line.pattern; }
  // A line of cli that a run had, whose calls failed there, and that was taken away since that run ended well.
  struct Failing {
    Line line;
    std::set<std::size_t> inputs;
    std::string call;  // the ledger's line of one
    int run = 0;
  };
  struct BandRead {  // a line of the band's own that may be of no use
    Rule rule;
    bool seen = false;
    std::set<std::size_t> unseen;  // inputs of which a run that ended well did not read it
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
  // A call of a line that only failed for this input, in a run that ended well without the line.
  bool is_tolerated(const CliPattern& call, const Run& run);
  std::vector<Decision> tolerated_commands() const;
  void contacts(const Run& run);
  void files(const Run& run);
  // A file that is there is replaced only when it was sent to the script: a line of `write` needs one of `read` beside
  // it (written.cc). `paths`: what the script wrote, or would write.
  void pair_reads(const Run& run, std::vector<std::string> paths);
  void pair_own_write(const Run& run, const std::string& pattern, const std::vector<std::string>& paths);
  void add_pair(const std::string& write, const std::string& pattern, const std::string& path, std::string warning,
                const Run& run);
  void drop_lone_pairs();
  bool writes_by(const std::string& pattern) const;
  // Files that are there, that this run's rules of `write` name, and that the script was not sent.
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
  // Which reads the next run with this input has to prove: of lines_ and band_reads_.
  std::vector<Rule> wanted_reads(const Json& input, const Json& given, std::size_t index) const;
  Rules opened_rules() const;
  // Of a run with this input, whose placeholders name no hidden file by a default.
  Rules opened_rules(const Json& input, const Json& given) const;
  static bool is_open_for(const Line& line, const Json& input, const Json& given);
  Rules rules_with(const std::function<bool(const Line&)>& is_open) const;
  const Line* find(const std::string& domain, const std::string& pattern) const;
  // A file of the workspace that the pattern stands for with this input.
  bool is_there(const std::string& domain, const std::string& pattern, const Json& input) const;
  std::vector<Removal> removals() const;
  // Lines `{property}` of the band that no input gave a file, so that nothing is known of their use.
  std::vector<std::string> unnamed_placeholders() const;
  bool insists_on(const Line& line, std::size_t inputs) const;

  Subject subject_;
  std::vector<Line> lines_, last_dropped_;
  std::map<Key, CommandPattern> patterns_;  // of lines of cli
  std::map<Key, Failing> failing_;
  std::set<Key> dropped_, kept_, rejected_;
  std::set<std::string> programs_;  // that are watched
  std::set<std::string> insisted_;  // reads that the last run had to prove
  std::vector<BandRead> band_reads_;
  std::set<std::string> used_;   // lines of the band: section, pattern, origin
  std::set<std::string> named_;  // lines of `write`: a run that ended well had an input that names a file by it
  std::map<std::size_t, std::vector<std::vector<std::string>>> ok_;  // by input: commands that exited 0 in its last run
  std::map<std::string, std::string> unknown_;
  std::map<std::size_t, std::vector<std::string>> missing_;  // by input: files that its last run lacked
  std::vector<Decision> decisions_;
  std::vector<Closed> closed_;
  std::map<std::string, std::string> closed_by_;  // what subject_.closed_by said, by key and input
  bool incomplete_ = false;                       // a ledger was
  bool read_script_ = false, changed_ = false;
};

// Of a settled proposal what runs have had: an `insist` becomes `allow` again, nothing is taken out, and left_out names
// both, and each line that is not tried.
Proposal tried_part(Proposal proposal);

}  // namespace band::client::learn
