// Wipes memory on the stack that may have held a secret. server/wiping_heap.cc wipes memory of the heap.
#pragma once

#include <string.h>

#include <cstddef>

namespace band::base {

// A buffer that is wiped by its destructor.
template <std::size_t N>
struct Wiped {
  char bytes[N];
  std::size_t written = N;  // how many bytes the destructor wipes, from the first; at most N

  Wiped() {}  // does not zero `bytes`, because they are written before they are read
  Wiped(const Wiped&) = delete;
  Wiped& operator=(const Wiped&) = delete;
  ~Wiped() { ::explicit_bzero(bytes, written); }
};

// Wipes 128 KiB of this thread's stack below the calling function, where functions that have returned may have left
// secrets: a std::string stores a short text in the object itself, and the object can be on the stack. 128 KiB are
// sufficient, because parsing a request uses at most 50 KiB of the stack.
[[gnu::noinline]] inline void wipe_stack() { const Wiped<128 << 10> all; }

}  // namespace band::base
