// A request's body on its way to the engine: a memfd that nobody can change once it is handed over (memfd_create(2)).
// It is never mapped; its pages go back to the kernel with the last descriptor.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "schemas/result.h"
#include "server/base/fd.h"

namespace band::http {

// Memory for bodies is shared by all connections: 64 callers at 90 MiB each would be 6 GB.
class BodyBudget {
 public:
  explicit BodyBudget(std::uint64_t bytes) : free_(bytes) {}
  bool take(std::uint64_t bytes);
  void give_back(std::uint64_t bytes) { free_ += bytes; }

 private:
  std::atomic<std::uint64_t> free_;
};

class Upload {
 public:
  explicit Upload(BodyBudget& budget) : budget_(&budget) {}
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;
  ~Upload() { budget_->give_back(reserved_); }

  Status open();
  bool reserve(std::uint64_t bytes);  // of the budget, in all; false: none is free
  bool append(std::string_view bytes);
  // Sealed against all changes, offset 0.
  Status seal();

  // The engine has its own descriptor now. The budget stays taken until the Upload ends.
  void close() { fd_.reset(); }

  int fd() const { return fd_.get(); }
  std::uint64_t size() const { return size_; }
  bool full() const { return full_; }  // budget or memory ran out; what was appended is not all there

 private:
  BodyBudget* budget_;
  base::Fd fd_;
  std::uint64_t reserved_ = 0, size_ = 0;
  bool full_ = false;
};

}  // namespace band::http
