// SPDX-License-Identifier: Apache-2.0
#include "kernels/rows/row_planner.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "isa/base/errors.h"
#include "isa/layout.h"
#include "isa/limits.h"
#include "kernels/planning/fastest.h"
#include "kernels/planning/local_room.h"
#include "kernels/rows/row_builder.h"
#include "kernels/rows/row_lifetimes.h"
#include "kernels/rows/row_run.h"

namespace okksim::kernels::rows {
namespace {

bool is_reduction(RowFunction function) {
    return function == RowFunction::kSum || function == RowFunction::kLargest ||
           function == RowFunction::kLeast;
}

/// Allocates the values of a plan for tiles of some rows.
class Placement {
 public:
    Placement(const RowProgram& program, const isa::MachineShape& machine, std::int64_t tile_rows)
        : program_(program),
          lanes_(lanes_of(machine)),
          // The search for violations uses the lowest line.
          room_(lanes_.line_bytes(), machine.local_bytes, lanes_.line_bytes()),
          slots_(lanes_.slots(tile_rows)),
          last_(static_cast<int>(program.commands.size())) {
        plan_.program = program;
        plan_.lanes = lanes_;
        plan_.lane_bytes = machine.local_bytes;
        plan_.tile_rows = tile_rows;
    }

    /// Returns nothing if local memory cannot hold the tiles.
    std::optional<RowPlan> run() {
        plan_.places.assign(program_.values.size(), 0);
        plan_.second_place.assign(program_.values.size(), 0);
        place_violations();
        const std::vector<Lifetime> lifetimes = all_lifetimes();
        for (std::size_t v = 0; v < program_.values.size(); ++v) {
            place(v, lifetimes[v]);
        }
        place_scratch();
        if (!fits_) return std::nullopt;
        return std::move(plan_);
    }

 private:
    local_addr_t take(std::int64_t bytes, const Lifetime& lifetime) {
        const std::optional<std::int64_t> place = room_.place(bytes, lifetime.first, lifetime.last);
        fits_ = fits_ && place.has_value();
        return static_cast<local_addr_t>(place.value_or(0));
    }
    local_addr_t take_for_all(std::int64_t bytes) { return take(bytes, {0, last_}); }

    std::int64_t bytes_of(const RowValue& value) const {
        if (value.table_bytes > 0) return lanes_.whole_line_bytes(value.table_bytes);
        std::int64_t slots = has_rows(value.extent) ? slots_ : 1;
        if (value.channels > 0) slots = matrices() * lanes_.slots(value.channels);
        return slots *
               lanes_.whole_line_bytes(columns_of(program_, value) * element_bytes(value.type));
    }

    /// Most matrices that the rows of a tile belong to.
    std::int64_t matrices() const {
        const std::int64_t rows = program_.matrix_rows;
        const bool fits = plan_.tile_rows % rows == 0 || rows % plan_.tile_rows == 0;
        return std::min(isa::div_up(plan_.tile_rows, rows) + (fits ? 0 : 1), program_.rows / rows);
    }

    /// Allocates a plane for violations, as large as the largest checked result.
    void place_violations() {
        RowValue largest{OKK_INT32, RowExtent::kOne};
        for (const RowCommand& command : program_.commands) {
            if (command.check == RowCheck::kNone) continue;
            const RowValue checked{OKK_INT32, checked_extent(program_, command)};
            if (bytes_of(checked) > bytes_of(largest)) largest.extent = checked.extent;
        }
        if (!program_.checks()) return;
        const std::int64_t bytes = bytes_of(largest);
        plan_.violations = take_for_all(bytes);
        plan_.violation_words = static_cast<std::uint32_t>(bytes / isa::kWordBytes);
        plan_.other = take_for_all(bytes);
    }

    void place_scratch() {
        std::int64_t half = 0;
        for (const RowCommand& command : program_.commands) {
            if (!is_reduction(command.function)) continue;
            const auto operand = static_cast<std::size_t>(command.operands[0]);
            half = std::max(half, bytes_of(program_.values[operand]));
        }
        if (half > 0) plan_.half = take_for_all(half);
    }

    std::vector<Lifetime> all_lifetimes() const {
        std::vector<Lifetime> lifetimes = lifetimes_of(program_);
        const auto result = static_cast<std::size_t>(program_.commands.back().result);
        lifetimes[result].last = last_;
        for (std::size_t v = 0; v < program_.values.size(); ++v) {
            // Loads of the next tile and stores of the previous one overlap the commands. Values
            // without rows stay for all tiles.
            const RowValue& value = program_.values[v];
            if (value.stored || v == result || !has_rows(value.extent)) lifetimes[v] = {0, last_};
        }
        return lifetimes;
    }

    void place(std::size_t v, const Lifetime& lifetime) {
        const RowValue& value = program_.values[v];
        const std::int64_t bytes = bytes_of(value);
        const bool is_result = static_cast<int>(v) == program_.commands.back().result;
        const bool moves = (value.stored && has_rows(value.extent)) || is_result;
        const bool twice = moves && plan_.tiles() > 1;
        plan_.places[v] = take(twice ? 2 * bytes : bytes, lifetime);
        if (twice) plan_.second_place[v] = static_cast<std::uint32_t>(bytes);
    }

    const RowProgram& program_;
    Lanes lanes_;
    LocalRoom room_;
    RowPlan plan_;
    std::int64_t slots_ = 1;
    int last_ = 0;  ///< commands, plus one for the store after them
    bool fits_ = true;
};

}  // namespace

std::vector<RowPlan> row_candidates(const RowProgram& program, const isa::MachineShape& machine) {
    const Lanes lanes = lanes_of(machine);
    const std::int64_t most = isa::kMostChannels / lanes.count * lanes.count;
    constexpr std::int64_t kMostTiles = 32;  ///< tried unless none of them fits
    std::vector<RowPlan> candidates;
    std::int64_t before = 0;
    for (std::int64_t count = 1; candidates.empty() || count <= kMostTiles; count *= 2) {
        const std::int64_t share = isa::div_up(program.rows, count);
        const std::int64_t rows =
            count == 1 ? program.rows : isa::align_up(share, std::int64_t{lanes.count});
        if (before > 0 && rows >= before) break;
        before = rows;
        if (rows > std::max<std::int64_t>(most, lanes.count)) continue;
        std::optional<RowPlan> plan = Placement(program, machine, rows).run();
        if (plan) candidates.push_back(*std::move(plan));
    }
    return candidates;
}

RowPlan plan_rows(const OperatorCall& call, Host& host) {
    const Members members = members_of(call, row_operands(call.op));
    const ReadConstant read = [&](std::size_t member, std::size_t input) {
        return host.values(members[member].inputs[input]);
    };
    const std::optional<RowProgram> program = row_program(members, read, host.machine());
    OKKSIM_CHECK(program && !program->repeats_result);
    return fastest_plan(
        row_candidates(*program, host.machine()), host,
        [&](const RowPlan& plan) -> SteppedFirmware {
            return {plan.tiles(),
                    static_cast<double>(plan.program.rows) / static_cast<double>(plan.tile_rows),
                    [&](std::int64_t most) { run_rows(call, plan, most); }};
        });
}

}  // namespace okksim::kernels::rows
