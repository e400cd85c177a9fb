// SPDX-License-Identifier: Apache-2.0
#include "firmware/launch/kernel_invoker.h"

#include <cstddef>

#include "firmware/launch/host_pages.h"

namespace okksim::firmware {
namespace {

constexpr std::size_t kStackGapBytes = std::size_t{64} << 10;

}  // namespace

void close_page(std::uintptr_t& closed_page, std::uintptr_t page) {
    const std::uintptr_t open = closed_page;
    if (open != 0) protect(open, open + page_bytes(), PROT_READ | PROT_WRITE);
    if (page != 0) protect(page, page + page_bytes(), PROT_NONE);
    closed_page = page;
}

// The work after the call keeps this frame on the stack. A kernel that writes past the end of an
// array reaches the gap before it reaches the simulator's frames. The closed page in the middle of
// the gap stops it.
[[gnu::noinline, gnu::section("okksim_invoker")]] void invoke_kernel(KernelEntry entry,
                                                                     const void* args,
                                                                     std::uintptr_t& closed_page) {
    volatile std::byte gap[kStackGapBytes];
    gap[0] = std::byte{};
    close_page(closed_page, page_of(reinterpret_cast<std::uintptr_t>(gap) + kStackGapBytes / 2));
    entry(args);
    close_page(closed_page, 0);
    gap[kStackGapBytes - 1] = gap[0];
}

const void* kernel_invoker() { return reinterpret_cast<const void*>(&invoke_kernel); }

}  // namespace okksim::firmware
