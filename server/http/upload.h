// Stores a request's body for the engine in a memfd that is sealed before it is sent (memfd_create(2)). It is never
// mapped; the kernel frees its pages with the last descriptor.
#pragma once

#include <cstdint>
#include <string_view>

#include "schemas/core/result.h"
#include "server/base/fd.h"
#include "server/http/connections.h"

namespace band::http {

class Upload {
 public:
  // The body's bytes are charged to `connection` until the Upload is destroyed.
  Upload(Connections& connections, const Connection& connection)
      : connections_(&connections), connection_(&connection) {}
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;
  ~Upload() { connections_->discharge(*connection_); }

  // Charges a first page, so that a body is refused before the client sends it when no memory is left; full() is then
  // true.
  Status open();
  bool append(std::string_view bytes);
  // Seals the memfd against all changes and sets its offset to 0.
  Status seal();

  // Closes the descriptor; the engine has its own. The memory stays charged until the Upload is destroyed.
  void close() { fd_.reset(); }

  int fd() const { return fd_.get(); }
  std::uint64_t size() const { return size_; }
  bool full() const { return full_; }  // there was no memory for it; the appended bytes are incomplete

 private:
  Connections* connections_;
  const Connection* connection_;
  base::Fd fd_;
  std::uint64_t charged_ = 0, size_ = 0;
  bool full_ = false;
};

}  // namespace band::http
