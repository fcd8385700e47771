#include "schemas/core/network_messages.h"

#include <algorithm>
#include <iterator>

namespace band {
namespace {

constexpr std::string_view kMessages[] = {
    "resolve host",
    "resolve '",
    "name resolution",
    "Name or service not known",
    "getaddrinfo",
    "EAI_AGAIN",
    "ENOTFOUND",
    "no such host",
    "Connection refused",
    "connection refused",
    "ECONNREFUSED",
    "ENETUNREACH",
    "EHOSTUNREACH",
    "Network is unreachable",
    "network is unreachable",
    "No route to host",
    "Failed to connect",
    "t connect to",
    "UnknownHostException",
    "Connection error",
    "onnection timed out",
    "urlopen error",
    "fetch failed",
    "unable to access",
    "dial tcp",
};

}  // namespace

bool reports_network_failure(std::string_view log) {
  return std::any_of(std::begin(kMessages), std::end(kMessages),
                     [&](std::string_view message) { return log.find(message) != std::string_view::npos; });
}

}  // namespace band
