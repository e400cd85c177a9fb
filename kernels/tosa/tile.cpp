// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0.1 section 2.10.6: TILE.
#include <algorithm>
#include <vector>

#include "kernels/strided_copy.h"

namespace okksim::kernels {
namespace {

/// Runs of this length cost the data mover little more than their bytes. Shorter ones are joined
/// first by doubling.
constexpr std::int64_t kLongRunBytes = 256;

/// Repeats what the output holds along one dimension until the dimension is full. Dimensions that
/// lie inside it in storage are complete, the others hold `filled` elements.
class Repeater {
 public:
    Repeater(const DeviceTensor& output, std::array<std::int32_t, kMaxRank> filled)
        : output_(output), filled_(filled), bytes_(stored_bytes(output.type)) {}

    void repeat(std::size_t dim) {
        const std::int64_t block = filled_[dim];  // the input's extent
        const std::int64_t multiples = output_.dims[dim] / block;
        const std::int64_t block_bytes = block * output_.strides[dim] * bytes_;
        std::int64_t done = 1;
        while (done < multiples && done * block_bytes < kLongRunBytes) {
            const std::int64_t more = std::min(done, multiples - done);
            copy(dim, done * block, more * block, 1);
            done += more;
        }
        // From here on one command makes all copies of the run.
        if (const std::int64_t copies = multiples / done - 1; copies > 0) {
            copy(dim, done * block, done * block, copies);
        }
        if (const std::int64_t rest = multiples % done; rest > 0) {
            copy(dim, (multiples - rest) * block, rest * block, 1);
        }
        filled_[dim] = output_.dims[dim];
    }

 private:
    /// Copies the first `length` elements along `dim` to `start` and, `copies` times in all, behind
    /// each other.
    void copy(std::size_t dim, std::int64_t start, std::int64_t length, std::int64_t copies) {
        std::vector<NdAxis> axes;
        for (std::size_t i = 0; i < static_cast<std::size_t>(output_.rank); ++i) {
            const std::int64_t stride = output_.strides[i];
            axes.push_back({i == dim ? length : filled_[i], {stride, stride}});
        }
        axes.push_back({copies, {0, length * output_.strides[dim]}});
        const std::int64_t offset = start * output_.strides[dim] * bytes_;
        copy_axes(output_.address, output_.address + static_cast<std::uint64_t>(offset),
                  std::move(axes), bytes_);
    }

    const DeviceTensor& output_;
    std::array<std::int32_t, kMaxRank> filled_;
    int bytes_;
};

}  // namespace

/// TILE: the input goes to the output's first corner, which is then repeated along one dimension
/// after the other, innermost in storage first, so that runs grow.
void tile_kernel(const OperatorCall& call) {
    const DeviceTensor& input = call.inputs[0];
    const DeviceTensor& output = call.outputs[0];
    const auto rank = static_cast<std::size_t>(output.rank);
    move_strided({input.address, input.strides}, {output.address, output.strides},
                 std::span(input.dims).first(rank), stored_bytes(output.type));
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < rank; ++i) {
        if (input.dims[i] != output.dims[i]) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return output.strides[a] < output.strides[b];
    });
    Repeater repeater(output, input.dims);
    for (const std::size_t dim : order) repeater.repeat(dim);
}

}  // namespace okksim::kernels
