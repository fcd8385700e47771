// Evaluates the `insist` rules of a band, event by event, from the reports of the broker, the gateway and the kernel.
// An insist rule (an *insist*) allows something and also requires that it happens: if it does not happen, the run
// fails. Pure.
//
// An insist on a command is met if a matching command line exited with 0. An insist on a host is met if a relayed
// connection carried data both ways. An insist on a read is met if a matching file existed at the start of the script,
// was opened for reading, and had not been changed before it was opened. An insist on a write is met if this execution
// created a matching file or changed its content. The calling code must report an event as a success
// (command_succeeded(), host_reached(), file_read(), file_written()) only if the event satisfies the definition for its
// kind of insist.
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
  // Returns an error when a pattern of an insist rule is invalid.
  static Result<Insists> compile(const Rules& rules);

  // Reports a command: succeeded if it exited with 0; failed if it exited with another status, was killed, or never
  // ran. `argv[0]` is the command's name, without directories. `text` describes the event for humans, with secrets
  // masked; for a failed command, `text` also states how the command ended.
  void command_succeeded(const std::vector<std::string>& argv, std::string_view text);
  void command_failed(const std::vector<std::string>& argv, std::string_view text);
  // Reports a lookup or connection: reached if a connection carried data both ways, otherwise not reached. `host`: a
  // canonical name or an address. `port`: 0 for a lookup without a connection. `text` describes the event for humans,
  // with secrets masked.
  void host_reached(std::string_view host, std::uint16_t port, std::string_view text);
  void host_not_reached(std::string_view host, std::uint16_t port, std::string_view text);
  // `path` is written without a leading `/` or `./`, as for PathPattern::matches(). `absolute`: true if the path
  // begins at the root of the machine, false if it begins at the workspace.
  void file_read(std::string_view path, bool absolute);
  void file_written(std::string_view path, bool absolute);
  // Reports an access that does not count, even if a pattern matches the path. `why`: the reason ("was changed before
  // it was read").
  void file_not_read(std::string_view path, bool absolute, std::string_view why);
  void file_not_written(std::string_view path, bool absolute, std::string_view why);

  // Reports a file of the workspace that has the same content at the end as at the start. Call it in place of
  // file_written(): no insist on a write is met, even if the script has written to the file.
  void file_unchanged(std::string_view path);

  // Returns true while at least one insist on a read is not met. When the result is false, further reads need not be
  // reported.
  bool waits_for_reads() const;

  // Returns INSIST_NOT_SATISFIED if an insist is not met. The error lists each unmet pattern, its FILE:LINE, and the
  // reported event that is most like the pattern.
  Status judge() const;

 private:
  // The event, among those reported so far, that is most like the pattern.
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
    std::size_t compared = 0;  // number of events that were compared to find Seen
  };

  static Result<Kind> compile_files(const RuleSet& insist);
  static void file(Kind& kind, std::string_view path, bool absolute, std::string_view why_not);
  void command(const std::vector<std::string>& argv, std::string_view text, bool good);
  void host(std::string_view host, std::uint16_t port, std::string_view text, bool good);

  // The insists that are not met yet.
  std::vector<InsistedCommand> commands_;
  std::vector<InsistedHost> hosts_;
  std::size_t hosts_compared_ = 0;  // see Kind::compared
  Kind reads_, writes_;
};

}  // namespace band::ledger
