// Did everything happen that the band insists on? Judged event by event, as the broker and the kernel tell them. Pure.
//
// A command counts when a matching line exited 0; a host when a relayed connection carried data both ways; a read when
// the kernel saw a matching file opened that was there at the start, unchanged; a write when a matching file was
// created or changed by this execution. Telling only such events is the business of whoever tells them.
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

  // `argv[0]` is the name of the shim. `text` is for people, secrets masked, and says how it ended if that was not
  // well.
  void command_succeeded(const std::vector<std::string>& argv, std::string_view text);  // exited 0
  void command_failed(const std::vector<std::string>& argv, std::string_view text);     // otherwise, or never ran
  // A canonical name or an address, and a port; 0 for what was no more than a lookup. `text` as above.
  void host_reached(std::string_view host, std::uint16_t port, std::string_view text);      // data went both ways
  void host_not_reached(std::string_view host, std::uint16_t port, std::string_view text);  // otherwise
  // `path` as PathPattern::matches wants it.
  void file_read(std::string_view path, bool absolute);
  void file_written(std::string_view path, bool absolute);
  // It does not count if a pattern is about it, for this reason ("was changed before it was read").
  void file_not_read(std::string_view path, bool absolute, std::string_view why);
  void file_not_written(std::string_view path, bool absolute, std::string_view why);

  // A file of the workspace that is at the end as it was at the start: what a write would count as that it is not.
  void file_unchanged(std::string_view path);

  bool waits_for_reads() const;  // is there still a use in telling them?

  // INSIST_NOT_SATISFIED: each pattern that is missing, with its line and the nearest thing that was seen.
  Status judge() const;

 private:
  // The nearest thing so far.
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
    std::size_t compared = 0;  // events that were looked at for the nearest one
  };

  static Result<Kind> compile_files(const RuleSet& insist);
  static void file(Kind& kind, std::string_view path, bool absolute, std::string_view why_not);
  void command(const std::vector<std::string>& argv, std::string_view text, bool good);
  void host(std::string_view host, std::uint16_t port, std::string_view text, bool good);

  // Those that are missing.
  std::vector<InsistedCommand> commands_;
  std::vector<InsistedHost> hosts_;
  std::size_t hosts_compared_ = 0;  // as Kind's
  Kind reads_, writes_;
};

}  // namespace band::ledger
