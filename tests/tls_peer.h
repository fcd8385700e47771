// A real TLS client or server (OpenSSL) without a socket: the test transports the bytes.
#pragma once

#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace band::test {

class TlsPeer {
 public:
  enum Role { Client, Server };
  // `groups`: groups for the key exchange, e.g. "X25519:P-384". A client sends a key share for the first group.
  explicit TlsPeer(Role role, const char* groups = "X25519:P-256")
      : context_(SSL_CTX_new(role == Client ? TLS_client_method() : TLS_server_method()), SSL_CTX_free) {
    SSL_CTX_set_tlsext_servername_callback(context_.get(), on_name);
    SSL_CTX_set_tlsext_servername_arg(context_.get(), &names_);
    if (role == Server) make_certificate();
    ssl_.reset(SSL_new(context_.get()));
    SSL_set1_groups_list(ssl_.get(), groups);
    SSL_set_bio(ssl_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    role == Client ? SSL_set_connect_state(ssl_.get()) : SSL_set_accept_state(ssl_.get());
  }

  SSL* ssl() const { return ssl_.get(); }
  void ask_for(const char* name) { SSL_set_tlsext_host_name(ssl(), name); }
  bool connected() const { return SSL_is_init_finished(ssl()) == 1; }
  // For a server: returns the server names (SNI) of the received ClientHellos.
  const std::vector<std::string>& names() const { return names_; }

  // Processes received bytes and returns the bytes to send.
  std::string process(std::string_view bytes) {
    BIO_write(SSL_get_rbio(ssl()), bytes.data(), static_cast<int>(bytes.size()));
    SSL_do_handshake(ssl());
    BIO* out = SSL_get_wbio(ssl());
    std::string answer(static_cast<std::size_t>(BIO_pending(out)), '\0');
    BIO_read(out, answer.data(), static_cast<int>(answer.size()));
    return answer;
  }
  std::string begin() { return process(""); }

 private:
  static int on_name(SSL* ssl, int*, void* names) {
    const char* name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
    static_cast<std::vector<std::string>*>(names)->emplace_back(name != nullptr ? name : "");
    return SSL_TLSEXT_ERR_OK;
  }

  void make_certificate() {
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
    const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), X509_free);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
    X509_set_pubkey(certificate.get(), key.get());
    X509_sign(certificate.get(), key.get(), EVP_sha256());
    SSL_CTX_use_certificate(context_.get(), certificate.get());
    SSL_CTX_use_PrivateKey(context_.get(), key.get());
  }

  std::vector<std::string> names_;
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
  std::unique_ptr<SSL, decltype(&SSL_free)> ssl_{nullptr, SSL_free};
};

}  // namespace band::test
