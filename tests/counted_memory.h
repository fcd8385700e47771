// How much memory a test's program holds: counted, allocation by allocation, by an operator new that this header
// defines. One file of a program may include it. Not under AddressSanitizer, whose malloc is another one: such a test
// is named *_memory_test (tests/pure/CMakeLists.txt).
#pragma once

#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace band::test {

inline std::size_t held_memory = 0, most_memory = 0;  // bytes: now, and since the last peak_of() began

// The most that `act` holds at a time, over what was held before.
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
