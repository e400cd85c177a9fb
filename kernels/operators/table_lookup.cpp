// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0.1 section 2.5.17: TABLE.
#include <string>
#include <vector>

#include "kernels/call/constant_values.h"
#include "kernels/call/violations.h"
#include "kernels/pointwise/pointwise_planner.h"
#include "kernels/pointwise/pointwise_run.h"
#include "kernels/prim/raw.h"
#include "kernels/prim/table.h"

namespace okksim::kernels {
namespace {

using tosa::DType;

[[noreturn]] void throw_steep(const OperatorCall& call, const std::string& value) {
    throw_unpredictable(call, "input1", value,
                        "slope >= minimum<int16_t> && slope <= maximum<int16_t>");
}

/// The condition is about the entries that an input meets (1.12.5). The control processor reads the
/// inputs: the plan was made before the table was known, and has no plane for violations.
void check_inputs(const OperatorCall& call, const std::vector<std::int64_t>& entries) {
    constexpr std::int64_t kStep = 128;
    for (const std::int64_t value : all_values(call.inputs[0])) {
        const auto index = static_cast<std::size_t>((value - INT16_MIN) / kStep);
        const std::int64_t slope = entries[index + 1] - entries[index];
        if (slope < INT16_MIN || slope > INT16_MAX) throw_steep(call, std::to_string(value));
    }
}

template <typename Table>
Table table_of(const std::vector<std::int64_t>& values) {
    const std::vector<typename Table::Entry> entries(values.begin(), values.end());
    return Table(entries);
}

/// A table with the most different words.
template <typename Table>
Table longest_table(std::int64_t entries) {
    std::vector<std::int64_t> values;
    for (std::int64_t i = 0; i < entries; ++i) values.push_back(i * (i + 1) / 8 % 100);
    return table_of<Table>(values);
}

bool is_steep(const prim::ByteTable&) { return false; }
bool is_steep(const prim::InterpolatedTable& table) { return table.has_steep_slope(); }

void look_up_checked(const prim::ByteTable&, const PointwiseTile&) {}
/// Looks up, and marks the elements that meet a steep slope.
void look_up_checked(const prim::InterpolatedTable& table, const PointwiseTile& tile) {
    if (tile.violations != nullptr) {
        prim::Scratch::Frame frame(tile.scratch);
        const prim::LocalTensor hit = frame.plane(tile.output.shape);
        table.find_steep(hit, tile.inputs[0], tile.scratch);
        prim::raw::bit_or(*tile.violations, *tile.violations, hit);
    }
    table.run(tile.output, tile.inputs[0], tile.scratch);
}

template <typename Table>
PointwiseOperator look_up(const OperatorCall& call, const Table& table) {
    PointwiseOperator op{.inputs = {{call.inputs[0]}},
                         .output = call.outputs[0],
                         .planes = Table::kPlanes,
                         .body = [&table](const PointwiseTile& tile) {
                             table.run(tile.output, tile.inputs[0], tile.scratch);
                         }};
    if (is_steep(table)) {
        op.checks = true;
        op.body = [&table](const PointwiseTile& tile) { look_up_checked(table, tile); };
    }
    return op;
}

/// The operator with a native lookup command.
template <typename Table>
PointwiseOperator look_up_natively(const OperatorCall& call) {
    return {.inputs = {{call.inputs[0]}},
            .output = call.outputs[0],
            .table = call.inputs[1],
            .body = [](const PointwiseTile& tile) {
                Table::look_up(tile.output, tile.inputs[0], tile.table);
            }};
}

/// True if entries are contiguous, as a copy to the lanes requires.
bool has_native_table(const OperatorCall& call, const Lanes& lanes) {
    const DeviceTensor& entries = call.inputs[1];
    return lanes.has(isa::Feature::kLookup) && entries.rank == 1 && entries.strides[0] == 1;
}

template <typename Table>
PointwiseDecision<Table> plan_table(const OperatorCall& call, Host& host) {
    const DeviceTensor& entries = call.inputs[1];
    const auto values = host.values(entries);
    PointwiseDecision<Table> planned;
    if (values) planned.known = table_of<Table>(*values);
    // The native command does not report steep slopes.
    if (has_native_table(call, lanes_of(host.machine())) &&
        !(planned.known && is_steep(*planned.known))) {
        planned.known.reset();
        planned.plan = plan_pointwise(look_up_natively<Table>(call), host);
        return planned;
    }
    const Table table = planned.known ? *planned.known : longest_table<Table>(entries.count());
    planned.plan = plan_pointwise(look_up(call, table), host);
    return planned;
}

template <typename Table>
void run_table(const OperatorCall& call) {
    const DeviceTensor& entries = call.inputs[1];
    const PointwiseDecision<Table>& decision =
        call.decisions->take("tiles", [&](Host& host) { return plan_table<Table>(call, host); });
    if (decision.known) {
        if (run_pointwise(look_up(call, *decision.known), decision.plan)) {
            throw_steep(call, "some element");
        }
        return;
    }
    const bool is_native = has_native_table(call, decision.plan.lanes);
    if (is_native && entries.constant) {
        run_pointwise(look_up_natively<Table>(call), decision.plan);
        return;
    }
    const std::vector<std::int64_t> values = all_values(entries);
    const Table table = table_of<Table>(values);
    if (is_steep(table)) check_inputs(call, values);
    PointwiseOperator op = is_native ? look_up_natively<Table>(call) : look_up(call, table);
    // The inputs were checked, and the plan has no plane for violations.
    op.checks = false;
    run_pointwise(op, decision.plan);
}

}  // namespace

/// TABLE: i8 by 256 entries, i16 by 513 entries with interpolation to i32.
void table_kernel(const OperatorCall& call) {
    if (call.inputs[0].type == DType::kI8) {
        run_table<prim::ByteTable>(call);
    } else {
        run_table<prim::InterpolatedTable>(call);
    }
}

}  // namespace okksim::kernels
