// The paths of band-server's files on this machine. Plain data: tests use directories of their own.
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
  std::string log = "/var/log/band/server.log";                  // used only without systemd
  std::string unit = "/etc/systemd/system/band-server.service";  // written when systemd runs
  std::string systemd = "/run/systemd/system";                   // exists only when systemd is pid 1
  std::string address = "127.0.0.1";                             // from SiteConfig::address
  std::uint16_t port = 0;                                        // from SiteConfig::port; 0: any free port
  std::string why_no_run_dir;  // if run_dir is unknown: why the configuration could not be read; otherwise empty
  std::string program;         // absolute path of band-server; see own_program()

  std::string pid_file() const { return run_dir + "/server.pid"; }
  std::string port_file() const { return run_dir + "/port"; }
  std::string tokens_file_in_force() const { return run_dir + "/tokens"; }  // identity of the loaded tokens file; 0600
  std::string going_file() const { return run_dir + "/going"; }             // waiting and running executions; 0600
  // The log with one line for each execution, in the directory of `log`, and the previous file of this log
  // (server/engine/executions_log.h). Used only without systemd.
  std::string executions_log() const { return log_beside("executions.log"); }
  std::string executions_log_before() const { return log_beside("executions.1.log"); }

 private:
  std::string log_beside(const char* name) const { return log.substr(0, log.rfind('/') + 1) + name; }
};

// Returns the path of the running program, read from /proc/self/exe.
std::string own_program();

// Receives one human-readable line for each step that changed something. Steps that change nothing print nothing.
using Progress = std::function<void(std::string_view line)>;

}  // namespace band::admin
