// Reads a TLS ClientHello with OpenSSL, to find the server name that the client requests. Pure.
//
// Promise: feed() returns Whole only for a ClientHello that OpenSSL accepts, that fills one or more handshake records
// exactly, and that has at most 64 KiB. Not covered: a further ClientHello of the same connection (handshake.h), and
// names in encrypted data (the Host of an HTTP request, the server name in a renegotiation of TLS 1.2).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct ssl_st;

namespace band::gateway {

inline constexpr std::size_t kMaxHelloBytes = 64 << 10;  // browsers' hellos with post-quantum keys have about 2 KiB

// Making the first ClientHello object of a process takes some 10 ms, because OpenSSL makes its tables; making a further
// object takes some 50 µs. Therefore call warm_up() before forking: the forked processes inherit the tables.
class ClientHello {
 public:
  enum class Verdict { More, Whole, Garbage };

  ClientHello();
  ~ClientHello();
  ClientHello(const ClientHello&) = delete;
  ClientHello& operator=(const ClientHello&) = delete;

  // Reads the next bytes of the connection, any number. Returns Whole when the ClientHello is complete, Garbage when
  // the bytes cannot be a ClientHello, and More when further bytes are needed. After Whole or Garbage the verdict does
  // not change. Bytes after the hello are ignored.
  Verdict feed(std::string_view bytes);

  // Valid after Whole: the server name as sent (not canonical, any bytes). nullopt: the client sent no name.
  const std::optional<std::string>& sni() const { return sni_; }
  // Valid after Whole. Returns true when the hello has the extension encrypted_client_hello, as the standard or a draft
  // defines it, or its predecessor encrypted_server_name. If the content of the extension is real, the client may
  // request another name than sni(). (The content can also be random: GREASE.)
  bool has_ech() const { return has_ech_; }
  // Valid after Whole: the size of the hello in bytes, including record headers.
  std::size_t size() const { return size_; }
  // Valid after Garbage, human-readable: "is not a TLS ClientHello".
  const std::string& why() const { return why_; }

 private:
  Verdict end(Verdict verdict, std::string why = "");
  void look(ssl_st* ssl);
  static int on_hello(ssl_st* ssl, int* alert, void*);
  static void on_read(int written, int version, int type, const void* bytes, std::size_t size, ssl_st*, void* hello);

  struct Free {
    void operator()(ssl_st* ssl) const;
  };
  std::unique_ptr<ssl_st, Free> ssl_;
  Verdict verdict_ = Verdict::More;
  std::size_t fed_ = 0;
  std::size_t size_ = 0, in_records_ = 0, in_message_ = 0;
  std::optional<std::string> sni_;
  bool has_ech_ = false;
  std::string why_;
};

// Writes a hello with OpenSSL and reads it with ClientHello. Returns false when the verdict is not Whole.
bool warm_up();

// The remedy for a refused hello with has_ech(), for messages.
inline constexpr std::string_view kEchMend =
    "switch Encrypted ClientHello off in the client (curl: --ech false; Firefox: network.dns.echconfig.enabled and "
    "security.tls.ech.grease_probability; Chromium: the policy EncryptedClientHelloEnabled)";

}  // namespace band::gateway
