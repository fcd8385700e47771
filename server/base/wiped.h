// Wipes memory that may have held a secret: these functions on the stack, wiping_heap.cc on the heap.
#pragma once

#include <string.h>

#include <cstddef>

namespace band::base {

template <std::size_t N>
struct Wiped {
  char bytes[N];

  Wiped() {}  // not zeroed: it is written before it is read
  Wiped(const Wiped&) = delete;
  Wiped& operator=(const Wiped&) = delete;
  ~Wiped() { ::explicit_bzero(bytes, N); }
};

// Wipes the remains of returned functions on this thread's stack: short strings are stored in their objects, not on the
// heap. 256 KiB: parsing a request uses at most 50 KiB.
[[gnu::noinline]] inline void wipe_stack() { const Wiped<256 << 10> all; }

}  // namespace band::base
