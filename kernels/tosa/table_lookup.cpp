// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0.1 section 2.5.17: TABLE.
#include <vector>

#include "kernels/constant_values.h"
#include "kernels/pointwise.h"
#include "kernels/prim/table.h"
#include "kernels/violations.h"

namespace okksim::kernels {
namespace {

using tosa::DType;

template <typename Entry>
std::vector<Entry> read_entries(const DeviceTensor& table) {
    const std::vector<std::int64_t> values = all_values(table);
    return {values.begin(), values.end()};
}

/// Neighbouring entries of an int16 table may not be further apart than int16 reaches.
void check_slopes(const OperatorCall& call, const std::vector<std::int16_t>& entries) {
    for (std::size_t i = 0; i + 1 < entries.size(); ++i) {
        const int slope = entries[i + 1] - entries[i];
        if (slope >= INT16_MIN && slope <= INT16_MAX) continue;
        throw_unpredictable(call, "table[" + std::to_string(i + 1) + "]",
                            std::to_string(entries[i + 1]),
                            "slope >= minimum<int16_t> && slope <= maximum<int16_t>");
    }
}

template <typename Table>
void look_up(const OperatorCall& call, const Table& table) {
    run_pointwise({.inputs = {{call.inputs[0]}},
                   .output = call.outputs[0],
                   .planes = Table::kPlanes,
                   .commands = table.commands(),
                   .body = [&](const PointwiseTile& tile) {
                       table.run(tile.output, tile.inputs[0], tile.scratch);
                   }});
}

}  // namespace

/// TABLE: i8 by 256 entries, i16 by 513 entries with interpolation to i32.
void table_kernel(const OperatorCall& call) {
    if (call.inputs[0].type == DType::kI8) {
        look_up(call, prim::ByteTable(read_entries<std::int8_t>(call.inputs[1])));
        return;
    }
    const auto entries = read_entries<std::int16_t>(call.inputs[1]);
    check_slopes(call, entries);
    look_up(call, prim::InterpolatedTable(entries));
}

}  // namespace okksim::kernels
