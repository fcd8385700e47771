// The paths of band-server's files on this machine, and its address. Plain data, so that tests can use directories of
// their own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace band::admin {

struct Paths {
  std::string config = "/etc/band/server.yaml";
  std::string tokens = "/etc/band/tokens";
  // Mode 0700. Contains the floors: directories with copies of the machine's programs, which the sandboxes show.
  std::string state_dir = "/var/lib/band";
  // Mode 0755. Contains server.pid (mode 0600), port (0644), source (0644), tokens (0600), going (0600), groups (0644),
  // and the directory stage.
  std::string run_dir = "/run/band";
  std::string log = "/var/log/band/server.log";                  // used only without systemd
  std::string unit = "/etc/systemd/system/band-server.service";  // written when systemd runs
  std::string systemd = "/run/systemd/system";                   // exists only when systemd is pid 1
  std::string address = "127.0.0.1";                             // from SiteConfig::address
  std::uint16_t port = 0;                                        // from SiteConfig::port; 0: any free port
  // Why the configuration could not be read; normally "". If it is not "", run_dir is unknown, and only `band-server
  // token` continues.
  std::string why_no_run_dir;
  std::string program;  // absolute path of band-server; see own_program()
  std::string source;   // the digest of the sources of this program (tools/lib/source-archive.cmake)

  std::string pid_file() const { return run_dir + "/server.pid"; }
  std::string port_file() const { return run_dir + "/port"; }
  // The identity (tokens_file.h) of the tokens file whose tokens the running server accepts; mode 0600.
  std::string tokens_file_in_force() const { return run_dir + "/tokens"; }
  // The digest of the sources of the running server; mode 0644. A server without this file is older than the file.
  std::string source_file() const { return run_dir + "/source"; }
  // The directories of the server's control groups, one in each line. Stays when the server has exited.
  std::string groups_file() const { return run_dir + "/groups"; }
  std::string state_lock() const { return state_dir + "/lock"; }  // mode 0600
  std::string going_file() const { return run_dir + "/going"; }   // list of executions (drain.h); mode 0600
  // The log with one line for each execution (server/engine/executions_log.h), in the directory of `log`; and the older
  // part of this log. Used only when stderr of the server is the file `log`.
  std::string executions_log() const { return log_beside("executions.log"); }
  std::string executions_log_before() const { return log_beside("executions.1.log"); }

 private:
  std::string log_beside(const char* name) const { return log.substr(0, log.rfind('/') + 1) + name; }
};

// Returns the path of the running program, read from /proc/self/exe; "" on an error.
std::string own_program();

// Receives one human-readable line for each step that changed something. Steps that change nothing print nothing.
using Progress = std::function<void(std::string_view line)>;

}  // namespace band::admin
