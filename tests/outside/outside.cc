#include "tests/outside/outside.h"

#include <sched.h>
#include <sys/mount.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

namespace band::test {
namespace {

// The directory exists on every machine, and only root can change it, as is required for an authority's certificate.
// This program mounts its own tmpfs there.
constexpr const char* kDirectory = "/media";

// Acts that finish sooner did not wait for a missing answer: the shortest such timeout of a client is 3 s (two SYNs).
constexpr int kAtOnceMs = 2500;

// try NUMBER ACT: prints one line with the result. The act's own messages are written to stderr.
constexpr const char* kTry = R"(
try() {
  local began=${EPOCHREALTIME/./} status=0 ms
  timeout 12 bash -c "$2" || status=$?
  ms=$(((${EPOCHREALTIME/./} - began) / 1000))
  echo "act $1 ended with $status after $ms ms: $2"
}
)";

std::string shell_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

struct Outcome {
  int status = -1, ms = -1;
};

Outcome outcome_of(const std::string& text, std::size_t number) {
  const std::string key = "act " + std::to_string(number) + " ended with ";
  const std::size_t at = text.find(key);
  if (at == std::string::npos) return {};
  Outcome outcome;
  std::sscanf(text.c_str() + at + key.size(), "%d after %d", &outcome.status, &outcome.ms);
  return outcome;
}

// The names, separated by spaces.
std::string& services() {
  static std::string names;
  return names;
}

}  // namespace

bool with_services(const std::string& names) {
  services() = names;
  return true;
}

std::string Service::state() const { return outside().log(name_ + ".json"); }
std::string Service::requests() const { return outside().log(name_ + ".log"); }
void Service::forget() const { std::ofstream(outside().file(name_ + ".log")); }
void Service::next(const std::string& json) const { write_file(outside().file(name_ + ".next"), json); }
std::string violations() { return outside().log("violations"); }

Outside::Outside() {
  REQUIRE_MESSAGE(::unshare(CLONE_NEWNET | CLONE_NEWNS) == 0, "tests with an internet need root");
  REQUIRE(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0);
  REQUIRE(::mount("tmpfs", kDirectory, "tmpfs", 0, "mode=755") == 0);
  internet_ = Running({BAND_SOURCE_DIR "/tests/outside/machine", kDirectory},
                      {{"PATH", "/usr/sbin:/usr/bin:/sbin:/bin"}, {"BAND_TEST_SERVICES", services()}}, "/");
  const bool up = within(30'000, [&] { return internet_.ended() || exists(file("ready")); });
  REQUIRE_MESSAGE((up && !internet_.ended()), "the internet does not start: " << internet_.err());
}

std::string Outside::file(const std::string& name) const { return kDirectory + ("/" + name); }

int Outside::lookups_of(const std::string& name) const {
  const std::string text = log("dns.log"), key = "query[A] " + name + " from";
  int count = 0;
  for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) ++count;
  return count;
}

Environment Outside::env() const {
  Environment env{{"PATH", "/usr/sbin:/usr/bin:/sbin:/bin"}, {"HOME", kDirectory}, {"LANG", "C.UTF-8"}};
  for (const char* name : {"SSL_CERT_FILE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "NODE_EXTRA_CA_CERTS"})
    env[name] = file("ca.pem");
  return env;
}

Ran Outside::shell(const std::string& script) const {
  return Running({"/usr/bin/bash", "-c", script}, env(), kDirectory).wait();
}

Outside& outside() {
  static Outside one;
  return one;
}

std::string gateway(const std::string& more) {
  std::string yaml = "gateway:\n  extra_ca: " + outside().file("ca.pem") + "\n";
  for (std::size_t from = 0; from < more.size();) {
    const std::size_t end = std::min(more.find('\n', from), more.size());
    yaml += "  " + more.substr(from, end - from) + "\n";
    from = end + 1;
  }
  return yaml;
}

Server& networked_server() {
  outside();  // constructed first, so that it is destroyed last
  const char* const commands = std::getenv("BAND_TEST_COMMANDS");
  static SharedServer server(gateway() +
                             (commands != nullptr ? "commands: {directories: [" + std::string(commands) + "]}\n" : ""));
  return server;
}

Ran explain(const Caller& caller, const std::string& script, const std::string& band) {
  return caller.run(script + "\n" + kEmptyOutput, band, {"--explain", "--verbose"});
}

Ran try_acts(const Caller& caller, const std::string& band, const Acts& acts) {
  Words all = acts.did;
  all.insert(all.end(), acts.refused.begin(), acts.refused.end());
  std::string script = kTry;
  for (std::size_t i = 0; i < all.size(); ++i) script += "try " + std::to_string(i) + " " + shell_quoted(all[i]) + "\n";

  const Ran control = outside().shell(script);
  for (std::size_t i = 0; i < all.size(); ++i)
    CHECK_MESSAGE(outcome_of(control.out, i).status == 0, "the control: " << all[i] << "\n" << control.text());

  const Ran ran = explain(caller, script, band);
  REQUIRE_STATUS(ran, 0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Outcome outcome = outcome_of(ran.err, i);
    CAPTURE(all[i]);
    CAPTURE(ran.err);
    if (i < acts.did.size()) {
      CHECK(outcome.status == 0);
    } else {
      CHECK(outcome.status > 0);
      // Not denied as a command, not missing, and not killed, except bash by SIGPIPE when it writes to a connection
      // that was reset.
      CHECK_MESSAGE((outcome.status < 126 || outcome.status == 128 + SIGPIPE), outcome.status);
    }
    CHECK(outcome.ms < kAtOnceMs);
  }
  return ran;
}

}  // namespace band::test
