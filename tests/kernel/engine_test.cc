// The engine with a slot and a floor of the test; the test is the http process, and no connection is made.
#include "server/engine/engine.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schemas/core/json.h"
#include "server/base/channel.h"
#include "server/base/io.h"
#include "server/execution/zygote.h"
#include "server/slot/server_groups.h"
#include "server/syscalls/syscalls.h"
#include "tests/user_ids.h"

using namespace band;

namespace {

constexpr std::int64_t kCeilingMs = 20'000;

class World {
 public:
  World() {
    ::umask(022);
    std::signal(SIGPIPE, SIG_IGN);
    REQUIRE(::setgroups(0, nullptr) == 0);
    REQUIRE(::mkdtemp(place_.data()) != nullptr);
    std::filesystem::create_directories(place_ + "/stage");
    slots_.uid_base = slots_.gid = test::own_user_ids();
    slots_.instance = "engine_test_" + std::to_string(::getpid());
    auto cgroups = slot::find_cgroups();
    REQUIRE(cgroups.ok());
    slots_.cgroups = std::move(*cgroups);
    auto groups = slot::ServerGroups::make(slots_);
    REQUIRE(groups.ok());
    groups_.emplace(std::move(*groups));
    const auto filter = syscalls::make_filter();
    REQUIRE(filter.ok());
    auto zygote = run::Zygote::start(BAND_BIN_DIR "/band-init", *filter);
    REQUIRE(zygote.ok());
    zygote_ = std::move(*zygote);
    engine_.emplace(site(), slots_);
    const Status started = engine_->start();
    REQUIRE_MESSAGE(started.ok(), started.error().message());
    engine_->accept_only({run::caller("laptop", kId)}, run::Others::End);
  }
  ~World() {
    engine_.reset();
    groups_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(place_, ignored);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // Returns all lines of the answer.
  std::string ask(const ExecRequest& request, int seals = F_SEAL_SHRINK | F_SEAL_WRITE) {
    return rest_of(send(request, seals));
  }
  std::string ask(base::Fd body) { return rest_of(send(std::move(body))); }
  static std::string rest_of(const base::Fd& reply) { return base::read_all(reply.get(), 1 << 20).value(); }

  // Returns the reply socket.
  base::Fd send(const ExecRequest& request, int seals = F_SEAL_SHRINK | F_SEAL_WRITE) {
    base::Fd body(::memfd_create("body", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    REQUIRE(base::write_all(body.get(), dump_json(request_to_json(request))).ok());
    REQUIRE(::fcntl(body.get(), F_ADD_SEALS, seals) == 0);
    return send(std::move(body));
  }
  base::Fd send(base::Fd body) {
    return send({.kind = http::Question::Kind::Exec, .token = "laptop", .token_id = kId}, std::move(body));
  }
  base::Fd cancel(const std::string& id) {
    return send({.kind = http::Question::Kind::Cancel, .token = "laptop", .token_id = kId, .id = id}, base::Fd());
  }
  run::Engine& engine() { return *engine_; }

 private:
  base::Fd send(const http::Question& question, base::Fd body) {
    auto ends = base::stream_pair();
    REQUIRE(ends.ok());
    std::vector<base::Fd> fds;
    if (body) fds.push_back(std::move(body));
    fds.push_back(std::move(ends->first));
    engine_->handle(question, std::move(fds));
    return std::move(ends->second);
  }

  static constexpr const char* kId = "0123abcd";

  run::Site site() const {
    run::Site site;
    site.config = policy::default_site_config();
    site.config.slots = 1;
    site.config.run_dir = site.config.state_dir = place_;
    site.config.ceiling.limit.maxRuntimeMs = kCeilingMs;
    site.zygote = zygote_.control();
    site.floors = std::make_shared<run::Floors>(
        floor::Config{place_ + "/floor", BAND_BIN_DIR "/band-shim", slots_.uid_base, 1, slots_.gid},
        site.config.commands);
    return site;
  }

  std::string place_ = "/tmp/band-engine-XXXXXX";
  slot::Config slots_;
  std::optional<slot::ServerGroups> groups_;
  run::Zygote zygote_;
  std::optional<run::Engine> engine_;
};

// Returns how long the reader of the request's stream may stall; -1: not specified.
std::int64_t stall_ms(World& world, const ExecRequest& request) {
  const std::string lines = world.ask(request);
  CAPTURE(lines);
  REQUIRE(lines.find("\"event\":\"result\"") != std::string::npos);
  const auto first = parse_json(lines.substr(0, lines.find('\n')), "first line");
  REQUIRE(first.ok());
  REQUIRE((*first)["status"] == 200);
  return first->value("stall_ms", std::int64_t{-1});
}

}  // namespace

TEST_CASE("when the zygote is started, bubblewrap has completed its set-up") {
  const auto filter = syscalls::make_filter();
  REQUIRE(filter.ok());
  for (int round = 0; round < 20; ++round) {
    const auto zygote = run::Zygote::start(BAND_BIN_DIR "/band-init", *filter);
    REQUIRE(zygote.ok());
    const std::string pid = std::to_string(zygote->pid());
    std::string file = "/proc/" + pid;
    file.append("/task/").append(pid).append("/children");
    const std::string child = base::read_file(file, 100).value();
    REQUIRE(!child.empty());
    file = "/proc/";
    file.append(child, 0, child.find(' ')).append("/comm");
    CHECK(base::read_file(file, 100).value() == "band-zygote\n");
  }
  CHECK_FALSE(run::Zygote::start("/no/such/program", *filter).ok());
}

TEST_CASE("a body that band-http could still change is refused") {
  World world;
  ExecRequest request;
  request.script = "tool/go";
  request.source = "echo null >\"$OUTPUT_PATH\"";
  CHECK(world.ask(request).find("\"event\":\"result\"") != std::string::npos);  // the control
  const std::string refused = "the request's body is not sealed";
  for (const int seals : {0, F_SEAL_SHRINK, F_SEAL_WRITE})
    CHECK(world.ask(request, seals).find(refused) != std::string::npos);
  base::Fd file(::open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  REQUIRE(base::write_all(file.get(), dump_json(request_to_json(request))).ok());
  CHECK(world.ask(std::move(file)).find(refused) != std::string::npos);
}

TEST_CASE("a client that reads a stream may pause for as long as the script may run, within the operator's limit") {
  World world;
  ExecRequest request;
  request.script = "tool/go";
  request.source = "echo null >\"$OUTPUT_PATH\"";
  CHECK(stall_ms(world, request) == -1);  // not a stream
  for (const bool terminal : {false, true}) {
    CAPTURE(terminal);
    request.raw_logs = !terminal;
    if (terminal) request.terminal.emplace();
    request.rules.limit.maxRuntimeMs = kCeilingMs - 1;
    CHECK(stall_ms(world, request) == kCeilingMs - 1);
    request.rules.limit.maxRuntimeMs = 24LL * 3600 * 1000;
    CHECK(stall_ms(world, request) == kCeilingMs);
    request.rules.limit.maxRuntimeMs.reset();  // default: one minute
    CHECK(stall_ms(world, request) == kCeilingMs);
  }
}

TEST_CASE("a cancelled request that waits in the queue is answered immediately, and no sandbox is made for it") {
  World world;
  ExecRequest holds, waits;
  holds.script = "tool/holds";
  holds.source = "sleep 5; echo null >\"$OUTPUT_PATH\"";
  waits.script = "tool/waits";
  waits.source = "echo null >\"$OUTPUT_PATH\"";
  const base::Fd holding = world.send(holds);
  std::string running;
  for (int i = 0; i < 500 && running.empty(); ++i, ::usleep(10'000))
    for (const run::Engine::Going& one : world.engine().going())
      if (one.script == "tool/holds") running = one.id;
  REQUIRE_FALSE(running.empty());
  const base::Fd waiting = world.send(waits);
  const auto is_going = [&](const std::string& id) {
    const auto going = world.engine().going();
    return std::any_of(going.begin(), going.end(), [&](const auto& one) { return one.id == id; });
  };
  std::string queued;
  for (const run::Engine::Going& one : world.engine().going())
    if (one.id != running) queued = one.id;
  REQUIRE_FALSE(queued.empty());

  CHECK(World::rest_of(world.cancel(queued)).starts_with("{\"status\":200}"));
  const std::string answer = World::rest_of(waiting);
  CHECK(is_going(running));  // the answer came while the only slot was occupied
  CHECK_FALSE(is_going(queued));
  CAPTURE(answer);
  CHECK(answer.find("\"CANCELLED\"") != std::string::npos);
  CHECK(answer.find("\"setupMs\":0.0,") != std::string::npos);
  CHECK(World::rest_of(world.cancel(queued)).starts_with("{\"status\":404,"));
  // The control: the slot serves the next request, whose client stays; one whose client has left leaves the queue.
  base::Fd leaves = world.send(waits), stays = world.send(waits);
  CHECK(world.engine().going().size() == 3);
  leaves.reset();
  world.engine().drop_gone();
  CHECK(world.engine().going().size() == 2);
  CHECK(World::rest_of(world.cancel(running)).starts_with("{\"status\":200}"));
  CHECK(World::rest_of(holding).find("the caller ended it") != std::string::npos);
  const std::string served = World::rest_of(stays);
  CHECK(served.find("\"event\":\"result\"") != std::string::npos);
  CHECK(served.find("CANCELLED") == std::string::npos);
}
