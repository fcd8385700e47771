// band-http: started by the engine with the control channel as descriptor 3 (link.h).
//
//     band-http --user band-http
//
// Exits when the engine closes the channel; ignores SIGTERM, so that answers are still sent while the engine stops.
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string>
#include <thread>

#include "schemas/wire/wire.h"
#include "server/base/channel.h"
#include "server/base/io.h"
#include "server/http/cage.h"
#include "server/http/config.h"
#include "server/http/engine.h"
#include "server/http/listener.h"
#include "server/http/log.h"
#include "server/http/serve.h"
#include "server/http_link/link.h"

namespace band::http {
namespace {

constexpr std::int64_t kLastAnswersUs = 2'000'000;  // for answers that the engine sent before it exited
constexpr std::uint64_t kBodiesInMemory = 4 * kMaxBodyBytes;

int fatal(const Error& error) {
  write_note("fatal: " + error.message() + (error.hint.empty() ? "" : "; " + error.hint));
  return 1;
}

Result<Config> receive_config() {
  BAND_TRY(const base::Message message, base::receive(kControlFd, base::kMostMessageBytes));
  if (message.text.empty()) return layer_error("http", "the engine closed the channel before it sent the config", 0);
  return parse_config(message.text);
}

// Reads configs until the engine closes the channel.
void follow_engine(Settings& settings, Connections& connections, const EngineClient& engine) {
  for (;;) {
    auto message = base::receive(kControlFd, base::kMostMessageBytes);
    if (message.ok() && message->text.empty()) return;
    if (!message.ok() && message.error().err != EMSGSIZE) return;
    auto config = message.ok() ? parse_config(message->text) : Result<Config>(message.error());
    if (config.ok()) {
      const std::int64_t number = config->number;
      settings.replace(std::move(config).value());
      connections.end_unknown();
      if (number > 0) (void)engine.configured(number);  // a closed channel is noticed by receive() above
    } else {
      // Stopping is safer than serving with tokens that may have been revoked.
      write_note("fatal: " + config.error().message());
      ::_exit(1);
    }
  }
}

void prepare_process() {
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_IGN);
  prepare_waking();
  ::syscall(SYS_close_range, kControlFd + 1, ~0U, 0U);  // other descriptors inherited from the engine
}

// Without CAP_SYS_RESOURCE a hard limit cannot be raised.
Status limit_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return layer_error("http", "cannot read the limit of open files", errno);
  limit.rlim_cur = limit.rlim_max = std::min<rlim_t>(limit.rlim_max, kMaxDescriptors);
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) return layer_error("http", "cannot set the limit of open files", errno);
  return done();
}

// The order: steps that need root or files, then the seccomp filter, then untrusted input.
Status run(const std::string& user) {
  prepare_process();
  BAND_CHECK(limit_descriptors());
  BAND_TRY(Config config, receive_config());
  BAND_TRY(const Listening listening, listen_on(config));  // the port may be below 1024
  BAND_TRY(const std::string decoy_key, random_hex(32));
  (void)proof_of(token_hash(decoy_key), decoy_key,
                 listening.port);  // makes OpenSSL read its configuration file before open(2) is forbidden
  BAND_CHECK(leave_root(user));
  BAND_CHECK(close_cage());

  const std::int64_t number = config.number;
  Settings settings;
  settings.replace(std::move(config));
  const EngineClient engine(kControlFd);
  Connections connections(settings, kBodiesInMemory);
  AccessLog log;
  Server server(Services{engine, settings, connections, log, decoy_key, listening.port});
  std::thread([&] { log.count_for_ever(); }).detach();
  std::thread([&] {
    follow_engine(settings, connections, engine);
    const std::int64_t deadline = base::monotonic_us() + kLastAnswersUs;
    while (server.busy() > 0 && base::monotonic_us() < deadline)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ::_exit(0);  // without destructors: other threads still use the objects
  }).detach();
  BAND_CHECK(engine.listening(listening.port));
  if (number > 0) BAND_CHECK(engine.configured(number));
  Listener listener(server, connections, log);
  const Error error = listener.accept_from(listening.socket.get());
  fatal(error);
  ::_exit(1);
}

}  // namespace
}  // namespace band::http

int main(int argc, char** argv) {
  if (argc != 3 || std::string(argv[1]) != "--user") {
    band::http::write_note("usage: band-http --user NAME, with the engine's control channel as descriptor 3");
    return 2;
  }
  const auto ended = band::http::run(argv[2]);
  return ended.ok() ? 0 : band::http::fatal(ended.error());
}
