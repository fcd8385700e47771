#include "server/floor/sources.h"

#include <openssl/evp.h>

#include <algorithm>
#include <cstdint>

namespace band::floor {

std::string signature_of(const struct stat& info) {
  return std::to_string(info.st_size) + "," + std::to_string(info.st_ctim.tv_sec) + "." +
         std::to_string(info.st_ctim.tv_nsec) + "," + std::to_string(info.st_dev) + ":" + std::to_string(info.st_ino);
}

std::string signature_of(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? signature_of(info) : "-";
}

bool are_current(const std::vector<Source>& sources) {
  return std::all_of(sources.begin(), sources.end(),
                     [](const Source& source) { return signature_of(source.path) == source.signature; });
}

Digest::Digest() : context_(::EVP_MD_CTX_new()) {
  ::EVP_DigestInit_ex(static_cast<EVP_MD_CTX*>(context_), ::EVP_sha256(), nullptr);
}

Digest::~Digest() { ::EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(context_)); }

void Digest::add(std::string_view part) {
  const std::uint64_t size = part.size();
  ::EVP_DigestUpdate(static_cast<EVP_MD_CTX*>(context_), &size, sizeof size);
  ::EVP_DigestUpdate(static_cast<EVP_MD_CTX*>(context_), part.data(), part.size());
}

std::string Digest::hex(int digits) {
  unsigned char bytes[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  ::EVP_DigestFinal_ex(static_cast<EVP_MD_CTX*>(context_), bytes, &size);
  std::string text;
  for (int i = 0; i < digits; ++i) text += "0123456789abcdef"[i % 2 == 0 ? bytes[i / 2] >> 4 : bytes[i / 2] & 15];
  return text;
}

}  // namespace band::floor
