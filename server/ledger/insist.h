// Evaluates the `insist` rules of a band, event by event, from the reports of the broker, the gateway and the kernel.
// Pure.
//
// A command counts when a matching line exited with 0; a host when a relayed connection carried data both ways; a read
// when the kernel reported that a matching file was opened that existed at the start and was unchanged; a write when
// this execution created or changed a matching file. The caller must report only such events as successes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/result.h"
#include "schemas/pattern/pattern.h"
#include "schemas/rules/rules.h"

namespace band::ledger {

class Insists {
 public:
  static Result<Insists> compile(const Rules& rules);

  // `argv[0]` is the name of the shim. `text` is human-readable, with secrets masked, and includes how a failed command
  // ended.
  void command_succeeded(const std::vector<std::string>& argv, std::string_view text);  // exited 0
  void command_failed(const std::vector<std::string>& argv, std::string_view text);     // otherwise, or never ran
  // `host`: a canonical name or an address. `port`: 0 for a lookup without a connection. `text` as above.
  void host_reached(std::string_view host, std::uint16_t port, std::string_view text);      // data went both ways
  void host_not_reached(std::string_view host, std::uint16_t port, std::string_view text);  // otherwise
  // `path`: in the form of PathPattern::matches, without the leading `/` or `./`.
  void file_read(std::string_view path, bool absolute);
  void file_written(std::string_view path, bool absolute);
  // Reports an access that does not count, even if a pattern matches, with the reason ("was changed before it was
  // read").
  void file_not_read(std::string_view path, bool absolute, std::string_view why);
  void file_not_written(std::string_view path, bool absolute, std::string_view why);

  // Reports a file of the workspace that has the same content as at the start, so a write to it does not count.
  void file_unchanged(std::string_view path);

  bool waits_for_reads() const;  // true while an insist.read is not met; further reads need not be reported otherwise

  // Returns INSIST_NOT_SATISFIED with each unmet pattern, its line and the nearest recorded event.
  Status judge() const;

 private:
  // The nearest event so far.
  struct Seen {
    std::size_t likeness = 0;
    std::string text;
  };
  struct InsistedCommand {
    Rule rule;
    CliPattern pattern;
    Seen nearest;
  };
  struct InsistedHost {
    Rule rule;
    NetPattern pattern;
    Seen nearest;
  };
  struct InsistedFile {
    Rule rule;
    PathPattern pattern;
    Seen nearest;
  };
  struct Kind {
    std::vector<InsistedFile> missing;
    std::size_t compared = 0;  // number of events that were compared to find the nearest one
  };

  static Result<Kind> compile_files(const RuleSet& insist);
  static void file(Kind& kind, std::string_view path, bool absolute, std::string_view why_not);
  void command(const std::vector<std::string>& argv, std::string_view text, bool good);
  void host(std::string_view host, std::uint16_t port, std::string_view text, bool good);

  // The insists that are not met yet.
  std::vector<InsistedCommand> commands_;
  std::vector<InsistedHost> hosts_;
  std::size_t hosts_compared_ = 0;  // as Kind::compared
  Kind reads_, writes_;
};

}  // namespace band::ledger
