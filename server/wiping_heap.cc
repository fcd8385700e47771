// Replaces operator new and delete of a program: memory is wiped before it is freed. Linked into the two programs that
// callers' secrets pass through, band-server and band-http.
//
// A secret is in the text of a request, in a parser's tokens, in JSON values, and in the old buffers of strings that
// have grown. Wiping each of them explicitly would fail with the next copy that the code makes; this covers all of
// them.
//
// Does not cover: memory that is not freed, the stack (server/base/wiped.h), memory of C libraries (malloc).
#include <malloc.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

// A request of 10 MB is copied several times, and a page fault for each 4 KiB was 40 % of its cost. A block of this
// size spans four huge pages (2 MiB each) and contains at least three complete ones.
constexpr std::size_t kLarge = 8 << 20;

// Requests huge pages. Where the kernel has none, MADV_HUGEPAGE fails and the block has normal pages.
void prefer_huge_pages(void* memory, std::size_t size) {
  const auto page = static_cast<std::uintptr_t>(::getpagesize());
  const std::uintptr_t before =
      reinterpret_cast<std::uintptr_t>(memory) % page;  // bytes of the first page before this block
  const std::size_t skipped = before == 0 ? 0 : page - before;
  const int err = errno;  // operator new does not change errno
  ::madvise(static_cast<char*>(memory) + skipped, (size - skipped) / page * page, MADV_HUGEPAGE);
  errno = err;
}

void* take(std::size_t size) {
  for (;;) {
    if (void* memory = std::malloc(size == 0 ? 1 : size)) {
      if (size >= kLarge) prefer_huge_pages(memory, size);
      return memory;
    }
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

// Rounds the size up to a multiple of the alignment, as aligned_alloc(3) requires.
void* take_aligned(std::size_t size, std::align_val_t alignment) {
  const auto unit = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(unit, (size + unit) / unit * unit)) return memory;
  throw std::bad_alloc();
}

void wipe_and_free(void* memory) {
  if (memory == nullptr) return;
  ::explicit_bzero(memory, ::malloc_usable_size(memory));
  std::free(memory);
}

template <class Take>
void* or_null(Take take_it) {
  try {
    return take_it();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace

// All of them must be defined: a sanitizer's runtime defines the missing ones, and the two kinds cannot be mixed.
// clang-format off
void* operator new(std::size_t n) { return take(n); }
void* operator new[](std::size_t n) { return take(n); }
void* operator new(std::size_t n, std::align_val_t a) { return take_aligned(n, a); }
void* operator new[](std::size_t n, std::align_val_t a) { return take_aligned(n, a); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return or_null([&] { return take(n); }); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return or_null([&] { return take(n); }); }
void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept { return or_null([&] { return take_aligned(n, a); }); }
void* operator new[](std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept { return or_null([&] { return take_aligned(n, a); }); }
void operator delete(void* p) noexcept { wipe_and_free(p); }
void operator delete[](void* p) noexcept { wipe_and_free(p); }
void operator delete(void* p, std::size_t) noexcept { wipe_and_free(p); }
void operator delete[](void* p, std::size_t) noexcept { wipe_and_free(p); }
void operator delete(void* p, std::align_val_t) noexcept { wipe_and_free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { wipe_and_free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { wipe_and_free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { wipe_and_free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { wipe_and_free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { wipe_and_free(p); }
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept { wipe_and_free(p); }
void operator delete[](void* p, std::align_val_t, const std::nothrow_t&) noexcept { wipe_and_free(p); }
// clang-format on
