// A request's body on its way to the engine: a memfd that nobody can change once it is handed over (memfd_create(2)).
// It is never mapped; its pages go back to the kernel with the last descriptor.
#pragma once

#include <cstdint>
#include <string_view>

#include "schemas/core/result.h"
#include "server/base/fd.h"
#include "server/http/connections.h"

namespace band::http {

class Upload {
 public:
  // What comes is charged to `connection` until the Upload ends.
  Upload(Connections& connections, const Connection& connection)
      : connections_(&connections), connection_(&connection) {}
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;
  ~Upload() { connections_->discharge(*connection_); }

  // Takes a first page, so that a body for which there is no memory at all is refused before it is sent: full() tells.
  Status open();
  bool append(std::string_view bytes);
  // Sealed against all changes, offset 0.
  Status seal();

  // The engine has its own descriptor now. The memory stays charged until the Upload ends.
  void close() { fd_.reset(); }

  int fd() const { return fd_.get(); }
  std::uint64_t size() const { return size_; }
  bool full() const { return full_; }  // there is no memory for it; what was appended is not all there

 private:
  Connections* connections_;
  const Connection* connection_;
  base::Fd fd_;
  std::uint64_t charged_ = 0, size_ = 0;
  bool full_ = false;
};

}  // namespace band::http
