// SPDX-License-Identifier: Apache-2.0
// The functions that give pointers for the control processor's own loads and stores.
#include <string>

#include "firmware/calls/api_call.h"
#include "firmware/calls/argument_fault.h"
#include "firmware/okk.h"
#include "firmware/okk_access.h"
#include "firmware/watch/kernel_checks.h"
#include "isa/base/hex.h"

namespace okksim::firmware {
namespace {

/// Runs a function that returns a pointer. The body returns nullptr when `value` is outside of the
/// memory.
template <typename Body>
[[gnu::always_inline]] inline unsigned char* pointer(const char* function, std::uint64_t value,
                                                     const char* rule, const Body& body) {
    Context& context = enter_api_call(function, __builtin_frame_address(0));
    return run_api_call(context, [&]() -> unsigned char* {
        context.port().charge(isa::FirmwareCall::kPointer);
        void* const host = body(context);
        if (host == nullptr) {
            throw_argument_fault(FaultCode::kBadAddress, "addr", isa::hex(value), rule,
                                 "pass an address inside the memory");
        }
        return static_cast<unsigned char*>(host);
    });
}

/// Returns a pointer to [address, address + bytes) in one memory, after the time that the access
/// takes.
void* touch(Context& context, std::uint64_t address, std::uint64_t bytes, isa::AccessKind kind) {
    if (context.checks() != nullptr) context.checks()->pointer_to(address, bytes, kind);
    context.port().access({isa::SystemAddr::from(address), bytes, kind});
    return context.port().system_bytes(address, bytes);
}

/// A program that asks for a pointer loads at least one byte at that address.
void* load_there(Context& context, std::uint64_t address, const isa::MemoryRegion& memory) {
    if (!memory.holds(address)) return nullptr;
    if (!context.port().shows_memory(address)) {
        throw_argument_fault(FaultCode::kUnsupported, "addr", isa::hex(address),
                             "a pointer without size and direction needs direct access (DMI) to "
                             "memory outside the chip",
                             "use okk_load_addr() or okk_store_addr(), or bind a memory that "
                             "grants direct access");
    }
    touch(context, address, 1, isa::AccessKind::kLoad);
    return context.port().system_pointer(address);
}

/// Returns a pointer to bytes whose use the kernel announces.
[[gnu::always_inline]] inline unsigned char* announced(const char* function, std::uint64_t address,
                                                       std::uint64_t bytes, isa::AccessKind kind) {
    return pointer(
        function, address,
        "addr to addr + bytes, at least 1, must be inside global memory, L2-SRAM or DTCM",
        [&](Context& context) -> void* {
            if (!context.machine().in_one_memory(address, bytes)) return nullptr;
            return touch(context, address, bytes, kind);
        });
}

}  // namespace
}  // namespace okksim::firmware

using namespace okksim::firmware;
using okksim::isa::AccessKind;

extern "C" {

unsigned char* okk_global_mem_addr(unsigned long long addr) {
    return pointer(__func__, addr, "the address must be in global memory",
                   [&](Context& context) -> void* {
                       return load_there(context, addr, context.machine().global());
                   });
}

unsigned char* okk_local_mem_addr(unsigned int npu, unsigned int addr) {
    return pointer(
        __func__, addr,
        "npu must be below okk_npu_num() and addr below "
        "okk_local_mem_size_per_npu()",
        [&](Context& context) -> void* {
            const auto& machine = context.machine();
            if (npu >= static_cast<unsigned int>(machine.lanes) || addr >= machine.local_bytes) {
                return nullptr;
            }
            const auto first = static_cast<std::uint64_t>(machine.local_bytes) * npu;
            const okksim::isa::LocalAddr place{static_cast<std::uint32_t>(first + addr)};
            if (context.checks() != nullptr) context.checks()->pointer_to(place);
            return context.port().local_pointer(place);
        });
}

unsigned char* okk_l2_sram_addr(unsigned int addr) {
    return pointer(__func__, addr, "the address must be in L2-SRAM",
                   [&](Context& context) -> void* {
                       return load_there(context, addr, context.machine().l2());
                   });
}

unsigned char* okk_dtcm_addr(unsigned int addr) {
    return pointer(__func__, addr, "the address must be in DTCM", [&](Context& context) -> void* {
        return load_there(context, addr, context.machine().dtcm());
    });
}

const unsigned char* okk_load_addr(system_addr_t addr, unsigned long long bytes) {
    return announced(__func__, addr, bytes, AccessKind::kLoad);
}

unsigned char* okk_store_addr(system_addr_t addr, unsigned long long bytes) {
    return announced(__func__, addr, bytes, AccessKind::kStore);
}

}  // extern "C"
