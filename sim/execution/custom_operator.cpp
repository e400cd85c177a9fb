// SPDX-License-Identifier: Apache-2.0
#include "sim/execution/custom_operator.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "firmware/launch/kernel_registry.h"
#include "firmware/leave/kernel_runner.h"
#include "firmware/okk.h"
#include "firmware/okk_custom.h"
#include "isa/base/errors.h"
#include "isa/base/fault.h"

namespace okksim::sim::execution {
namespace {

using kernels::DeviceTensor;

static_assert(OKK_CUSTOM_MAX_RANK == kernels::kMaxRank);
static_assert(OKK_CUSTOM_BOOL == static_cast<int>(tosa::DType::kBool));
static_assert(OKK_CUSTOM_FP32 == static_cast<int>(tosa::DType::kFp32));
static_assert(OKK_CUSTOM_FP8E5M2 == static_cast<int>(tosa::DType::kFp8E5M2));

template <typename T>
void append(std::vector<std::byte>& block, const T& value) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    block.insert(block.end(), bytes, bytes + sizeof value);
}

okk_custom_tensor_t describe(const DeviceTensor& tensor) {
    OKKSIM_CHECK(kernels::is_row_major(tensor));
    okk_custom_tensor_t description{};
    description.addr = tensor.address;
    description.type = static_cast<int>(tensor.type);
    description.rank = tensor.rank;
    std::fill(std::begin(description.dims), std::end(description.dims), 1);
    std::copy_n(tensor.dims.begin(), tensor.rank, description.dims);
    return description;
}

std::vector<std::byte> argument_block(const kernels::OperatorCall& call,
                                      const std::vector<std::uint8_t>& attributes) {
    std::vector<std::byte> block;
    append(block, okk_custom_args_t{static_cast<int>(call.inputs.size()),
                                    static_cast<int>(call.outputs.size()),
                                    static_cast<unsigned int>(attributes.size()), 0});
    for (const DeviceTensor& input : call.inputs) append(block, describe(input));
    for (const DeviceTensor& output : call.outputs) append(block, describe(output));
    const auto bytes = std::as_bytes(std::span(attributes));
    block.insert(block.end(), bytes.begin(), bytes.end());
    // The kernel's copy ends at the end of a page: whole words keep its structs aligned.
    block.resize((block.size() + 7) / 8 * 8);
    return block;
}

[[noreturn]] void throw_unknown_domain(const tosa::CustomAttributes& attributes) {
    throw ProgramFault({.code = FaultCode::kUnsupported,
                        .function = "CUSTOM",
                        .argument = "domain_name of " + attributes.operator_name,
                        .value = attributes.domain_name,
                        .rule = "custom operators of the domain \"" OKK_CUSTOM_DOMAIN
                                "\" run kernels; okksim knows no other domain",
                        .advice = "write the operator as a kernel (okk_custom.h) and set its "
                                  "domain_name",
                        .unit = "graph",
                        .call_stack = {}});
}

}  // namespace

bool runs_custom_operator(const tosa::CustomAttributes& attributes) {
    return attributes.domain_name == OKK_CUSTOM_DOMAIN;
}

void run_custom_operator(const kernels::OperatorCall& call) {
    const auto& attributes = call.attributes_as<tosa::CustomAttributes>();
    if (!runs_custom_operator(attributes)) throw_unknown_domain(attributes);
    const firmware::KernelEntry entry =
        firmware::KernelRegistry::instance().find(attributes.operator_name);
    firmware::Context* context = firmware::Context::current();
    OKKSIM_CHECK(context != nullptr);
    const std::vector<std::byte> block = argument_block(call, attributes.implementation_attrs);
    if (const auto fault = firmware::call_inner_kernel(*context, entry, block)) {
        throw ProgramFault(*fault);
    }
    if (okk_is_parallel_state()) okk_parallel_end();
}

}  // namespace okksim::sim::execution
