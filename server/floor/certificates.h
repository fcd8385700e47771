// The certificates of authorities that programs in a sandbox trust: the machine's bundle, and the operator's own.
#pragma once

#include <string>

#include "schemas/core/result.h"

namespace band::floor {

inline constexpr const char* kMachineBundle = "/etc/ssl/certs/ca-certificates.crt";  // of the package ca-certificates

struct Certificates {
  std::string bundle;  // PEM: the machine's and the operator's; "" when there are none
  std::string extra;   // the operator's alone
};

// `extra_ca`: "" for none. Of that file only certificates are taken, so that a key in it stays where it is. An error
// when it is not root's alone, or holds none. A machine without a bundle is none: TLS then fails where it is used.
Result<Certificates> read_certificates(const std::string& extra_ca);

}  // namespace band::floor
