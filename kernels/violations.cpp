// SPDX-License-Identifier: Apache-2.0
#include "kernels/violations.h"

#include <cstring>

#include "firmware/okk_access.h"
#include "isa/fault.h"
#include "isa/limits.h"
#include "kernels/prim/magic.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels {
namespace {

/// Words of a row of the plane.
constexpr int kRow = prim::kRowWords;
/// To read and judge what a lane found.
constexpr std::uint64_t kInstructionsPerLane = 12;

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
    while (count > isa::kMostWindowExtent) {
        const int half = count / 2;
        const prim::LocalTensor kept = rows(plane, 0, half);
        prim::raw::bit_or(kept, kept, rows(plane, count - half, half));
        count -= half;
    }
    // Sign bits become a small positive number; the largest of every column, then
    // of every lane says it all.
    const prim::LocalTensor flags = rows(plane, 0, count);
    prim::raw::bit_and(flags, flags, prim::kSignBit);
    prim::raw::shift_right_logical(flags, flags, 2);
    okk_bdc_max_pool2d(0, plane, &flags.shape, count, 1, nullptr, nullptr);
    const dim4 row{1, okk_npu_num(), 1, kRow};
    okk_bdc_max_pool2d(plane, 0, &row, 1, kRow, nullptr, nullptr);
    okk_poll();
    const auto lanes = static_cast<unsigned>(okk_npu_num());
    okk_compute("violations", OKK_INTEGER_OPERATIONS, kInstructionsPerLane * lanes);
    for (unsigned lane = 0; lane < lanes; ++lane) {
        std::uint32_t flag = 0;
        std::memcpy(&flag, okk_local_mem_addr(lane, plane), sizeof flag);
        if (flag != 0) return true;
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
