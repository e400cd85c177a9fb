// SPDX-License-Identifier: Apache-2.0
#include "kernels/call/violations.h"

#include <cstring>

#include "firmware/okk_access.h"
#include "isa/base/fault.h"
#include "isa/limits.h"
#include "kernels/call/computing.h"
#include "kernels/prim/magic.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels {
namespace {

/// Lines of a plane.
prim::LocalTensor lines(local_addr_t plane, int first, int count, const Lanes& lanes) {
    const auto offset = static_cast<local_addr_t>(lanes.line_bytes() * first);
    return {plane + offset, dim4{1, lanes.count, count, lanes.line_words}, std::nullopt};
}

}  // namespace

void clear_violations(local_addr_t plane, int words, const Lanes& lanes) {
    prim::raw::fill(lines(plane, 0, words / lanes.line_words, lanes), std::uint32_t{0});
}

bool any_violation(local_addr_t plane, int words, const Lanes& lanes) {
    int count = words / lanes.line_words;
    while (count > isa::kMostWindowExtent) {
        const int half = count / 2;
        const prim::LocalTensor kept = lines(plane, 0, half, lanes);
        prim::raw::bit_or(kept, kept, lines(plane, count - half, half, lanes));
        count -= half;
    }
    // Converts sign bits to a small positive number. The maximum of every column, and then of every
    // lane, tells whether there is one.
    const prim::LocalTensor flags = lines(plane, 0, count, lanes);
    prim::raw::bit_and(flags, flags, prim::kSignBit);
    prim::raw::shift_right_logical(flags, flags, 2);
    okk_bdc_max_pool2d(0, plane, &flags.shape, count, 1, nullptr, nullptr);
    const dim4 line{1, lanes.count, 1, lanes.line_words};
    okk_bdc_max_pool2d(plane, 0, &line, 1, lanes.line_words, nullptr, nullptr);
    okk_list_end();  // later commands depend on the run
    okk_poll();
    const auto count_of_lanes = static_cast<unsigned>(lanes.count);
    charge(OwnWork::kViolationOfLane, count_of_lanes);
    for (unsigned lane = 0; lane < count_of_lanes; ++lane) {
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
