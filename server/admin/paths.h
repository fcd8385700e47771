// Where band-server keeps its things on this machine. Plain data: tests point it to a directory of their own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace band::admin {

struct Paths {
  std::string config = "/etc/band/server.yaml";
  std::string tokens = "/etc/band/tokens";
  std::string state_dir = "/var/lib/band";                       // 0700: floor cache
  std::string run_dir = "/run/band";                             // 0755: server.pid (0600), port (0644), tokens (0600)
  std::string log = "/var/log/band/server.log";                  // of the plain daemon; systemd has its journal
  std::string unit = "/etc/systemd/system/band-server.service";  // written where systemd runs
  std::string systemd = "/run/systemd/system";                   // exists exactly when systemd is pid 1
  std::string address = "127.0.0.1";                             // that the server listens on: SiteConfig::address
  std::uint16_t port = 0;                                        // SiteConfig::port; 0: any free one
  std::string why_no_run_dir;  // not empty: run_dir is not known, because the configuration cannot be read
  std::string program;         // band-server itself, an absolute path; see own_program()

  std::string pid_file() const { return run_dir + "/server.pid"; }
  std::string port_file() const { return run_dir + "/port"; }
  std::string tokens_file_in_force() const { return run_dir + "/tokens"; }  // which it is, not its content: 0600
  std::string going_file() const { return run_dir + "/going"; }             // of a drain: what waits and runs; 0600
  // Of the plain daemon, beside its log; older lines in <...>.1.log.
  std::string executions_log() const { return log_beside("executions.log"); }
  std::string executions_log_before() const { return log_beside("executions.1.log"); }

 private:
  std::string log_beside(const char* name) const { return log.substr(0, log.rfind('/') + 1) + name; }
};

// The path of the running program, out of /proc/self/exe.
std::string own_program();

// One line for people about a step that changed something. Steps with nothing to do say nothing.
using Progress = std::function<void(std::string_view line)>;

}  // namespace band::admin
