#include "server/serve.h"

#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>

#include "server/admin/drain.h"
#include "server/admin/service.h"
#include "server/base/channel.h"
#include "server/base/heap.h"
#include "server/base/io.h"
#include "server/base/service_process.h"
#include "server/callers.h"
#include "server/engine/engine.h"
#include "server/execution/gateway.h"
#include "server/execution/zygote.h"
#include "server/http_link/question.h"
#include "server/needs.h"
#include "server/privileges/privileges.h"
#include "server/slot/server_groups.h"

namespace band::server {
namespace {

// All capabilities that any step needs (docs/architecture.md 6.6); those that the machine does not grant are left out.
const std::vector<int> kCapabilities = {CAP_SYS_ADMIN,    CAP_NET_ADMIN,       CAP_NET_RAW,    CAP_SETUID,
                                        CAP_SETGID,       CAP_SETPCAP,         CAP_KILL,       CAP_CHOWN,
                                        CAP_DAC_OVERRIDE, CAP_FOWNER,          CAP_SYS_PTRACE, CAP_SYS_CHROOT,
                                        CAP_SYS_RESOURCE, CAP_NET_BIND_SERVICE};

constexpr int kHttpExitMs = 10'000;
constexpr int kHelperExitMs = 1'000;

Status prepare_process() {
  if (::geteuid() != 0)
    return layer_error("serve", "this command needs root", EPERM,
                       "start the server with `sudo band setup --target local`");
  ::umask(022);
  ::signal(SIGPIPE, SIG_IGN);
  // Drops the supplementary groups of the starting process.
  if (::setgroups(0, nullptr) != 0) return layer_error("serve", "cannot drop the groups", errno);
  if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
    return layer_error("serve", "cannot make the process undumpable", errno);
  base::return_large_blocks();
  BAND_CHECK(own_limits());
  return kernel_has_landlock();
}

// Removes stage directories of an earlier server: they are empty, because its mounts were removed with its namespaces.
Status fresh_stage_dir(const std::string& run_dir) {
  std::error_code failed;
  const std::filesystem::path stage = run_dir + "/stage";
  std::filesystem::remove_all(stage, failed);
  std::filesystem::create_directories(stage, failed);
  if (failed) return layer_error("serve", "cannot make " + stage.string(), failed.value());
  if (::chmod(stage.c_str(), 0700) != 0) return layer_error("serve", "cannot set the mode of " + stage.string(), errno);
  return done();
}

class Server {
 public:
  Server(const admin::Paths& paths, const policy::SiteConfig& config) : paths_(paths), config_(config) {}

  Status run() {
    BAND_CHECK(prepare_process());
    BAND_CHECK(room_for_descriptors(config_));
    BAND_CHECK(block_signals());  // before another process can find this one by the lock and send a signal
    const bool former = admin::former_server_ran(paths_);
    BAND_TRY(const base::Fd claim, admin::claim(paths_));
    BAND_TRY(const base::Fd claim_of_state, admin::claim_state(paths_));
    BAND_TRY(const gid_t gid, runner_group());
    slot::Config slots{{}, admin::instance(paths_), config_.uid_base, gid, config_.slots};
    BAND_TRY(slots.cgroups, slot::find_cgroups());
    BAND_CHECK(fresh_stage_dir(config_.run_dir));
    BAND_TRY(const slot::ServerGroups groups, slot::ServerGroups::make(slots));
    BAND_CHECK(list_groups(groups.paths()));
    if (former) slot::remove_empty_group(slots.cgroups, admin::former_group_name(paths_));
    // Before capabilities are dropped: band-http and band-gateway change their users, and bubblewrap makes namespaces.
    BAND_TRY(const syscalls::Filter filter, syscalls::make_filter());
    BAND_TRY(zygote_, run::Zygote::start(beside(paths_, "band-init"), filter));
    BAND_TRY(http_, base::ServiceProcess::start({beside(paths_, "band-http"), "--user", "band-http"}));
    BAND_TRY(gateway_, run::Gateway::start(beside(paths_, "band-gateway")));
    BAND_CHECK(privileges::keep_only(kCapabilities));

    const floor::Config floor = floor_config(paths_, config_, gid);
    run::Site site{config_, std::make_shared<run::Floors>(floor, config_.commands), gateway_.door(), zygote_.control(),
                   paths_.source};
    BAND_CHECK(site.floors->first());
    run::Engine engine(std::move(site), slots);
    const Status started = engine.start();
    if (!started.ok() && run::zygote_exited(zygote_.control())) return run::Zygote::exited();
    BAND_CHECK(started);
    callers_.emplace(paths_, config_, engine, http_.control());
    BAND_CHECK(callers_->start());
    Status served = loop(engine);
    admin::withdraw_port(paths_);
    engine.stop(served.ok() ? run::kServerStops : served.error().message());
    http_.end(kHttpExitMs);  // when its last answer was sent
    gateway_.end(kHelperExitMs);
    zygote_.end(kHelperExitMs);
    return served;
  }

 private:
  Status block_signals() {
    sigset_t set;
    ::sigemptyset(&set);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD}) ::sigaddset(&set, signal);
    if (::pthread_sigmask(SIG_BLOCK, &set, nullptr) != 0) return layer_error("serve", "cannot block signals", errno);
    ::sigdelset(&set, SIGCHLD);
    signals_.reset(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    timer_.reset(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
    const itimerspec second{{1, 0}, {1, 0}};
    if (!signals_ || !timer_ || ::timerfd_settime(timer_.get(), 0, &second, nullptr) != 0)
      return layer_error("serve", "cannot wait for signals", errno);
    return done();
  }

  // For operators, and for the next server: former_server_ran().
  Status list_groups(const std::vector<std::string>& groups) const {
    std::string lines;
    for (const std::string& group : groups) lines += group + "\n";
    return base::write_file(paths_.groups_file(), lines, 0644);
  }

  // Called each second: checks for tokens that were changed by hand, for clients that have disconnected while their
  // requests waited, for freed memory, and for a large log.
  Status tick(run::Engine& engine) {
    std::uint64_t count = 0;
    if (::read(timer_.get(), &count, sizeof count) < 0) return done();
    BAND_CHECK(callers_->look());
    engine.drop_gone();
    engine.trim();
    if (const Status cut = admin::keep_log_small(paths_); !cut.ok()) spdlog::error("{}", cut.error().message());
    return done();
  }

  // Accepted once, and only with the configured port, if one is configured: the process is not trusted.
  Status listening(run::Engine& engine, std::uint16_t port) {
    if (listening_ || (config_.port != 0 && port != config_.port))
      return layer_error("serve", "band-http reported a port that is not the configured one, or a second port", 0);
    listening_ = true;
    engine.listens_on(port);
    BAND_CHECK(admin::announce_port(paths_, port));
    spdlog::info("listening on {}:{}", config_.address, port);
    return done();
  }

  Status from_http(run::Engine& engine) {
    using Kind = http::Question::Kind;
    auto message = base::receive(http_.control());
    // Its descriptors are closed, so http answers its caller that the engine did not answer.
    if (!message.ok() && message.error().err == EMSGSIZE)
      return engine.odd_message("is too large, or arrived when no descriptor was free"), done();
    if (!message.ok() || message->text.empty())
      return layer_error("serve", "band-http exited", 0, "see its last messages in the log");
    const auto question = http::read_question(message->text);
    if (!question.ok() && !listening_)
      return layer_error("serve", "band-http did not report its port: " + question.error().message(), 0);
    if (!question.ok())
      engine.odd_message();
    else if (question->kind == Kind::Listening)
      return listening(engine, question->port);
    else if (question->kind == Kind::Configured)
      return callers_->configured(question->number);
    else
      engine.handle(*question, std::move(message->fds));
    return done();
  }

  // Returns true when the signal stops the server.
  Result<bool> take_signal(run::Engine& engine, int signal) {
    if (signal == SIGHUP) {
      BAND_CHECK(callers_->look());
    } else if (signal == SIGUSR1) {
      engine.drain_for(admin::kDrainUs);
      std::vector<admin::Going> going;
      for (const run::Engine::Going& one : engine.going())
        going.push_back({one.id, one.token.substr(0, one.token.find('/')), one.script});
      if (const Status said = admin::announce_going(paths_, going); !said.ok())
        spdlog::error("{}", said.error().message());
    } else if (signal == SIGUSR2) {
      engine.drain_for(0);
    } else {
      spdlog::info("stopping: received signal {}", signal);
      return true;
    }
    return false;
  }

  Status loop(run::Engine& engine) {
    for (;;) {
      pollfd events[5] = {{http_.control(), POLLIN, 0},
                          {signals_.get(), POLLIN, 0},
                          {timer_.get(), POLLIN, 0},
                          {gateway_.pidfd(), POLLIN, 0},
                          {zygote_.control(), POLLRDHUP, 0}};  // closed when the zygote has exited
      if (::poll(events, 5, -1) < 0 && errno != EINTR) return layer_error("serve", "cannot poll", errno);
      if (events[1].revents != 0) {
        signalfd_siginfo info{};
        const bool came = ::read(signals_.get(), &info, sizeof info) == sizeof info;
        BAND_TRY(const bool stops, came ? take_signal(engine, static_cast<int>(info.ssi_signo)) : Result<bool>(false));
        if (stops) return done();
      }
      if (events[3].revents != 0)
        return layer_error("serve", "band-gateway exited", 0, "see its last messages in the log");
      if (events[4].revents != 0) return run::Zygote::exited();
      if (events[2].revents != 0) BAND_CHECK(tick(engine));
      if (events[0].revents != 0) BAND_CHECK(from_http(engine));
    }
  }

  const admin::Paths& paths_;
  const policy::SiteConfig& config_;
  base::Fd signals_, timer_;
  base::ServiceProcess http_;
  run::Gateway gateway_;
  run::Zygote zygote_;
  std::optional<Callers> callers_;
  bool listening_ = false;
};

}  // namespace

void remove_leftovers(const admin::Paths& paths, bool former) {
  const auto cgroups = slot::find_cgroups();
  if (!cgroups.ok()) return;
  slot::remove_dead_groups(*cgroups);
  if (former) slot::remove_empty_group(*cgroups, admin::former_group_name(paths));
}

Status serve(const admin::Paths& paths, const policy::SiteConfig& config) { return Server(paths, config).run(); }

}  // namespace band::server
