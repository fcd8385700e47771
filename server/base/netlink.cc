#include "server/base/netlink.h"

#include <linux/netlink.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace band::base {
namespace {

void pad(std::string& bytes) { bytes.resize(NLMSG_ALIGN(bytes.size())); }

std::string encoded(const NetlinkRequest& request) {
  std::string payload = request.body;
  pad(payload);
  for (const auto& [type, value] : request.attributes) {
    payload += bytes_of(nlattr{static_cast<std::uint16_t>(NLA_HDRLEN + value.size()), type}) + value;
    pad(payload);
  }
  nlmsghdr header{};
  header.nlmsg_len = static_cast<std::uint32_t>(NLMSG_HDRLEN + payload.size());
  header.nlmsg_type = request.type;
  header.nlmsg_flags = static_cast<std::uint16_t>(request.flags | NLM_F_REQUEST | NLM_F_ACK);
  return bytes_of(header) + payload;
}

}  // namespace

Status netlink_ask(int socket, const NetlinkRequest& request, const char* layer, const std::string& doing) {
  const std::string message = encoded(request);
  if (::send(socket, message.data(), message.size(), 0) < 0) return layer_error(layer, doing, errno);
  // The acknowledgement contains the error number, then a copy of the request.
  std::string answer(sizeof(nlmsghdr) + sizeof(nlmsgerr) + message.size(), '\0');
  const ssize_t n = ::recv(socket, answer.data(), answer.size(), MSG_DONTWAIT);  // it is queued when send(2) returns
  if (n < 0) return layer_error(layer, doing, errno);
  nlmsghdr header{};
  nlmsgerr error{};
  if (n < static_cast<ssize_t>(sizeof header + sizeof error)) return layer_error(layer, doing, EPROTO);
  std::memcpy(&header, answer.data(), sizeof header);
  std::memcpy(&error, answer.data() + sizeof header, sizeof error);
  if (header.nlmsg_type != NLMSG_ERROR) return layer_error(layer, doing, EPROTO);
  if (error.error != 0) return layer_error(layer, doing, -error.error);
  return done();
}

}  // namespace band::base
