// Counts the memory that a test program has allocated, with an operator new that this header defines. Only one file of
// a program may include it. It does not work with AddressSanitizer, which replaces malloc: a test that uses it is named
// *_memory_test (tests/pure/CMakeLists.txt).
#pragma once

#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace band::test {

// In bytes: now; the maximum since the start of the last peak_of().
inline std::size_t held_memory = 0, most_memory = 0;

// Returns how many bytes `act` held at most at one time, without the bytes that were held before.
std::size_t peak_of(const auto& act) {
  const std::size_t before = most_memory = held_memory;
  act();
  return most_memory - before;
}

}  // namespace band::test

void* operator new(std::size_t size) {
  using namespace band::test;
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  held_memory += ::malloc_usable_size(memory);
  most_memory = std::max(most_memory, held_memory);
  return memory;
}
void operator delete(void* memory) noexcept {
  if (memory != nullptr) band::test::held_memory -= ::malloc_usable_size(memory);
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
