#include "client/host/interrupt.h"

#include <poll.h>
#include <signal.h>

#include <cerrno>
#include <iterator>

namespace band::client {
namespace {

// A signal handler can use only globals; the first two are set before it is installed.
std::atomic<int> g_pipe{-1};
std::atomic<int> g_seen{0};
std::atomic<void (*)()> g_before_end{nullptr};

extern "C" void on_signal_number(int number) {
  const int saved = errno;
  if (g_seen.fetch_add(1) > 0) {
    if (const auto act = g_before_end.load(); act != nullptr) act();
    ::_exit(128 + number);
  }
  const unsigned char byte = static_cast<unsigned char>(number);
  const ssize_t ignored = ::write(g_pipe.load(), &byte, 1);
  (void)ignored;
  errno = saved;
}

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
struct sigaction g_before[std::size(kSignals)];

}  // namespace

void before_sudden_end(void (*act)()) { g_before_end = act; }

Interrupt::Interrupt(std::function<void()> on_signal) : on_signal_(std::move(on_signal)) {
  auto pipe = open_pipe();
  if (!pipe.ok()) return;  // the default actions stay: a signal ends the process and closes the connection
  pipe_ = std::move(*pipe);
  g_seen = 0;
  g_pipe = pipe_.write_end.get();
  thread_ = std::thread([this] { watch(); });
  struct sigaction action = {};
  action.sa_handler = on_signal_number;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);  // without `::`: a macro on macOS
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    ::sigaction(kSignals[i], &action, &g_before[i]);
    if (g_before[i].sa_handler == SIG_IGN) ::sigaction(kSignals[i], &g_before[i], nullptr);  // nohup(1)
  }
}

Interrupt::~Interrupt() {
  if (!thread_.joinable()) return;
  for (std::size_t i = 0; i < std::size(kSignals); ++i) ::sigaction(kSignals[i], &g_before[i], nullptr);
  end_ = true;
  const char wake = 0;
  const ssize_t ignored = ::write(pipe_.write_end.get(), &wake, 1);
  (void)ignored;
  thread_.join();
  g_pipe = -1;
}

void Interrupt::watch() {
  while (!end_) {
    pollfd poll_in{pipe_.read_end.get(), POLLIN, 0};
    // After a signal, `on_signal_` is called every 50 ms (see the header).
    if (::poll(&poll_in, 1, signal_ != 0 ? 50 : -1) > 0) {
      unsigned char byte = 0;
      if (::read(pipe_.read_end.get(), &byte, 1) == 1 && byte != 0) signal_ = byte;
    }
    if (signal_ != 0 && !end_) on_signal_();
  }
}

}  // namespace band::client
