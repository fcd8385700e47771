// A ClientHello of TLS, read by OpenSSL: whom does the client want to talk to? Pure.
//
// Promise: Whole only for a ClientHello that OpenSSL takes, that begins with a handshake record, ends with one, and is
// over within 64 KiB. Not covered: another one behind it (handshake.h), and the names inside the encryption: HTTP's
// Host, a renegotiation of TLS 1.2.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct ssl_st;

namespace band::gateway {

inline constexpr std::size_t kMaxHelloBytes = 64 << 10;  // browsers' with post-quantum keys have 2 KiB

// The first one of a process costs some 10 ms (OpenSSL's tables), all others some 50 µs: warm_up() before forking.
class ClientHello {
 public:
  enum class Verdict { More, Whole, Garbage };

  ClientHello();
  ~ClientHello();
  ClientHello(const ClientHello&) = delete;
  ClientHello& operator=(const ClientHello&) = delete;

  // The next bytes of the connection, any number. After Whole or Garbage the verdict stays; bytes behind the hello are
  // not looked at.
  Verdict feed(std::string_view bytes);

  // After Whole. The one host name as sent (not canonical, any bytes); nullopt: the client names none.
  const std::optional<std::string>& sni() const { return sni_; }
  // It has the extension encrypted_client_hello (or a draft's), GREASE included: what it names is not whom it asks for.
  bool has_ech() const { return has_ech_; }
  // After Whole: its bytes, with the heads of its records.
  std::size_t size() const { return size_; }
  // After Garbage, for people: "is no TLS ClientHello".
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

// Reads a hello of this program's own making; false: OpenSSL does not take it.
bool warm_up();

inline constexpr std::string_view kEchMend =
    "switch Encrypted ClientHello off in the client (curl: --ech false; Firefox: network.dns.echconfig.enabled and "
    "security.tls.ech.grease_probability; Chromium: the policy EncryptedClientHelloEnabled)";

}  // namespace band::gateway
