// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "firmware/launch/kernel_entry.h"

namespace okksim::firmware {

/// Calls a kernel. This function is the outer end of firmware call stacks. A gap on the stack
/// separates the kernel's frames from those of its callers. One page of the gap is closed to all
/// accesses while the kernel runs, and `closed_page` holds its address.
[[gnu::visibility("hidden")]] void invoke_kernel(KernelEntry entry, const void* args,
                                                 std::uintptr_t& closed_page);

/// The address of invoke_kernel().
const void* kernel_invoker();

/// Opens the page at `closed_page`, closes the one at `page` and stores that address. An address of
/// 0 stands for no page.
void close_page(std::uintptr_t& closed_page, std::uintptr_t page);

/// The linker sets these to the bounds of the section that holds invoke_kernel().
[[gnu::visibility("hidden")]] extern const char invoker_begin[] asm("__start_okksim_invoker");
[[gnu::visibility("hidden")]] extern const char invoker_end[] asm("__stop_okksim_invoker");

/// Returns whether an address is in invoke_kernel().
inline bool is_kernel_invoker(const void* address) {
    const auto* const at = static_cast<const char*>(address);
    return std::less_equal<>()(invoker_begin, at) && std::less<>()(at, invoker_end);
}

}  // namespace okksim::firmware
