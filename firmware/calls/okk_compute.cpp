// SPDX-License-Identifier: Apache-2.0
// The functions by which kernels report their computing and announce lists of commands.
#include <string>
#include <string_view>

#include "firmware/calls/api_call.h"
#include "firmware/calls/argument_fault.h"
#include "firmware/okk_access.h"

namespace okksim::firmware {
namespace {

isa::ComputeKind kind_of(okk_operation_t kind) {
    switch (kind) {
        case OKK_INTEGER_OPERATIONS: return isa::ComputeKind::kInteger;
        case OKK_FLOAT_OPERATIONS: return isa::ComputeKind::kSoftFloat;
    }
    throw_argument_fault(FaultCode::kBadArgument, "kind", std::to_string(static_cast<int>(kind)),
                         "there are two kinds of operations",
                         "pass OKK_INTEGER_OPERATIONS or OKK_FLOAT_OPERATIONS");
}

isa::Computation checked(std::string_view what, okk_operation_t kind, std::uint64_t operations) {
    if (what.empty()) {
        throw_argument_fault(FaultCode::kBadArgument, "what", "NULL or empty", "a name is required",
                             "name the kernel's computation");
    }
    if (operations > isa::Computation::kMost) {
        throw_argument_fault(FaultCode::kBadArgument, "operations", std::to_string(operations),
                             "at most " + std::to_string(isa::Computation::kMost) + " per call",
                             "call once per part of the work");
    }
    return {what, kind_of(kind), operations};
}

/// The text, read before the runtime is entered: a wild pointer is the kernel's fault.
std::string_view name_of(const char* what) { return what == nullptr ? std::string_view() : what; }

}  // namespace
}  // namespace okksim::firmware

using namespace okksim::firmware;

extern "C" {

void okk_compute(const char* what, okk_operation_t kind, unsigned long long operations) {
    Context& context = enter_api_call(__func__, __builtin_frame_address(0));
    const std::string_view name = name_of(what);
    run_api_call(context, [&] { context.compute(checked(name, kind, operations)); });
}

void okk_compute_per_command(const char* what, okk_operation_t kind,
                             unsigned long long operations) {
    Context& context = enter_api_call(__func__, __builtin_frame_address(0));
    const std::string_view name = name_of(what);
    run_api_call(context, [&] { context.compute_per_command(checked(name, kind, operations)); });
}

void okk_list_start(void) {
    Context& context = enter_api_call(__func__, __builtin_frame_address(0));
    run_api_call(context, [&] { context.list_start(); });
}

void okk_list_end(void) {
    Context& context = enter_api_call(__func__, __builtin_frame_address(0));
    run_api_call(context, [&] { context.list_end(); });
}

}  // extern "C"
