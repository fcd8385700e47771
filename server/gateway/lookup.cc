#include "server/gateway/lookup.h"

#include <ares.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace band::gateway {
namespace {

// Each server is queried twice, with timeouts of 2 s and 4 s. A caller waits 10 s. So if a server answers queries for A
// and never those for AAAA, c-ares returns the answer to A before the caller's timeout.
constexpr int kAskAgainMs = 2000, kTries = 2, kTimeoutMs = 10'000;
constexpr int kTickMs = 500;
// Limit of concurrent lookups: a resolver's socket buffers some hundred queries, and c-ares repeats a dropped query
// only after 2 s.
constexpr std::size_t kMostAsks = 64;

// Shared ownership: the waiting coroutine may have ended when the answer arrives.
struct Ask {
  explicit Ask(asio::io_context& loop) : answered(loop, in_ms(kTimeoutMs)) {}
  asio::steady_timer answered;  // cancelled by the answer
  bool done = false;
  int status = ARES_ETIMEOUT;
  std::vector<IpAddress> addresses;
};

void note(const ares_addrinfo& answer, std::vector<IpAddress>& addresses) {
  for (const ares_addrinfo_node* node = answer.nodes; node != nullptr; node = node->ai_next) {
    IpAddress address;
    if (node->ai_family == AF_INET) {
      std::memcpy(address.bytes.data(), &reinterpret_cast<const sockaddr_in*>(node->ai_addr)->sin_addr, 4);
    } else if (node->ai_family == AF_INET6) {
      address.ipv6 = true;
      std::memcpy(address.bytes.data(), &reinterpret_cast<const sockaddr_in6*>(node->ai_addr)->sin6_addr, 16);
    } else {
      continue;
    }
    addresses.push_back(address);
  }
  // A machine without IPv6 must not try IPv6 first.
  std::stable_partition(addresses.begin(), addresses.end(), [](const IpAddress& address) { return !address.ipv6; });
}

void answered(void* argument, int status, int, ares_addrinfo* answer) {
  const std::unique_ptr<std::shared_ptr<Ask>> ask(static_cast<std::shared_ptr<Ask>*>(argument));
  const std::unique_ptr<ares_addrinfo, void (*)(ares_addrinfo*)> owned(answer, ::ares_freeaddrinfo);
  (*ask)->done = true;
  (*ask)->status = status;
  if (status == ARES_SUCCESS && answer != nullptr) note(*answer, (*ask)->addresses);
  (*ask)->answered.cancel();
}

std::string said(int status) {
  switch (status) {
    case ARES_ENOTFOUND:
    case ARES_ENONAME:
      return "not found";
    case ARES_ENODATA:
      return "the name has no address";
    case ARES_ETIMEOUT:
    case ARES_ECANCELLED:
      return "the machine's resolver does not answer";
    case ARES_ECONNREFUSED:
      return "the machine's resolver cannot be reached";
    default:
      return std::string("the name cannot be resolved: ") + ::ares_strerror(status);
  }
}

}  // namespace

Result<std::unique_ptr<Lookup>> Lookup::start(asio::io_context& loop) {
  std::unique_ptr<Lookup> lookup(new Lookup(loop));
  ares_options options{};
  options.flags = ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES;  // no $HOSTALIASES
  options.timeout = kAskAgainMs;
  options.tries = kTries;
  options.ndots = 0;     // resolve a name without a dot unchanged,
  options.ndomains = 0;  // ignoring the search domains of /etc/resolv.conf
  options.sock_state_cb = [](void* self, int socket, int readable, int writable) {
    static_cast<Lookup*>(self)->watch(socket, readable != 0, writable != 0);
  };
  options.sock_state_cb_data = lookup.get();
  int status = ::ares_library_init(ARES_LIB_INIT_ALL);
  if (status == ARES_SUCCESS)
    status = ::ares_init_options(&lookup->channel_, &options,
                                 ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_NDOTS |
                                     ARES_OPT_DOMAINS | ARES_OPT_SOCK_STATE_CB);
  if (status != ARES_SUCCESS)
    return layer_error("gateway", std::string("cannot start the resolver: ") + ::ares_strerror(status), 0,
                       "make /etc/resolv.conf readable for every user");
  return lookup;
}

Lookup::~Lookup() {
  if (channel_ != nullptr) ::ares_destroy(channel_);
}

awaitable<Result<std::vector<IpAddress>>> Lookup::addresses_of(const std::string& name) {
  std::error_code stopped;
  while (asking_ >= kMostAsks) co_await room_.async_wait(asio::redirect_error(asio::use_awaitable, stopped));
  const auto ask = std::make_shared<Ask>(loop_);
  ares_addrinfo_hints hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = ARES_AI_NOSORT;  // sorting connects sockets to every address
  ++asking_;
  if (!std::exchange(ticking_, true)) spawn(loop_, keep_time());
  ::ares_getaddrinfo(channel_, name.c_str(), nullptr, &hints, answered, new std::shared_ptr<Ask>(ask));
  if (!ask->done)  // names in /etc/hosts are answered before the call returns
    co_await ask->answered.async_wait(asio::redirect_error(asio::use_awaitable, stopped));
  --asking_;
  room_.cancel_one();
  if (!ask->addresses.empty()) co_return std::move(ask->addresses);
  Error error;
  error.doing = said(ask->status == ARES_SUCCESS ? ARES_ENODATA : ask->status);
  co_return error;
}

// c-ares calls watch() from its own functions when it opens, uses or closes a socket. watch() must not call c-ares.
void Lookup::watch(int socket, bool readable, bool writable) {
  auto& watched = sockets_[socket];
  if (!readable && !writable) {
    if (watched) watched->io.release();  // c-ares closes the socket now
    sockets_.erase(socket);
    return;
  }
  if (!watched) {
    watched = std::make_shared<Watched>(Watched{asio::posix::stream_descriptor(loop_, socket)});
    wait_to_read(socket, watched);
  }
  watched->write = writable;
  if (writable && !watched->waits_to_write) wait_to_write(socket, watched);
}

bool Lookup::known(int socket, const std::shared_ptr<Watched>& watched) const {
  const auto found = sockets_.find(socket);
  return found != sockets_.end() && found->second == watched;
}

void Lookup::wait_to_read(int socket, const std::shared_ptr<Watched>& watched) {
  watched->io.async_wait(asio::posix::stream_descriptor::wait_read,
                         [this, socket, watched](const std::error_code& failed) {
                           if (failed || !known(socket, watched)) return;
                           ::ares_process_fd(channel_, socket, ARES_SOCKET_BAD);
                           if (known(socket, watched)) wait_to_read(socket, watched);
                         });
}

void Lookup::wait_to_write(int socket, const std::shared_ptr<Watched>& watched) {
  watched->waits_to_write = true;
  watched->io.async_wait(asio::posix::stream_descriptor::wait_write,
                         [this, socket, watched](const std::error_code& failed) {
                           watched->waits_to_write = false;
                           if (failed || !known(socket, watched)) return;
                           ::ares_process_fd(channel_, ARES_SOCKET_BAD, socket);
                           if (known(socket, watched) && watched->write && !watched->waits_to_write)
                             wait_to_write(socket, watched);
                         });
}

// c-ares repeats queries and gives up only inside ares_process_fd(). Therefore keep_time() calls ares_process_fd()
// periodically.
awaitable<void> Lookup::keep_time() {
  while (asking_ > 0) {
    std::error_code stopped;
    tick_.expires_after(std::chrono::milliseconds(kTickMs));
    co_await tick_.async_wait(asio::redirect_error(asio::use_awaitable, stopped));
    ::ares_process_fd(channel_, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
  }
  ticking_ = false;
}

}  // namespace band::gateway
