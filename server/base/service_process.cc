#include "server/base/service_process.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "server/base/channel.h"

namespace band::base {

Result<ServiceProcess> ServiceProcess::start(std::vector<std::string> argv) {
  ServiceProcess service;
  BAND_TRY(auto pair, channel());
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null) return layer_error("serve", "cannot open /dev/null", errno);
  Spawn what;
  what.argv = std::move(argv);
  what.new_session = true;  // when a terminal hangs up, the server decides whether the process ends
  // LD_BIND_NOW (ld.so(8)): otherwise each process that band-gateway forks looks up the functions of libraries again.
  what.env = {"PATH=/usr/bin", "LANG=C.UTF-8", "LD_BIND_NOW=1"};
  what.fds = {null.get(), STDERR_FILENO, STDERR_FILENO, pair.second.get()};
  BAND_TRY(service.child_, spawn(what));
  service.control_ = std::move(pair.first);
  return service;
}

Status ServiceProcess::bound_sends(int seconds) {
  const timeval timeout{seconds, 0};
  if (::setsockopt(control_.get(), SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout) != 0)
    return layer_error("serve", "cannot set the send timeout of a channel", errno);
  return done();
}

bool ServiceProcess::end(int ms) {
  ::shutdown(control_.get(), SHUT_WR);
  return child_.wait(ms).has_value();
}

}  // namespace band::base
