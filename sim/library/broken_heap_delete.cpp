// SPDX-License-Identifier: Apache-2.0
// In place of those of the C++ library, which call free(), too. A program that has an operator
// delete of its own goes on with that one.
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
