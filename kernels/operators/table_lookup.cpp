// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0.1 section 2.5.17: TABLE.
#include <functional>
#include <vector>

#include "kernels/call/constant_values.h"
#include "kernels/call/violations.h"
#include "kernels/pointwise/pointwise_planner.h"
#include "kernels/pointwise/pointwise_run.h"
#include "kernels/prim/table.h"

namespace okksim::kernels {
namespace {

using tosa::DType;

/// Checks that the difference of neighbouring entries of an int16 table fits int16.
void check_slopes(const OperatorCall& call, const std::vector<std::int64_t>& entries) {
    for (std::size_t i = 0; i + 1 < entries.size(); ++i) {
        const std::int64_t slope = entries[i + 1] - entries[i];
        if (slope >= INT16_MIN && slope <= INT16_MAX) continue;
        throw_unpredictable(call, "table[" + std::to_string(i + 1) + "]",
                            std::to_string(entries[i + 1]),
                            "slope >= minimum<int16_t> && slope <= maximum<int16_t>");
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

template <typename Table>
PointwiseOperator look_up(const OperatorCall& call, const Table& table) {
    return {.inputs = {{call.inputs[0]}},
            .output = call.outputs[0],
            .planes = Table::kPlanes,
            .body = [&table](const PointwiseTile& tile) {
                table.run(tile.output, tile.inputs[0], tile.scratch);
            }};
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

using CheckEntries = std::function<void(const std::vector<std::int64_t>&)>;

template <typename Table>
void run_table(const OperatorCall& call, const CheckEntries& check) {
    using Decision = PointwiseDecision<Table>;
    const DeviceTensor& entries = call.inputs[1];
    const Decision& decision = call.decisions->take("tiles", [&](Host& host) {
        Decision planned;
        if (has_native_table(call, lanes_of(host.machine()))) {
            if (const auto values = host.values(entries)) check(*values);
            planned.plan = plan_pointwise(look_up_natively<Table>(call), host);
            return planned;
        }
        if (const auto values = host.values(entries)) {
            check(*values);
            planned.known = table_of<Table>(*values);
        }
        const Table table = planned.known ? *planned.known : longest_table<Table>(entries.count());
        planned.plan = plan_pointwise(look_up(call, table), host);
        return planned;
    });
    if (decision.known) {
        run_pointwise(look_up(call, *decision.known), decision.plan);
        return;
    }
    const bool is_native = has_native_table(call, decision.plan.lanes);
    if (is_native && entries.constant) {
        run_pointwise(look_up_natively<Table>(call), decision.plan);
        return;
    }
    const std::vector<std::int64_t> values = all_values(entries);
    check(values);
    if (is_native) {
        run_pointwise(look_up_natively<Table>(call), decision.plan);
        return;
    }
    const Table table = table_of<Table>(values);
    run_pointwise(look_up(call, table), decision.plan);
}

}  // namespace

/// TABLE: i8 by 256 entries, i16 by 513 entries with interpolation to i32.
void table_kernel(const OperatorCall& call) {
    if (call.inputs[0].type == DType::kI8) {
        run_table<prim::ByteTable>(call, [](const std::vector<std::int64_t>&) {});
    } else {
        run_table<prim::InterpolatedTable>(
            call, [&](const std::vector<std::int64_t>& values) { check_slopes(call, values); });
    }
}

}  // namespace okksim::kernels
