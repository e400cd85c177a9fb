// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/layers/matmul.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "isa/layout.h"
#include "models/bdc/layers/local_operand.h"
#include "models/bdc/layers/ordered_gemm.h"
#include "models/bdc/layers/scratch.h"

namespace okksim::models {
namespace bdc {
namespace {

constexpr int kMatmulAccumulators = 2;
constexpr int kGroupColumns = kPanelsAtATime * kPanelUnit;
constexpr std::int64_t kMaxTileGroups = 8;
constexpr double kNanosecondsPerProduct = 0.03;
constexpr double kNanosecondsPerPackedFloat = 0.3;

// A matrix in the matrix layout: `columns` columns in each channel.
struct Matrix {
    LocalOperand operand;
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::int64_t cols_per_channel = 1;

    // Offset of column `col` in row 0, relative to operand.base.
    std::int64_t column_offset(std::int64_t col) const {
        return operand.channel(0, col / cols_per_channel) - operand.base + col % cols_per_channel;
    }
    std::int64_t columns_left_in_channel(std::int64_t col) const {
        return cols_per_channel - col % cols_per_channel;
    }
    FloatInterval span() const {
        return touched(operand, isa::matrix_shape(static_cast<std::int32_t>(rows),
                                                  static_cast<std::int32_t>(cols),
                                                  static_cast<std::int32_t>(cols_per_channel)));
    }
};

Matrix matrix(LocalMemory& memory, isa::LocalAddr addr, std::int32_t rows, std::int32_t cols,
              std::int32_t cols_per_channel) {
    const auto lane = static_cast<std::int32_t>(addr.value / memory.bytes_per_lane());
    const isa::Dim4 shape = isa::matrix_shape(rows, cols, cols_per_channel);
    const isa::Dim4 stride =
        isa::aligned_stride(lane, shape, isa::kWordBits, memory.lanes(), memory.line_bytes());
    return {local_operand(memory, addr, stride), rows, cols, cols_per_channel};
}

struct ThreadBuffers {
    Scratch panels;
    Scratch bias;
    std::vector<PackRun> sources;
    std::vector<OutputRun> outputs[kMaxTileGroups];
};

struct CommandBuffers {
    Scratch left;
    Scratch left_copy;
    Scratch right_copy;
    Scratch bias_copy;
    std::vector<std::int64_t> row_offsets;
};

ThreadBuffers& thread_buffers() {
    static thread_local ThreadBuffers buffers;
    return buffers;
}

CommandBuffers& command_buffers() {
    static thread_local CommandBuffers buffers;
    return buffers;
}

struct MatmulWork {
    Matrix left;
    Matrix right;
    Matrix bias;
    Matrix output;
    bool using_bias = false;
    bool add_old_output = false;

    std::int64_t depth = 0;
    std::int64_t left_pitch = 0;
    const float* left_rows = nullptr;
    const std::int64_t* row_offsets = nullptr;
    std::int64_t tile_groups = 1;
    std::int64_t tiles = 1;
    std::int64_t row_shares = 1;

    std::int64_t panel_floats() const { return depth * kPanelUnit + kPanelSlack; }
};

void describe_outputs(const MatmulWork& work, std::int64_t first, std::int64_t last,
                      std::vector<OutputRun>& runs) {
    runs.clear();
    for (std::int64_t col = first; col < last;) {
        const std::int64_t count = std::min(work.output.columns_left_in_channel(col), last - col);
        runs.push_back({static_cast<std::int32_t>(col - first), static_cast<std::int32_t>(count),
                        work.output.column_offset(col)});
        col += count;
    }
}

// Lists the sources of a panel. Each source allows reads of whole units, because 64 bytes past a
// lane are readable.
void describe_sources(const MatmulWork& work, std::int64_t first, std::int64_t last,
                      std::vector<PackRun>& runs) {
    runs.clear();
    for (std::int64_t col = first; col < last;) {
        const std::int64_t count = std::min(work.right.columns_left_in_channel(col), last - col);
        runs.push_back({static_cast<std::int32_t>(col - first), static_cast<std::int32_t>(count),
                        work.right.column_offset(col)});
        col += count;
    }
}

void fill_panel(const MatmulWork& work, std::int64_t first, std::int64_t last, float* to) {
    std::vector<PackRun>& runs = thread_buffers().sources;
    const Matrix& right = work.right;
    describe_sources(work, first, last, runs);
    pack_panel(to, right.rows, right.operand.base, right.operand.n_stride, runs);
    std::fill(to + right.rows * kPanelUnit, to + work.depth * kPanelUnit, 0.0f);
}

void fill_bias(const MatmulWork& work, std::int64_t first, std::int64_t last, float* to) {
    for (std::int64_t col = first; col < last; ++col) {
        to[col - first] = work.bias.operand.base[work.bias.column_offset(col)];
    }
}

OrderedGemm gemm_of(const MatmulWork& work) {
    OrderedGemm gemm;
    gemm.accumulators = kMatmulAccumulators;
    gemm.depth = work.depth;
    gemm.panel_distance = work.panel_floats();
    gemm.row_pitch = work.left_pitch;
    gemm.add_old_output = work.add_old_output;
    gemm.output = work.output.operand.base;
    return gemm;
}

// Packs the panels of a tile and returns the number of their groups.
std::int64_t fill_tile(const MatmulWork& work, std::int64_t tile, float* packed, float* bias) {
    std::int64_t groups = 0;
    for (; groups < work.tile_groups; ++groups) {
        const std::int64_t first = (tile * work.tile_groups + groups) * kGroupColumns;
        if (first >= work.right.cols) break;
        const std::int64_t last = std::min(first + kGroupColumns, work.right.cols);
        describe_outputs(work, first, last, thread_buffers().outputs[groups]);
        float* to = packed + groups * kPanelsAtATime * work.panel_floats();
        for (std::int64_t col = first; col < last; col += kPanelUnit, to += work.panel_floats()) {
            fill_panel(work, col, std::min(col + kPanelUnit, last), to);
        }
        if (work.using_bias) fill_bias(work, first, last, bias + groups * kGroupColumns);
    }
    return groups;
}

void run_tasks(const MatmulWork& work, std::int64_t begin, std::int64_t end) {
    const FlushDenormals mode;
    ThreadBuffers& buffers = thread_buffers();
    const std::int64_t group_floats = kPanelsAtATime * work.panel_floats();
    float* packed = buffers.panels.floats(group_floats * work.tile_groups);
    float* bias = buffers.bias.floats(kGroupColumns * kMaxTileGroups);
    OrderedGemm gemm = gemm_of(work);
    const std::int64_t step = gemm_rows_at_a_time(work.depth);
    for (std::int64_t task = begin; task < end; ++task) {
        const std::int64_t groups = fill_tile(work, task / work.row_shares, packed, bias);
        const std::int64_t share = task % work.row_shares;
        const std::int64_t last_row = work.left.rows * (share + 1) / work.row_shares;
        for (std::int64_t row = work.left.rows * share / work.row_shares; row < last_row;
             row += step) {
            gemm.rows = work.left_rows + row * work.left_pitch;
            gemm.row_count = std::min(step, last_row - row);
            gemm.row_offsets = work.row_offsets + row;
            for (std::int64_t i = 0; i < groups; ++i) {
                gemm.panels = packed + i * group_floats;
                gemm.column_bias = work.using_bias ? bias + i * kGroupColumns : nullptr;
                gemm.runs = buffers.outputs[i];
                multiply_in_order(gemm);
            }
        }
    }
}

void pack_left(const MatmulWork& work, float* packed, std::int64_t begin, std::int64_t end) {
    const Matrix& left = work.left;
    for (std::int64_t col = 0; col < left.cols; col += left.cols_per_channel) {
        const float* from = left.operand.base + left.column_offset(col);
        const std::int64_t count = std::min(left.cols_per_channel, left.cols - col);
        for (std::int64_t row = begin; row < end; ++row) {
            std::copy_n(from + row * left.operand.n_stride, count,
                        packed + row * work.left_pitch + col);
        }
    }
    for (std::int64_t row = begin; row < end; ++row) {
        float* to = packed + row * work.left_pitch;
        std::fill(to + left.cols, to + work.depth, -0.0f);
    }
}

MatmulWork plan_matmul(const isa::MatrixMultiply& o, LocalMemory& memory) {
    MatmulWork work;
    work.left = matrix(memory, o.left_addr, o.left_rows, o.left_cols,
                       std::min(o.left_cols_per_channel, o.left_cols));
    // All columns of the last channel are computed, even from memory beyond the matrix.
    const std::int32_t columns = static_cast<std::int32_t>(
        isa::align_up(o.right_cols, std::int64_t{o.right_cols_per_channel}));
    work.right = matrix(memory, o.right_addr, o.left_cols, columns, o.right_cols_per_channel);
    work.output = matrix(memory, o.output_addr, o.left_rows, columns, o.right_cols_per_channel);
    work.using_bias = o.using_bias != 0;
    work.add_old_output = o.result_add != 0;
    if (work.using_bias) {
        work.bias = matrix(memory, o.bias_addr, 1, columns, o.right_cols_per_channel);
    }
    work.depth = padded_depth(o.left_cols, kMatmulAccumulators);
    work.left_pitch = row_pitch(work.depth);
    return work;
}

void separate_operands(MatmulWork& work) {
    CommandBuffers& buffers = command_buffers();
    const LocalOperand& output = work.output.operand;
    const FloatInterval span = work.output.span();
    separate_from_output(work.left.operand, work.left.span(), output, span, buffers.left_copy);
    separate_from_output(work.right.operand, work.right.span(), output, span, buffers.right_copy);
    if (work.using_bias) {
        separate_from_output(work.bias.operand, work.bias.span(), output, span, buffers.bias_copy);
    }
}

void split_work(MatmulWork& work, std::int64_t threads) {
    const std::int64_t groups = isa::div_up(work.right.cols, kGroupColumns);
    work.tile_groups = std::clamp<std::int64_t>(
        std::min(gemm_tile_floats() / (work.depth * kGroupColumns), groups / threads), 1,
        kMaxTileGroups);
    work.tiles = isa::div_up(groups, work.tile_groups);
    work.tile_groups = isa::div_up(groups, work.tiles);
    work.row_shares = std::min(isa::div_up(threads, work.tiles), work.left.rows);
}

}  // namespace
}  // namespace bdc

void execute_matmul(const isa::MatrixMultiply& operands, LocalMemory& memory, LanePool& pool) {
    bdc::MatmulWork work = bdc::plan_matmul(operands, memory);
    bdc::separate_operands(work);
    bdc::CommandBuffers& buffers = bdc::command_buffers();
    float* left_rows = buffers.left.floats(work.left.rows * work.left_pitch);
    const auto pack = [&](std::int64_t begin, std::int64_t end) {
        bdc::pack_left(work, left_rows, begin, end);
    };
    pool.parallel_for(work.left.rows,
                      static_cast<double>(work.depth) * bdc::kNanosecondsPerPackedFloat,
                      std::cref(pack));
    work.left_rows = left_rows;
    buffers.row_offsets.resize(static_cast<std::size_t>(work.left.rows));
    for (std::int64_t row = 0; row < work.left.rows; ++row) {
        buffers.row_offsets[static_cast<std::size_t>(row)] = row * work.output.operand.n_stride;
    }
    work.row_offsets = buffers.row_offsets.data();
    bdc::split_work(work, pool.threads());
    const auto run = [&](std::int64_t begin, std::int64_t end) {
        bdc::run_tasks(work, begin, end);
    };
    const double cost = static_cast<double>(work.depth) * bdc::kGroupColumns *
                        static_cast<double>(work.tile_groups * work.left.rows) /
                        static_cast<double>(work.row_shares) * bdc::kNanosecondsPerProduct;
    pool.parallel_for(work.tiles * work.row_shares, cost, std::cref(run));
}

}  // namespace okksim::models
