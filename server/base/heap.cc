#include "server/base/heap.h"

#include <malloc.h>

namespace band::base {

// Sanitizers replace the allocator and return an error; the test of the memory does not run with them.
void return_large_blocks() { ::mallopt(M_MMAP_THRESHOLD, 8 << 20); }

void trim_heap() { ::malloc_trim(0); }

}  // namespace band::base
