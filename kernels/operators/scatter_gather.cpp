// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0.1 section 2.11: scatter and gather. The GDMA copies the rows that a list of indices
// names. Rows at regular distances are one command. If the list is known, the plan contains the
// commands. Otherwise firmware reads the list.
#include <fmt/format.h>

#include <vector>

#include "firmware/okk_access.h"
#include "kernels/call/computing.h"
#include "kernels/call/constant_values.h"
#include "kernels/call/violations.h"
#include "kernels/moves/move_plan.h"
#include "kernels/transfer/element_copy.h"

namespace okksim::kernels {
namespace {

using isa::narrow;

/// Layout of a row in both tensors, in units of GDMA elements.
struct RowShape {
    int element_bytes = 4;
    std::int32_t elements = 1;
    std::int32_t halves = 1;        ///< units of an element, which are contiguous
    std::int64_t from = 1, to = 1;  ///< strides of elements

    bool dense() const { return from == halves && to == halves; }
};

/// Rows at equal distances, in units from the start of both tensors.
struct RowRun {
    std::int64_t from = 0, to = 0;
    std::int64_t count = 0;
    std::int64_t from_step = 0, to_step = 0;
};

/// Planned copies of a call.
struct RowMoves {
    RowShape shape;
    std::optional<std::vector<RowRun>> runs;  ///< nothing: firmware reads the indices
    bool by_list = false;  ///< one command that reads the indices; the machine has dma_index

    /// `by_list` is a bit of the word with the element's bytes.
    std::uint64_t argument_words() const { return 5 + (runs ? kernels::argument_words(*runs) : 0); }
};

/// Layout of rows in tensors [N, rows, C].
RowShape row_shape(const DeviceTensor& from, const DeviceTensor& to) {
    const int bytes = stored_bytes(to.type);
    const int halves = bytes == 8 ? 2 : 1;
    const auto step = [&](const DeviceTensor& tensor) {
        return halves * (to.dims[2] == 1 ? 1 : tensor.strides[2]);
    };
    return {bytes / halves, to.dims[2], halves, step(from), step(to)};
}

/// Firmware: one command.
void copy_rows(const RowShape& row, const RowRun& run, std::uint64_t from, std::uint64_t to) {
    const std::int64_t width = std::int64_t{row.elements} * row.halves;
    const bool joined =
        row.dense() && (run.count == 1 || (run.from_step == width && run.to_step == width));
    const auto bytes = static_cast<std::uint64_t>(row.element_bytes);
    from += static_cast<std::uint64_t>(run.from) * bytes;
    to += static_cast<std::uint64_t>(run.to) * bytes;
    dim4 shape{1, narrow(run.count), row.elements, row.halves};
    dim4 source{0, narrow(run.from_step), narrow(row.from), 1};
    dim4 target{0, narrow(run.to_step), narrow(row.to), 1};
    if (joined) {
        shape = {1, 1, 1, narrow(width * run.count)};
    } else if (row.dense()) {
        shape = {1, 1, narrow(run.count), narrow(width)};
        source = {0, 0, narrow(run.from_step), 1};
        target = {0, 0, narrow(run.to_step), 1};
    }
    copy_command(row.element_bytes)(to, from, &shape, &target, &source);
}

/// Finds runs among consecutive rows.
template <typename Emit>
class RunFinder {
 public:
    RunFinder(const DeviceTensor& from, const DeviceTensor& to, const RowShape& row,
              const Emit& emit)
        : from_(from), to_(to), halves_(row.halves), emit_(emit) {}

    /// Copies row `from_row` to row `to_row` of the same batch.
    void add(std::int64_t batch, std::int64_t from_row, std::int64_t to_row) {
        const std::int64_t from =
            halves_ * (batch * from_.strides[0] + from_row * from_.strides[1]);
        const std::int64_t to = halves_ * (batch * to_.strides[0] + to_row * to_.strides[1]);
        const std::int64_t from_step = from - last_from_, to_step = to - last_to_;
        if (run_.count == 1) {
            run_.from_step = from_step;
            run_.to_step = to_step;
        } else if (run_.count > 1 && (from_step != run_.from_step || to_step != run_.to_step)) {
            finish();
        }
        if (run_.count == 0) run_ = {from, to, 0, 0, 0};
        ++run_.count;
        last_from_ = from;
        last_to_ = to;
    }
    void finish() {
        if (run_.count > 0) emit_(run_);
        run_ = {};
    }

 private:
    const DeviceTensor& from_;
    const DeviceTensor& to_;
    std::int64_t halves_;
    const Emit& emit_;
    RowRun run_;
    std::int64_t last_from_ = 0, last_to_ = 0;
};

/// Checks all indices [N,W] against REQUIRE(0 <= k && k < K).
void check_indices(const OperatorCall& call, const std::vector<std::int64_t>& values,
                   std::int64_t limit) {
    const auto width = static_cast<std::size_t>(call.inputs[1].dims[1]);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] >= 0 && values[i] < limit) continue;
        throw_unpredictable(call, "indices",
                            fmt::format("{} at [{},{}]", values[i], i / width, i % width),
                            fmt::format("0 <= k && k < K, with K = {}", limit));
    }
}

/// Emits the runs of GATHER: output row [n,w] is row [n, indices[n,w]] of the values.
template <typename Emit>
void gather_runs(const OperatorCall& call, const RowShape& row,
                 const std::vector<std::int64_t>& list, const Emit& emit) {
    check_indices(call, list, call.inputs[0].dims[1]);
    RunFinder<Emit> finder(call.inputs[0], call.outputs[0], row, emit);
    const std::int64_t width = call.inputs[1].dims[1];
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        finder.add(at / width, list[i], at % width);
    }
    finder.finish();
}

/// Emits the runs of SCATTER: row [n, indices[n,w]] of the output is row [n,w] of the input.
template <typename Emit>
void scatter_runs(const OperatorCall& call, const RowShape& row,
                  const std::vector<std::int64_t>& list, const Emit& emit) {
    const DeviceTensor& output = call.outputs[0];
    check_indices(call, list, output.dims[1]);
    RunFinder<Emit> finder(call.inputs[2], output, row, emit);
    const std::int64_t width = call.inputs[1].dims[1];
    std::vector<bool> modified(static_cast<std::size_t>(output.dims[0]) *
                               static_cast<std::size_t>(output.dims[1]));
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        const std::int64_t batch = at / width;
        const auto target = static_cast<std::size_t>(batch * output.dims[1] + list[i]);
        if (modified[target]) {
            throw_unpredictable(call, "indices",
                                fmt::format("{} again at [{},{}]", list[i], batch, at % width),
                                "output_modified[n,k,c] == false");
        }
        modified[target] = true;
        finder.add(batch, at % width, list[i]);
    }
    finder.finish();
}

using ListCommand = decltype(&okk_gdma_gather_S2S);

/// Firmware: copies the rows of a call by one command with tensor 1 as the list. `table`: the
/// tensor whose rows the list names. Its shape and both strides are in units of the row.
void move_by_list(const OperatorCall& call, const RowShape& row, ListCommand command,
                  const DeviceTensor& from, const DeviceTensor& table) {
    const DeviceTensor& to = call.outputs[0];
    const DeviceTensor& index = call.inputs[1];
    const std::int32_t width = row.elements * row.halves;
    const dim4 shape{index.dims[0], index.dims[1], row.dense() ? 1 : row.elements,
                     row.dense() ? width : row.halves};
    const dim4 all{shape.n, table.dims[1], shape.h, shape.w};
    const auto strides = [&](const DeviceTensor& tensor, std::int64_t step) {
        return dim4{narrow(row.halves * tensor.strides[0]), narrow(row.halves * tensor.strides[1]),
                    narrow(row.dense() ? width : step), 1};
    };
    const dim4 target = strides(to, row.to), source = strides(from, row.from);
    const dim4 list{narrow(index.strides[0]), narrow(index.strides[1]), 1, 1};
    command(to.address, from.address, index.address, &shape, &all, &target, &source, &list,
            moved_type(row.element_bytes));
}

/// Plans the copies of a call whose rows come from `from`. `runs(row, list, emit)` emits them.
/// `by_list()` issues the command that needs no runs.
template <typename Runs, typename ByList>
const RowMoves& plan_rows(const OperatorCall& call, const DeviceTensor& from, const Runs& runs,
                          const ByList& by_list) {
    return call.decisions->take("rows", [&](Host& host) {
        const bool has_lists = isa::has_feature(host.machine(), isa::Feature::kDmaIndex);
        RowMoves moves{row_shape(from, call.outputs[0]), std::nullopt};
        const auto list = host.values(call.inputs[1]);
        if (!list) {
            moves.by_list = has_lists;
            return moves;
        }
        moves.runs.emplace();
        runs(moves.shape, *list, [&](const RowRun& run) { moves.runs->push_back(run); });
        if (!has_lists) return moves;
        const Duration apart = host.time([&] {
            for (const RowRun& run : *moves.runs) {
                copy_rows(moves.shape, run, from.address, call.outputs[0].address);
            }
        });
        moves.by_list = host.time([&] { by_list(moves.shape); }) < apart;
        if (moves.by_list) moves.runs.reset();
        return moves;
    });
}

/// Firmware: reads the indices if they are unknown. Waits for all commands.
std::vector<std::int64_t> unknown_indices(const OperatorCall& call, const RowMoves& moves) {
    const bool reads = !moves.runs && !moves.by_list;
    return reads ? all_values(call.inputs[1]) : std::vector<std::int64_t>();
}

/// Firmware. `list`: the result of unknown_indices().
template <typename Runs>
void run_rows(const OperatorCall& call, const DeviceTensor& from, const RowMoves& moves,
              const std::vector<std::int64_t>& list, const Runs& runs) {
    charge(OwnWork::kRowMoves);
    charge(OwnWork::kRowIndex, moves.runs ? moves.runs->size() : list.size());
    const auto copy = [&](const RowRun& run) {
        copy_rows(moves.shape, run, from.address, call.outputs[0].address);
    };
    if (moves.runs) {
        for (const RowRun& run : *moves.runs) copy(run);
    } else {
        runs(moves.shape, list, copy);
    }
}

}  // namespace

void gather_kernel(const OperatorCall& call) {
    const auto runs = [&](const RowShape& row, const auto& list, const auto& emit) {
        gather_runs(call, row, list, emit);
    };
    const DeviceTensor& values = call.inputs[0];
    const auto by_list = [&](const RowShape& row) {
        move_by_list(call, row, okk_gdma_gather_S2S, values, values);
    };
    const RowMoves& moves = plan_rows(call, values, runs, by_list);
    if (moves.by_list) return by_list(moves.shape);
    run_rows(call, values, moves, unknown_indices(call, moves), runs);
}

/// The output is values_in, except for the rows that the indices name.
void scatter_kernel(const OperatorCall& call) {
    const DeviceTensor& output = call.outputs[0];
    const MovePlan& copy = call.decisions->take(
        "copy", [&](Host& host) { return plan_move(call.inputs[0], output, host); });
    const auto runs = [&](const RowShape& row, const auto& list, const auto& emit) {
        scatter_runs(call, row, list, emit);
    };
    const DeviceTensor& input = call.inputs[2];
    const auto by_list = [&](const RowShape& row) {
        move_by_list(call, row, okk_gdma_scatter_S2S, input, output);
    };
    const RowMoves& moves = plan_rows(call, input, runs, by_list);
    const std::vector<std::int64_t> list = unknown_indices(call, moves);
    run_move(copy, call.inputs[0].address, output.address);
    if (moves.by_list) return by_list(moves.shape);
    run_rows(call, input, moves, list, runs);
}

}  // namespace okksim::kernels
