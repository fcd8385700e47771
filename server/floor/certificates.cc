#include "server/floor/certificates.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <cerrno>
#include <memory>

#include "server/base/io.h"
#include "server/floor/trusted_path.h"

namespace band::floor {
namespace {

constexpr const char* kLayer = "floor";
constexpr const char* kHint =
    "set `gateway.extra_ca` in server.yaml to a PEM file that root owns and that contains certificates";
constexpr const char* kPlaceHint =
    "put the file where only root can write and every user can read, for example at /etc/band/company.pem, and name it "
    "in `gateway.extra_ca` of server.yaml";
constexpr std::size_t kMaxBytes = 4u << 20;  // Debian's bundle has 220 KB

using Bio = std::unique_ptr<BIO, decltype(&BIO_free_all)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

// Parses each certificate of the text and encodes it again as PEM.
std::string certificates_in(const std::string& text) {
  const Bio in(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free_all);
  const Bio out(BIO_new(BIO_s_mem()), BIO_free_all);
  while (const Certificate one{PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr), X509_free})
    PEM_write_bio_X509(out.get(), one.get());
  ERR_clear_error();  // the end of the file is an error, too
  char* data = nullptr;
  const long size = BIO_get_mem_data(out.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

Result<std::string> read_extra(const std::string& path) {
  const auto at = follow_trusted(path);
  if (!at.ok())
    return layer_error(kLayer, "cannot use gateway.extra_ca " + path + ": " + at.error().doing, at.error().err,
                       kPlaceHint);
  const auto text = base::read_file(at->real, kMaxBytes);
  if (!text.ok()) return layer_error(kLayer, "cannot read gateway.extra_ca " + path, text.error().err, kHint);
  std::string certificates = certificates_in(*text);
  if (certificates.empty())
    return layer_error(kLayer, "cannot find a certificate in gateway.extra_ca " + path, 0, kHint);
  return certificates;
}

}  // namespace

Result<Certificates> read_certificates(const std::string& extra_ca) {
  Certificates certificates;
  auto machine = base::read_file(kMachineBundle, kMaxBytes);
  if (!machine.ok() && machine.error().err != ENOENT) return machine.error();
  if (machine.ok()) certificates.bundle = std::move(machine).value();
  if (extra_ca.empty()) return certificates;
  BAND_TRY(certificates.extra, read_extra(extra_ca));
  if (!certificates.bundle.empty() && certificates.bundle.back() != '\n') certificates.bundle += '\n';
  certificates.bundle += certificates.extra;
  return certificates;
}

}  // namespace band::floor
