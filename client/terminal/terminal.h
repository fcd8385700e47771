// Output for the user: data on stdout, messages on stderr. note(), error() and json_for_output() escape text, so that
// text from a script or a server cannot control the terminal. For out() and err(), the caller must escape such text
// with printable().
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "schemas/core/json_fwd.h"
#include "schemas/core/result.h"

namespace band::client {

// Returns `text` with visible escapes (`\x1b`) for control characters (C0 except newline and tab, DEL, C1), characters
// that change the direction of text, and invalid UTF-8.
std::string printable(std::string_view text);
// As printable(), and also escapes newline and tab, so that the result is one line.
std::string printable_line(std::string_view text);
// JSON for stdout: pretty for a terminal, otherwise compact; with a final newline. Characters that control terminals
// and that JSON allows unescaped are written as \uXXXX, which parses to the same value.
std::string json_for_output(const Json& value, bool pretty);
// Replaces carriage returns within a line by newlines. So each state of a line that a program redraws (a progress bar)
// becomes a line of its own.
std::string lines_for_carriage_returns(std::string_view log);
// Returns a log with `| ` before each line that looks like a message of band: one that begins with `error:`, `hint:`,
// `note:`, `band:` or `---`, also with blanks and invisible characters. The author of a log is a script, which could
// otherwise give the user advice in band's name.
std::string marked_as_log(std::string_view log);
// Returns the last lines of a log: at most `lines` lines and at most `bytes` bytes, without the newlines at the end.
std::string tail(std::string_view log, std::size_t lines, std::size_t bytes);
// Returns the first `most` names, each as printable_line(), separated by commas; if there are more, `, ...` at the end.
std::string listed(const std::vector<std::string>& names, std::size_t most = 5);
std::string human_bytes(std::int64_t bytes);  // "12 bytes", "3.4 MiB"

enum class Verbosity { Quiet, Normal, Verbose };

class Terminal {
 public:
  Terminal();  // decides by stdout, stderr, NO_COLOR and TERM whether to use colours

  bool out_is_terminal() const { return out_is_terminal_; }
  bool err_is_terminal() const { return err_is_terminal_; }
  void set_verbosity(Verbosity verbosity) { verbosity_ = verbosity; }
  bool verbose() const { return verbosity_ == Verbosity::Verbose; }
  bool quiet() const { return verbosity_ == Verbosity::Quiet; }

  // Writes `text` unchanged to stdout. Returns false and sets errno when writing failed (stdout is closed, the disk is
  // full). The caller must then not exit with 0.
  [[nodiscard]] bool out(std::string_view text);
  [[nodiscard]] bool out_json(const Json& value) { return out(json_for_output(value, out_is_terminal_)); }
  void err(std::string_view text);                // writes `text` unchanged to stderr; ignores errors
  void note(std::string_view text);               // no output if quiet; escapes `text`
  void always(std::string_view text);             // as note(), also if quiet
  void error(const Error& error);                 // message and hint, escaped
  void hint(std::string_view text);               // one line `hint: ...` for each line of `text`, also if quiet
  std::string bold(std::string_view text) const;  // for stdout

  // For programs that read the output (--json): from now on, stderr gets only one line, the text of error_line() or the
  // JSON of the first error(). note() and always() store their texts, which kept() returns; so does error() for further
  // errors. err() and hint() have no effect.
  void keep_messages() { keeps_ = true; }
  bool keeps() const { return keeps_; }
  const std::vector<std::string>& kept() const { return kept_; }
  // Prints a line of JSON on stderr, in which json_for_output() has escaped the texts; only the first call has an
  // effect.
  void error_line(std::string_view json);

 private:
  bool out_is_terminal_ = false, err_is_terminal_ = false, out_colour_ = false, err_colour_ = false;
  Verbosity verbosity_ = Verbosity::Normal;
  bool keeps_ = false, has_error_line_ = false;
  std::vector<std::string> kept_;
};

// Shows on stderr in one line what the command waits for, and for how long. The line appears after one second; the
// destructor erases it. Shows no line if stderr is not a terminal or the verbosity is Quiet. Uses a thread; say() and
// print_above() may be called on any thread.
class Progress {
 public:
  Progress(Terminal& terminal, std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void say(std::string what);               // replaces the text of the line
  void print_above(std::string_view text);  // `text`: whole, printable lines; they remain on the terminal

 private:
  void run();
  void draw();
  void wipe();

  Terminal& terminal_;
  std::string what_;
  bool drawn_ = false, end_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable wake_;
  std::thread thread_;
};

}  // namespace band::client
