// Stores the body of a request in a memfd (memfd_create(2)), which is sealed and then sent to the engine. The memfd is
// never mapped; the kernel frees its pages when the last descriptor is closed.
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

  // Makes the memfd and charges one page to the connection. When the memory limit of Connections is reached, returns
  // success, and full() is true: the caller can then refuse the request before the client sends the body.
  Status open();
  // Returns false when there is no memory for `bytes`; full() is then true.
  bool append(std::string_view bytes);
  // Seals the memfd against all changes and sets its offset to 0.
  Status seal();

  // Closes this process's descriptor; the engine has a descriptor of its own. The memory stays charged until the Upload
  // is destroyed.
  void close() { fd_.reset(); }

  int fd() const { return fd_.get(); }
  std::uint64_t size() const { return size_; }
  bool full() const { return full_; }  // no memory was free: the memfd has only a part of the body

 private:
  Connections* connections_;
  const Connection* connection_;
  base::Fd fd_;
  std::uint64_t charged_ = 0, size_ = 0;
  bool full_ = false;
};

}  // namespace band::http
