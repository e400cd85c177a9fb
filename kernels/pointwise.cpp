// SPDX-License-Identifier: Apache-2.0
#include "kernels/pointwise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "firmware/okk.h"
#include "isa/errors.h"
#include "isa/layout.h"
#include "kernels/pointwise_memory.h"
#include "kernels/spread_io.h"
#include "kernels/violations.h"

namespace okksim::kernels {
namespace {

using prim::LocalTensor;
using prim::Scratch;

/// Issues the commands of the tiles so that a tile is computed while the next one arrives and the
/// one before it leaves.
class Pipeline {
 public:
    Pipeline(const PointwiseOperator& op, const PointwiseMemory& memory)
        : op_(op), memory_(memory), resident_(op.inputs.size()), fresh_(op.inputs.size()) {}

    void push(const NdTile& tile) {
        const bool overlaps = computing_.has_value();
        if (overlaps) okk_parallel_start();
        Stage next{tile, {}, out_buffer_};
        out_buffer_ = memory_.other_buffer(out_buffer_);
        if (storing_) store(*storing_);
        load(next);
        if (computing_) compute(*computing_);
        if (overlaps) okk_parallel_end();
        storing_ = std::move(computing_);
        computing_ = std::move(next);
    }

    void finish() {
        if (storing_) {
            okk_parallel_start();
            store(*storing_);
            compute(*computing_);
            okk_parallel_end();
        } else {
            compute(*computing_);
        }
        store(*computing_);
    }

 private:
    struct Source {
        TileOperand block;
        int buffer = 0;
        bool fresh = false;  ///< loaded for this tile, not left over from the one before
    };
    struct Stage {
        NdTile tile;
        std::vector<Source> sources;
        int out_buffer = 0;
    };

    static bool same_block(const TileOperand& a, const TileOperand& b) {
        return a.address == b.address && a.c == b.c && a.h == b.h && a.w == b.w &&
               a.c_stride == b.c_stride && a.h_stride == b.h_stride && a.w_stride == b.w_stride;
    }

    void load(Stage& stage) {
        for (std::size_t k = 0; k < op_.inputs.size(); ++k) {
            const PointwiseInput& input = op_.inputs[k];
            Source source{tile_operand(input.tensor, stage.tile, k), 0, true};
            if (resident_[k] && same_block(resident_[k]->block, source.block)) {
                source = *resident_[k];
                source.fresh = false;
            } else {
                if (resident_[k]) source.buffer = memory_.other_buffer(resident_[k]->buffer);
                fetch(k, source);
            }
            resident_[k] = source;
            stage.sources.push_back(source);
        }
    }

    void fetch(std::size_t k, const Source& source) {
        const PointwiseInput& input = op_.inputs[k];
        const local_addr_t buffer = memory_.input_buffer(k, source.buffer, 0);
        if (memory_.spreads_input(k)) {
            OKKSIM_CHECK(input.copies == 1);
            load_spread(buffer, source.block, input.form);
        } else {
            load_packed(buffer, memory_.input_buffer_step(k), source.block, input.tensor.count(),
                        input.copies);
        }
    }

    void compute(const Stage& stage) {
        Scratch scratch = memory_.scratch();
        std::vector<LocalTensor> words;
        for (std::size_t k = 0; k < stage.sources.size(); ++k) {
            widen(k, stage.sources[k], words, scratch);
        }
        dim4 shape{1, stage.tile.c, stage.tile.h, stage.tile.w};
        if (op_.output_form == WordForm::kPacked) shape = packed_shape(op_.output.type, shape);
        const local_addr_t buffer = memory_.output_buffer(stage.out_buffer);
        const bool in_place =
            memory_.spreads_output() || !needs_words(op_.output.type, op_.output_form);
        const LocalTensor output{in_place ? buffer : memory_.output_words(), shape, std::nullopt};
        const LocalTensor violations{memory_.violations(), shape, std::nullopt};
        op_.body({output, words, op_.checks ? &violations : nullptr, scratch});
        if (memory_.spreads_output()) {
            narrow_spread(output, op_.output.type, op_.output_form, scratch);
        } else if (!in_place) {
            narrow_tile(buffer, output, op_.output.type, op_.output_form, scratch);
        }
    }

    void widen(std::size_t k, const Source& source, std::vector<LocalTensor>& words,
               Scratch& scratch) {
        const PointwiseInput& input = op_.inputs[k];
        for (int copy = 0; copy < input.copies; ++copy) {
            const local_addr_t buffer = memory_.input_buffer(k, source.buffer, copy);
            if (stored_bytes(input.tensor.type) == 8) {
                const prim::WideTensor wide = wide_tile(buffer, source.block, scratch.lanes());
                words.push_back(wide.low);
                words.push_back(wide.high);
            } else if (source.fresh) {
                words.push_back(memory_.spreads_input(k)
                                    ? widen_spread(buffer, source.block, input.form, scratch)
                                    : widen_tile(memory_.input_words(k, copy), buffer, source.block,
                                                 input.form, scratch));
                fresh_[k].resize(static_cast<std::size_t>(input.copies));
                fresh_[k][static_cast<std::size_t>(copy)] = words.back();
            } else {
                words.push_back(fresh_[k][static_cast<std::size_t>(copy)]);
            }
        }
    }

    void store(const Stage& stage) {
        const TileOperand block = tile_operand(op_.output, stage.tile, op_.inputs.size());
        const local_addr_t buffer = memory_.output_buffer(stage.out_buffer);
        if (memory_.spreads_output()) {
            store_spread(block, buffer);
        } else {
            store_packed(block, buffer);
        }
    }

    const PointwiseOperator& op_;
    const PointwiseMemory& memory_;
    std::vector<std::optional<Source>> resident_;  ///< what was loaded last
    std::vector<std::vector<LocalTensor>> fresh_;  ///< words of what was widened last
    int out_buffer_ = 0;
    std::optional<Stage> computing_;
    std::optional<Stage> storing_;
};

}  // namespace

bool run_pointwise(const PointwiseOperator& op) {
    const PointwiseMemory memory(op);
    if (op.checks) clear_violations(memory.violations(), memory.violation_words());
    Pipeline pipeline(op, memory);
    for_each_tile(memory.dims(), memory.strides(), memory.limits(),
                  [&](const NdTile& tile) { pipeline.push(tile); });
    pipeline.finish();
    return op.checks && any_violation(memory.violations(), memory.violation_words());
}

}  // namespace okksim::kernels
