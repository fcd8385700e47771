// The CA certificates that programs in a sandbox trust: the bundle of the machine, and the certificates of the operator
// (`gateway.extra_ca` in server.yaml).
#pragma once

#include <string>

#include "schemas/core/result.h"

namespace band::floor {

inline constexpr const char* kMachineBundle = "/etc/ssl/certs/ca-certificates.crt";  // package ca-certificates

struct Certificates {
  std::string bundle;  // PEM: the certificates of the machine and of the operator; "": no certificates
  std::string extra;   // PEM: only the certificates of the operator
};

// `extra_ca`: path of the operator's PEM file, or "". Only certificates are read from this file; a private key in the
// file is not copied. Returns an error when users other than root can change the file or its path (trusted_path.h),
// when not every user can read the file, or when the file contains no certificate. A machine without a bundle is not an
// error: programs then trust only the operator's certificates, or none.
Result<Certificates> read_certificates(const std::string& extra_ca);

}  // namespace band::floor
