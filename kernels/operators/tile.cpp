// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0.1 section 2.10.6: TILE.
#include <algorithm>
#include <vector>

#include "kernels/moves/move_plan.h"

namespace okksim::kernels {
namespace {

/// Repeats the contents of the output along one dimension until it is full. Dimensions inside it in
/// storage are complete; the others hold `filled` elements.
class Repeater {
 public:
    Repeater(const DeviceTensor& output, std::array<std::int32_t, kMaxRank> filled)
        : output_(output), filled_(filled), bytes_(stored_bytes(output.type)) {}

    /// Planner: the fastest repetition along `dim`. Short runs are first doubled several times.
    MovePlan fastest(std::size_t dim, Host& host) {
        const std::int64_t multiples = output_.dims[dim] / filled_[dim];
        MovePlan best;
        Duration least = Duration::max();
        for (std::int64_t done = 1; done < multiples; done *= 2) {
            MovePlan plan = repeat(dim, done);
            const Duration time = move_time(plan, output_.address, output_.address, host);
            if (time >= least) continue;
            least = time;
            best = std::move(plan);
        }
        filled_[dim] = output_.dims[dim];
        return best;
    }

 private:
    /// Doubles until there are `joined` multiples. Then one command makes all copies of them.
    MovePlan repeat(std::size_t dim, std::int64_t joined) const {
        const std::int64_t block = filled_[dim];  // the input's extent
        const std::int64_t multiples = output_.dims[dim] / block;
        MovePlan plan{0, {}};
        for (std::int64_t done = 1; done < joined; done *= 2) {
            add(plan, dim, done * block, done * block, 1);
        }
        if (const std::int64_t copies = multiples / joined - 1; copies > 0) {
            add(plan, dim, joined * block, joined * block, copies);
        }
        if (const std::int64_t rest = multiples % joined; rest > 0) {
            add(plan, dim, (multiples - rest) * block, rest * block, 1);
        }
        return plan;
    }

    /// Copies the first `length` elements along `dim` to `start`. Makes `copies` consecutive
    /// copies.
    void add(MovePlan& plan, std::size_t dim, std::int64_t start, std::int64_t length,
             std::int64_t copies) const {
        std::vector<NdAxis> axes;
        for (std::size_t i = 0; i < static_cast<std::size_t>(output_.rank); ++i) {
            const std::int64_t stride = output_.strides[i];
            axes.push_back({i == dim ? length : filled_[i], {stride, stride}});
        }
        axes.push_back({copies, {0, length * output_.strides[dim]}});
        const MovePlan copy =
            plan_copy(std::move(axes), bytes_).shifted(0, start * output_.strides[dim] * bytes_);
        plan.element_bytes = copy.element_bytes;
        plan.parts.insert(plan.parts.end(), copy.parts.begin(), copy.parts.end());
    }

    const DeviceTensor& output_;
    std::array<std::int32_t, kMaxRank> filled_;
    int bytes_;
};

/// The input is copied to the output's first corner, which is then repeated along one dimension
/// after the other. The innermost dimension in storage comes first, so that runs grow.
struct TilePlan {
    MovePlan corner;
    std::vector<MovePlan> repeats;  ///< within the output

    std::uint64_t argument_words() const {
        return corner.argument_words() + kernels::argument_words(repeats);
    }
};

TilePlan plan_tile(const DeviceTensor& input, const DeviceTensor& output, Host& host) {
    const auto rank = static_cast<std::size_t>(output.rank);
    TilePlan plan;
    plan.corner = plan_move({input.address, input.strides}, {output.address, output.strides},
                            std::span(input.dims).first(rank), stored_bytes(output.type), host);
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < rank; ++i) {
        if (input.dims[i] != output.dims[i]) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return output.strides[a] < output.strides[b];
    });
    Repeater repeater(output, input.dims);
    for (const std::size_t dim : order) plan.repeats.push_back(repeater.fastest(dim, host));
    return plan;
}

}  // namespace

/// TILE: every dimension.
void tile_kernel(const OperatorCall& call) {
    const DeviceTensor& output = call.outputs[0];
    const TilePlan& plan = call.decisions->take(
        "moves", [&](Host& host) { return plan_tile(call.inputs[0], output, host); });
    run_move(plan.corner, call.inputs[0].address, output.address);
    for (const MovePlan& repeat : plan.repeats) run_move(repeat, output.address, output.address);
}

}  // namespace okksim::kernels
