// The CA certificates that programs in a sandbox trust: the machine's bundle, and those of the operator.
#pragma once

#include <string>

#include "schemas/core/result.h"

namespace band::floor {

inline constexpr const char* kMachineBundle = "/etc/ssl/certs/ca-certificates.crt";  // package ca-certificates

struct Certificates {
  std::string bundle;  // PEM: the machine's and the operator's; "" when there are none
  std::string extra;   // PEM: only the operator's
};

// `extra_ca`: path of the operator's PEM file, or "". Only the certificates of this file are returned, so that a
// private key in it is not copied. Returns an error when users other than root can write the file, or when it contains
// no certificate. A machine without a bundle is not an error: TLS then fails in the programs that use it.
Result<Certificates> read_certificates(const std::string& extra_ca);

}  // namespace band::floor
