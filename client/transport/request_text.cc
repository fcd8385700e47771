#include "client/transport/request_text.h"

#include <openssl/crypto.h>

namespace band::client {

RequestText::~RequestText() { OPENSSL_cleanse(text_.data(), text_.size()); }

}  // namespace band::client
