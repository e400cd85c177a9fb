// SPDX-License-Identifier: Apache-2.0
#include "kernels/rows/float_row_planner.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "isa/base/errors.h"
#include "isa/limits.h"
#include "kernels/planning/divisors.h"
#include "kernels/planning/fastest.h"
#include "kernels/planning/local_room.h"
#include "kernels/pointwise/float_body.h"
#include "kernels/rows/float_row_builder.h"
#include "kernels/rows/float_row_run.h"
#include "kernels/rows/row_lifetimes.h"

namespace okksim::kernels::rows {
namespace {

/// Most shares of rows, and most numbers of tiles for each, that are priced.
constexpr std::size_t kPricedShares = 6, kPricedTiles = 4;

bool is_reduction(FloatRowFunction function) {
    return function == FloatRowFunction::kSum || function == FloatRowFunction::kLargest;
}

bool reduces(const FloatRowProgram& program) {
    return std::any_of(
        program.commands.begin(), program.commands.end(),
        [](const FloatRowCommand& command) { return is_reduction(command.function); });
}

/// Scratch planes that a command needs, each of its result's size.
int planes_of(const FloatRowCommand& command, const Members& members) {
    if (command.function == FloatRowFunction::kPower) return prim::kPowerPlanes;
    if (command.function != FloatRowFunction::kBody) return 0;
    return float_body(command.op, *members[command.member].attributes, tosa::DType::kFp32)->planes;
}

/// Allocates the values of a plan.
class Placement {
 public:
    Placement(FloatRowPlan plan, const Members& members, const isa::MachineShape& machine)
        : plan_(std::move(plan)),
          members_(members),
          room_(0, machine.local_bytes, plan_.lanes.line_bytes()),
          last_(static_cast<int>(plan_.program.commands.size())) {}

    /// Returns nothing if local memory cannot hold the tiles.
    std::optional<FloatRowPlan> run() {
        const std::size_t count = plan_.program.values.size();
        plan_.places.assign(count, 0);
        plan_.second_place.assign(count, 0);
        place_scratch();
        const std::vector<Lifetime> lifetimes = all_lifetimes();
        for (std::size_t v = 0; v < count && fits_; ++v) place(v, lifetimes[v]);
        if (!fits_) return std::nullopt;
        return std::move(plan_);
    }

 private:
    std::int64_t bytes_of(const FloatRowValue& value) const {
        const std::int64_t channels = value.channels > 0 ? value.channels : plan_.tile_pieces;
        const std::int64_t slots =
            has_rows(value.extent) ? plan_.tile_blocks * plan_.lanes.slots(channels) : 1;
        return slots * plan_.plane_words(value) * isa::kWordBytes;
    }

    local_addr_t take(std::int64_t bytes, const Lifetime& lifetime) {
        const auto place = room_.place(bytes, lifetime.first, lifetime.last);
        fits_ = fits_ && place.has_value();
        return static_cast<local_addr_t>(place.value_or(0));
    }

    void place_scratch() {
        std::int64_t bytes = 0;
        for (const FloatRowCommand& command : plan_.program.commands) {
            const FloatRowValue& result =
                plan_.program.values[static_cast<std::size_t>(command.result)];
            bytes = std::max(bytes, planes_of(command, members_) * bytes_of(result));
            if (!is_reduction(command.function) || plan_.layout.fold == 0) continue;
            const std::int64_t slots = plan_.tile_blocks * plan_.lanes.slots(plan_.tile_pieces);
            bytes = std::max(bytes,
                             slots * isa::kWordBytes * plan_.lanes.whole_lines(plan_.layout.fold));
        }
        plan_.scratch_bytes = static_cast<std::uint32_t>(bytes);
        if (bytes > 0) plan_.scratch = take(bytes, {0, last_});
    }

    /// Live ranges in commands. The store after the commands counts as one more command.
    std::vector<Lifetime> all_lifetimes() const {
        const FloatRowProgram& program = plan_.program;
        std::vector<Lifetime> lifetimes = lifetimes_of(program);
        for (std::size_t v = 0; v < program.values.size(); ++v) {
            // Loads of the next tile and stores of the previous one overlap the commands. Values
            // without rows stay for all tiles.
            const bool stays = plan_.tiles() > 1 && (program.values[v].stored || is_result(v));
            if (stays || !has_rows(program.values[v].extent)) lifetimes[v] = {0, last_};
            if (is_result(v)) lifetimes[v].last = last_;
        }
        return lifetimes;
    }

    bool is_result(std::size_t v) const {
        return static_cast<int>(v) == plan_.program.commands.back().result;
    }

    void place(std::size_t v, const Lifetime& lifetime) {
        const FloatRowValue& value = plan_.program.values[v];
        const std::int64_t bytes = bytes_of(value);
        const bool moves = (value.stored && has_rows(value.extent)) || is_result(v);
        const bool twice = moves && plan_.tiles() > 1;
        plan_.places[v] = take(twice ? 2 * bytes : bytes, lifetime);
        if (twice) plan_.second_place[v] = static_cast<std::uint32_t>(bytes);
    }

    FloatRowPlan plan_;
    const Members& members_;
    LocalRoom room_;
    int last_ = 0;
    bool fits_ = true;
};

class Candidates {
 public:
    Candidates(const FloatRowProgram& program, const Members& members,
               const isa::MachineShape& machine)
        : program_(program), members_(members), machine_(machine), lanes_(lanes_of(machine)) {}

    /// Returns all plans, or the first one if not all are asked for.
    std::vector<FloatRowPlan> run(bool all) {
        all_ = all;
        for (const std::int64_t share : shares()) {
            if (!all && !plans_.empty()) break;
            FloatRowLayout layout{rows_are_lines(), share};
            if (!reduces(program_) || one_step_fits(layout)) add(layout);
            layout.fold = fold_of(layout);
            if (layout.fold > 0) add(layout);
        }
        return std::move(plans_);
    }

 private:
    /// The dimension that is contiguous in system memory is also contiguous in a lane.
    bool rows_are_lines() const {
        const RowStrides& result = program_.result;
        return program_.rows == 1 || program_.columns == 1 || program_.has_products() ||
               result.column < result.row;
    }

    /// Rows per lane: divisors of a block's rows. Those with the least words per lane come first.
    /// Products take one.
    std::vector<std::int64_t> shares() const {
        if (program_.has_products()) return {1};
        std::vector<std::pair<std::int64_t, std::int64_t>> all;
        const std::vector<std::int64_t> divisors =
            divisors_of(program_.block_rows, isa::kMostWindowExtent);
        for (auto at = divisors.rbegin(); at != divisors.rend(); ++at) {
            const std::int64_t share = *at;
            const std::int64_t words = lanes_.slots(program_.block_rows / share) *
                                       lanes_.whole_lines(share * program_.columns);
            all.emplace_back(words, share);
        }
        std::stable_sort(all.begin(), all.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        std::vector<std::int64_t> shares;
        for (const auto& [words, share] : all) {
            constexpr std::int64_t kMostIdle = 8;  ///< times the least words
            if (shares.size() == kPricedShares || words > kMostIdle * all.front().first) break;
            shares.push_back(share);
        }
        return shares;
    }

    bool one_step_fits(const FloatRowLayout& layout) const {
        return std::max(program_.columns, layout.share) <= isa::kMostWindowExtent;
    }

    /// Splits a row of `n` words into n / fold lines of `fold` words, with the fewest reads of
    /// windows.
    std::int64_t fold_of(const FloatRowLayout& layout) const {
        if (!reduces(program_) || !layout.rows_are_lines || layout.share != 1) return 0;
        std::int64_t best = 0;
        for (const std::int64_t fold : divisors_of(program_.columns, isa::kMostWindowExtent)) {
            const std::int64_t lines = program_.columns / fold;
            if (fold < 2 || lines < 2 || lines > isa::kMostWindowExtent) continue;
            if (best == 0 || lines + fold < program_.columns / best + best) best = fold;
        }
        return best;
    }

    void add(const FloatRowLayout& layout) {
        FloatRowPlan plan;
        plan.program = program_;
        plan.lanes = lanes_;
        plan.layout = layout;
        std::size_t fitting = 0;
        std::pair<std::int64_t, std::int64_t> before{0, 0};
        for (std::int64_t count = 1; fitting < kPricedTiles; count += isa::div_up(count, 2)) {
            plan.tile_blocks = isa::div_up(plan.blocks(), std::min(count, plan.blocks()));
            const std::int64_t cuts = isa::div_up(count, plan.blocks());
            const std::int64_t share = isa::div_up(plan.pieces(), cuts);
            plan.tile_pieces =
                cuts == 1
                    ? plan.pieces()
                    : std::min(plan.pieces(), isa::align_up(share, std::int64_t{lanes_.count}));
            const std::pair now{plan.tile_blocks, plan.tile_pieces};
            if (now == before && plan.tile_blocks == 1 && plan.tile_pieces <= lanes_.count) return;
            if (now == before || plan.tile_pieces > isa::kMostChannels ||
                plan.tile_blocks > isa::kMostBatch) {
                continue;
            }
            before = now;
            std::optional<FloatRowPlan> placed = Placement(plan, members_, machine_).run();
            if (!placed) continue;
            ++fitting;
            keep(*std::move(placed));
            if (!all_) return;
        }
    }

    /// Adds the plan with all its variants.
    void keep(FloatRowPlan plan) {
        const std::size_t first = plans_.size();
        plans_.push_back(std::move(plan));
        if (!plans_[first].layout.rows_are_lines && plans_[first].tile_blocks > 1) {
            plans_.push_back(plans_[first]);
            plans_.back().blocks_apart = true;
        }
        if (!program_.has_powers()) return;
        const std::size_t end = plans_.size();
        for (std::size_t i = first; i < end; ++i) {
            plans_.push_back(plans_[i]);
            plans_.back().power_steps = prim::PowerSteps::kPolynomial;
        }
    }

    const FloatRowProgram& program_;
    const Members& members_;
    const isa::MachineShape& machine_;
    Lanes lanes_;
    bool all_ = true;
    std::vector<FloatRowPlan> plans_;
};

}  // namespace

std::vector<FloatRowPlan> float_row_candidates(const FloatRowProgram& program,
                                               const Members& members,
                                               const isa::MachineShape& machine) {
    return Candidates(program, members, machine).run(true);
}

bool has_float_row_plan(const FloatRowProgram& program, const Members& members,
                        const isa::MachineShape& machine) {
    return !Candidates(program, members, machine).run(false).empty();
}

FloatRowPlan plan_float_rows(const OperatorCall& call, Host& host) {
    const Members members = members_of(call, float_row_operands(call.op));
    const ReadConstant read = [&](std::size_t member, std::size_t input) {
        return host.values(members[member].inputs[input]);
    };
    const std::optional<FloatRowProgram> program = float_row_program(members, read);
    OKKSIM_CHECK(program && !program->is_open);
    return fastest_plan(float_row_candidates(*program, members, host.machine()), host,
                        [&](const FloatRowPlan& plan) -> SteppedFirmware {
                            const double volume =
                                static_cast<double>(plan.pieces() * plan.blocks()) /
                                static_cast<double>(plan.tile_pieces * plan.tile_blocks);
                            return {plan.tiles(), volume,
                                    [&](std::int64_t most) { run_float_rows(call, plan, most); }};
                        });
}

}  // namespace okksim::kernels::rows
