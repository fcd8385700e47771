// Returns memory of the heap (malloc(3)) to the kernel. Without these functions, glibc keeps freed memory of large
// requests in the heaps of the threads that have served them.
#pragma once

namespace band::base {

// From now on a block of 8 MiB or more gets pages of its own, and free(3) returns them to the kernel immediately. glibc
// would raise this limit up to 32 MiB (M_MMAP_THRESHOLD in mallopt(3)). The server has huge pages for blocks of 8 MiB
// or more (server/wiping_heap.cc), so new pages cost little. Call it before other threads exist.
void return_large_blocks();

// Returns the free pages of all heaps to the kernel (malloc_trim(3)). Needs milliseconds for each 100 MiB. Threads
// that allocate may wait for it.
void trim_heap();

}  // namespace band::base
