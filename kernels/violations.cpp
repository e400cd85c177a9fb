// SPDX-License-Identifier: Apache-2.0
#include "kernels/violations.h"

#include <cstring>

#include "isa/fault.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels {
namespace {

/// Words of a row of the plane; rows fold onto one another.
constexpr int kRow = 32;

prim::LocalTensor rows(local_addr_t plane, int first, int count) {
    const auto offset = static_cast<local_addr_t>(4 * kRow * first);
    return {plane + offset, dim4{1, okk_npu_num(), count, kRow}, std::nullopt};
}

}  // namespace

void clear_violations(local_addr_t plane, int words) {
    prim::raw::fill(rows(plane, 0, words / kRow), std::uint32_t{0});
}

bool any_violation(local_addr_t plane, int words) {
    int count = words / kRow;
    while (count > 1) {
        const int half = count / 2;
        const prim::LocalTensor kept = rows(plane, 0, half);
        prim::raw::bit_or(kept, kept, rows(plane, count - half, half));
        count -= half;
    }
    okk_poll();
    const auto offset = plane % okk_local_mem_size_per_npu();
    for (int lane = 0; lane < okk_npu_num(); ++lane) {
        std::uint32_t row[kRow];
        std::memcpy(row, okk_local_mem_addr(static_cast<unsigned>(lane), offset), sizeof row);
        for (const std::uint32_t word : row) {
            if (word != 0) return true;
        }
    }
    return false;
}

void throw_unpredictable(const OperatorCall& call, const std::string& argument,
                         const std::string& value, const std::string& rule) {
    throw ProgramFault({.code = FaultCode::kUnpredictable,
                        .function = std::string(tosa::op_name(call.op)),
                        .argument = argument,
                        .value = value,
                        .rule = "REQUIRE(" + rule + "), TOSA 1.0.1 section " +
                                std::string(tosa::op_section(call.op)),
                        .advice = "the result is unpredictable: change the graph or its data",
                        .unit = "graph",
                        .call_stack = {}});
}

}  // namespace okksim::kernels
