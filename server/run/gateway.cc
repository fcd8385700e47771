#include "server/run/gateway.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>

#include "server/base/channel.h"
#include "server/privileges/user.h"

namespace band::run {
namespace {

constexpr const char* kUser = "band-gateway";
constexpr timeval kPatience{5, 0};  // for orders that nobody takes

}  // namespace

Result<Gateway> Gateway::start(const std::string& program) {
  Gateway gateway;
  BAND_TRY(const privileges::Ids ids, privileges::ids_of(kUser));
  gateway.user_ = ids.uid;
  BAND_TRY(auto pair, base::channel());
  if (::setsockopt(pair.first.get(), SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience) != 0)
    return layer_error("gateway", "bound the wait of an order", errno);
  const base::Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null) return layer_error("gateway", "open /dev/null", errno);
  base::Spawn what;
  what.argv = {program, "--user", kUser};
  what.env = {"PATH=/usr/bin", "LANG=C.UTF-8"};
  what.fds = {null.get(), STDERR_FILENO, STDERR_FILENO, pair.second.get()};
  BAND_TRY(gateway.child_, base::spawn(what));
  gateway.control_ = std::move(pair.first);
  return gateway;
}

bool Gateway::end(int ms) {
  control_.reset();
  return child_.wait(ms).has_value();
}

}  // namespace band::run
