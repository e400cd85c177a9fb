// SPDX-License-Identifier: Apache-2.0
// Replaces the operators of the C++ library, which would call free() on a broken heap. A program
// with its own operator delete uses that one instead.
#include <cstddef>
#include <cstdlib>

#include "firmware/guard/broken_heap.h"

#if !defined(__SANITIZE_ADDRESS__)
void operator delete(void* block) noexcept {
    if (!okksim::firmware::broken_heap::keeps_all()) std::free(block);
}
void operator delete[](void* block) noexcept { operator delete(block); }
void operator delete(void* block, std::size_t) noexcept { operator delete(block); }
void operator delete[](void* block, std::size_t) noexcept { operator delete(block); }
#endif
