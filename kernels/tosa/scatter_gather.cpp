// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0.1 section 2.11: scatter and gather. The control processor reads the index list and the
// data mover moves the rows; rows at regular distances go in one command.
#include <fmt/format.h>

#include <vector>

#include "kernels/constant_values.h"
#include "kernels/move_plan.h"
#include "kernels/violations.h"

namespace okksim::kernels {
namespace {

/// indices [N,W], each checked against REQUIRE(0 <= k && k < K).
std::vector<std::int64_t> read_indices(const OperatorCall& call, std::int64_t limit) {
    const DeviceTensor& indices = call.inputs[1];
    std::vector<std::int64_t> values = all_values(indices);
    const auto width = static_cast<std::size_t>(indices.dims[1]);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] >= 0 && values[i] < limit) continue;
        throw_unpredictable(call, "indices",
                            fmt::format("{} at [{},{}]", values[i], i / width, i % width),
                            fmt::format("0 <= k && k < K, with K = {}", limit));
    }
    return values;
}

/// Element offsets of one row in the source and in the destination.
struct RowMove {
    std::int64_t from = 0;
    std::int64_t to = 0;
};

/// Moves rows of `from` to rows of `to`. Both are [N, rows, C].
class RowMover {
 public:
    RowMover(const DeviceTensor& from, const DeviceTensor& to)
        : from_(from), to_(to), bytes_(stored_bytes(to.type)) {}

    /// Row `from_row` becomes row `to_row` of the same batch.
    void add(std::int64_t batch, std::int64_t from_row, std::int64_t to_row) {
        const RowMove move{batch * from_.strides[0] + from_row * from_.strides[1],
                           batch * to_.strides[0] + to_row * to_.strides[1]};
        const RowMove step{move.from - last_.from, move.to - last_.to};
        if (count_ == 1) {
            step_ = step;
        } else if (count_ > 1 && (step.from != step_.from || step.to != step_.to)) {
            flush();
        }
        if (count_ == 0) first_ = move;
        last_ = move;
        ++count_;
    }

    void flush() {
        if (count_ == 0) return;
        std::vector<NdAxis> axes{{to_.dims[2], {from_.strides[2], to_.strides[2]}},
                                 {count_, {step_.from, step_.to}}};
        run_move(plan_copy(std::move(axes), bytes_),
                 from_.address + static_cast<std::uint64_t>(first_.from * bytes_),
                 to_.address + static_cast<std::uint64_t>(first_.to * bytes_));
        count_ = 0;
        step_ = {};
    }

 private:
    const DeviceTensor& from_;
    const DeviceTensor& to_;
    int bytes_;
    RowMove first_, last_, step_;
    std::int64_t count_ = 0;  ///< rows that one command will move
};

}  // namespace

/// GATHER: output row [n,w] is row [n, indices[n,w]] of the values.
void gather_kernel(const OperatorCall& call) {
    const DeviceTensor& values = call.inputs[0];
    const DeviceTensor& indices = call.inputs[1];
    const auto list = read_indices(call, values.dims[1]);
    RowMover mover(values, call.outputs[0]);
    const std::int64_t width = indices.dims[1];
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        mover.add(at / width, list[i], at % width);
    }
    mover.flush();
}

/// SCATTER: the output is values_in, with row [n, indices[n,w]] taken from row [n,w] of the input.
void scatter_kernel(const OperatorCall& call) {
    const DeviceTensor& indices = call.inputs[1];
    const DeviceTensor& output = call.outputs[0];
    const MovePlan& copy = call.decisions->take(
        "copy", [&](Host& host) { return plan_move(call.inputs[0], output, host); });
    const auto list = read_indices(call, output.dims[1]);
    run_move(copy, call.inputs[0].address, output.address);
    RowMover mover(call.inputs[2], output);
    const std::int64_t width = indices.dims[1];
    std::vector<bool> modified(static_cast<std::size_t>(output.dims[0]) *
                               static_cast<std::size_t>(output.dims[1]));
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        const std::int64_t batch = at / width;
        const auto row = static_cast<std::size_t>(batch * output.dims[1] + list[i]);
        if (modified[row]) {
            throw_unpredictable(call, "indices",
                                fmt::format("{} again at [{},{}]", list[i], batch, at % width),
                                "output_modified[n,k,c] == false");
        }
        modified[row] = true;
        mover.add(batch, at % width, list[i]);
    }
    mover.flush();
}

}  // namespace okksim::kernels
