// This process's standard input on its way to an execution, while another connection waits for the answer: as it is, or
// as the frames of a terminal, with the size of its window (schemas/wire/terminal_input.h). Or a text in its place.
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
  // `failed`, on another thread: standard input cannot be read, or the server does not take it. `keyboard`: standard
  // input is this terminal, in its raw mode; null: it is sent as it is.
  InputSender(const Target& target, std::function<void(const Error&)> failed, Keyboard* keyboard = nullptr);
  // `text` is sent in place of standard input, and has to live as long as this.
  InputSender(const Target& target, std::function<void(const Error&)> failed, std::string_view text);
  ~InputSender();  // what has not been sent by then is not sent
  InputSender(const InputSender&) = delete;
  InputSender& operator=(const InputSender&) = delete;

  // Once. Sends until the end of standard input, or until the script reads no more.
  void start(const std::string& execution, const EffectiveLimits& limits);

 private:
  std::optional<std::string> next(int answer);  // as Daemon::send_input() has it

  std::optional<std::string> next_of_text(int answer);
  std::optional<std::string> fail();
  std::optional<std::string> disconnect();

  Keyboard* keyboard_;
  std::optional<std::string_view> text_;  // what of it has not been sent yet
  Daemon daemon_;
  std::function<void(const Error&)> failed_;
  Fd stop_read_, stop_write_;
  std::atomic<bool> stopping_{false};
  std::optional<Error> unreadable_;
  std::thread thread_;
};

}  // namespace band::client
