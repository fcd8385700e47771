// This process's standard input on its way to an execution, while another connection waits for the answer.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "client/transport/daemon.h"
#include "client/transport/targets.h"
#include "schemas/core/fd.h"

namespace band::client {

class InputSender {
 public:
  // `failed`, on another thread: the server does not take the input. An input that breaks off on the way ends the
  // execution by itself, which its answer says.
  InputSender(const Target& target, std::function<void(const Error&)> failed);
  ~InputSender();  // what has not been sent by then is not sent
  InputSender(const InputSender&) = delete;
  InputSender& operator=(const InputSender&) = delete;

  // Once. Sends until the end of standard input, or until the script reads no more.
  void start(const std::string& execution, const EffectiveLimits& limits);

 private:
  std::optional<std::string> next();  // "": the end; nullopt: it cannot be read, or this object ends

  Daemon daemon_;
  std::function<void(const Error&)> failed_;
  Fd stop_read_, stop_write_;
  std::thread thread_;
};

}  // namespace band::client
