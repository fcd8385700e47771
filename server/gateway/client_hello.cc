#include "server/gateway/client_hello.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>

namespace band::gateway {
namespace {

// encrypted_client_hello (RFC 9849) and its drafts, ech_outer_extensions, and encrypted_server_name before them.
constexpr unsigned kEncrypted[] = {0xfe0d, 0xfe0c, 0xfe0b, 0xfe0a, 0xfe09, 0xfe08, 0xfd00, 0xffce};

SSL_CTX* make_context() {
  // Without openssl.cnf: the machine's configuration must not decide what is accepted as a ClientHello.
  OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
  SSL_CTX* context = SSL_CTX_new(TLS_server_method());
  if (context == nullptr) return nullptr;
  SSL_CTX_set_min_proto_version(context, 0);  // accept old clients, too: the server decides
  SSL_CTX_set_security_level(context, 0);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  // OpenSSL keeps only those extensions of a hello that are registered. The loop registers them.
  for (const unsigned type : kEncrypted)
    if (SSL_extension_supported(type) != 1 &&
        SSL_CTX_add_custom_ext(context, type, SSL_EXT_CLIENT_HELLO, nullptr, nullptr, nullptr, nullptr, nullptr) != 1)
      return nullptr;  // without a context, no hello is accepted
  return context;
}

// RFC 6066 defines a list of typed names. All clients send exactly one name; the meaning of two names is undefined.
std::optional<std::string> single_host_name(std::string_view extension) {
  const auto number = [&](std::size_t at) {
    return std::size_t{static_cast<unsigned char>(extension[at])} << 8 | static_cast<unsigned char>(extension[at + 1]);
  };
  constexpr std::size_t kHead = 5;  // length of the list, type, length of the name
  if (extension.size() <= kHead || number(0) != extension.size() - 2) return std::nullopt;
  if (extension[2] != TLSEXT_NAMETYPE_host_name || number(3) != extension.size() - kHead) return std::nullopt;
  return std::string(extension.substr(kHead));
}

}  // namespace

void ClientHello::Free::operator()(ssl_st* ssl) const { SSL_free(ssl); }

ClientHello::ClientHello() {
  static SSL_CTX* const context = [] {
    SSL_CTX* made = make_context();
    if (made != nullptr) SSL_CTX_set_client_hello_cb(made, on_hello, nullptr);
    return made;
  }();
  ssl_.reset(context != nullptr ? SSL_new(context) : nullptr);
  BIO* in = BIO_new(BIO_s_mem());
  BIO* out = BIO_new(BIO_s_null());  // discards the alerts that OpenSSL sends
  if (ssl_ == nullptr || in == nullptr || out == nullptr) {
    BIO_free(in);
    BIO_free(out);
    end(Verdict::Garbage, "cannot be read: no memory");
    return;
  }
  SSL_set_bio(ssl_.get(), in, out);
  SSL_set_app_data(ssl_.get(), this);
  SSL_set_msg_callback(ssl_.get(), on_read);
  SSL_set_msg_callback_arg(ssl_.get(), this);
  SSL_set_accept_state(ssl_.get());
}

ClientHello::~ClientHello() = default;

ClientHello::Verdict ClientHello::end(Verdict verdict, std::string why) {
  verdict_ = verdict;
  why_ = std::move(why);
  ssl_.reset();  // tens of kilobytes
  ERR_clear_error();
  return verdict_;
}

void ClientHello::look(ssl_st* ssl) {
  verdict_ = Verdict::Whole;
  // More bytes in the record are refused: servers would parse them.
  if (in_message_ != in_records_) {
    verdict_ = Verdict::Garbage;
    why_ = "is followed by more bytes in the same record";
    return;
  }
  const unsigned char* data = nullptr;
  std::size_t size = 0;
  for (const unsigned type : kEncrypted) has_ech_ = has_ech_ || SSL_client_hello_get0_ext(ssl, type, &data, &size) == 1;
  if (SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_server_name, &data, &size) != 1) return;
  sni_ = single_host_name({reinterpret_cast<const char*>(data), size});
  if (sni_) return;
  verdict_ = Verdict::Garbage;
  why_ = "has a server_name extension that is not one host name";
}

int ClientHello::on_hello(ssl_st* ssl, int*, void*) {
  static_cast<ClientHello*>(SSL_get_app_data(ssl))->look(ssl);
  return SSL_CLIENT_HELLO_RETRY;  // the handshake ends here
}

// SSL_set_msg_callback(3): called for the header of each record and for each complete message.
void ClientHello::on_read(int written, int, int type, const void* bytes, std::size_t size, ssl_st*, void* hello) {
  if (written != 0) return;
  auto& self = *static_cast<ClientHello*>(hello);
  if (type == SSL3_RT_HANDSHAKE) self.in_message_ = size;
  if (type != SSL3_RT_HEADER || size != SSL3_RT_HEADER_LENGTH) return;
  const auto* head = static_cast<const unsigned char*>(bytes);
  const std::size_t data = std::size_t{head[3]} << 8 | head[4];
  self.in_records_ += data;
  self.size_ += SSL3_RT_HEADER_LENGTH + data;
}

ClientHello::Verdict ClientHello::feed(std::string_view bytes) {
  if (verdict_ != Verdict::More || bytes.empty()) return verdict_;
  // OpenSSL would also accept SSLv2's framing, and warnings before the hello.
  if (fed_ == 0 && bytes[0] != SSL3_RT_HANDSHAKE) return end(Verdict::Garbage, "does not begin with a TLS handshake");
  bytes = bytes.substr(0, kMaxHelloBytes - fed_);
  fed_ += bytes.size();
  ERR_clear_error();
  if (BIO_write(SSL_get_rbio(ssl_.get()), bytes.data(), static_cast<int>(bytes.size())) !=
      static_cast<int>(bytes.size()))
    return end(Verdict::Garbage, "cannot be read: no memory");
  const int result = SSL_do_handshake(ssl_.get());
  if (verdict_ != Verdict::More) return end(verdict_, std::move(why_));
  if (SSL_get_error(ssl_.get(), result) != SSL_ERROR_WANT_READ) {
    const char* reason = ERR_reason_error_string(ERR_peek_error());
    return end(Verdict::Garbage,
               "is not a TLS ClientHello (" + std::string(reason != nullptr ? reason : "unknown") + ")");
  }
  if (fed_ == kMaxHelloBytes)
    return end(Verdict::Garbage, "is longer than " + std::to_string(kMaxHelloBytes >> 10) + " KiB");
  return verdict_;
}

bool warm_up() {
  OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  const std::unique_ptr<SSL, decltype(&SSL_free)> client(context ? SSL_new(context.get()) : nullptr, SSL_free);
  BIO* said = BIO_new(BIO_s_mem());
  if (!client || said == nullptr) {
    BIO_free(said);
    return false;
  }
  SSL_set_bio(client.get(), BIO_new(BIO_s_null()), said);
  SSL_set_tlsext_host_name(client.get(), "name.example");
  (void)SSL_connect(client.get());  // sends its hello and gets no answer
  ERR_clear_error();
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(said, &bytes);
  ClientHello hello;
  return size > 0 && hello.feed({bytes, static_cast<std::size_t>(size)}) == ClientHello::Verdict::Whole;
}

}  // namespace band::gateway
