// Sends standard input to an execution on a connection of its own, while another connection waits for the answer. The
// input is one of three: this process's standard input, unchanged; the keys of a terminal and its window size, in the
// frames of schemas/wire/terminal_input.h; or a given text.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "client/targets/targets.h"
#include "client/terminal/keyboard.h"
#include "client/transport/daemon.h"
#include "schemas/core/fd.h"

namespace band::client {

class InputSender {
 public:
  // `failed` is called at most once: when standard input cannot be read, the server cannot be reached or refuses the
  // input, or the user has typed the escape `~.` (Code::Cancelled). It is called on the thread that sends (also
  // while the destructor waits for it), or in start(). `keyboard`: the terminal (in raw mode) whose keys are sent;
  // null: standard input is sent unchanged.
  InputSender(const Target& target, std::function<void(const Error&)> failed, Keyboard* keyboard = nullptr);
  // Sends `text` instead of standard input; `text` must outlive this object.
  InputSender(const Target& target, std::function<void(const Error&)> failed, std::string_view text);
  ~InputSender();  // closes the connection; unsent input is discarded
  InputSender(const InputSender&) = delete;
  InputSender& operator=(const InputSender&) = delete;

  // Starts the thread that sends; it ends at EOF, or when the script has closed its stdin. May be called only once.
  void start(const std::string& execution, const EffectiveLimits& limits);

 private:
  std::optional<std::string> next(int answer);  // `next` of Daemon::send_input()

  std::optional<std::string> next_of_text(int answer);
  std::optional<std::string> fail();
  std::optional<std::string> disconnect();

  Keyboard* keyboard_;
  std::optional<std::string_view> text_;  // the unsent rest
  Daemon daemon_;
  std::function<void(const Error&)> failed_;
  Fd stop_read_, stop_write_;
  std::atomic<bool> stopping_{false};
  std::optional<Error> unreadable_;
  std::thread thread_;
};

}  // namespace band::client
