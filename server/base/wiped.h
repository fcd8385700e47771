// Memory for bytes that may hold a secret, wiped when it goes: on the stack with these, on the heap by wiping_heap.cc.
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

// What the functions that have returned left on this thread's stack: short strings lie in their objects, not on the
// heap. 256 KiB: a request is parsed within 50.
[[gnu::noinline]] inline void wipe_stack() { const Wiped<256 << 10> all; }

}  // namespace band::base
