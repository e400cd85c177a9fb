// SPDX-License-Identifier: Apache-2.0
#include "kernels/pointwise/pointwise_run.h"

#include <array>
#include <boost/container/static_vector.hpp>
#include <optional>

#include "firmware/okk.h"
#include "isa/base/errors.h"
#include "kernels/call/computing.h"
#include "kernels/call/violations.h"
#include "kernels/transfer/spread_io.h"

namespace okksim::kernels {
namespace {

using prim::LocalTensor;
using prim::Scratch;

/// Issues the commands of the tiles. A tile is computed while the next one is loaded and the
/// previous one is stored.
class Pipeline {
 public:
    Pipeline(const PointwiseOperator& op, const PointwisePlan& plan)
        : op_(op), plan_(plan), lanes_(plan.lanes) {
        OKKSIM_CHECK(op.inputs.size() == plan.inputs.size());
    }

    void push(const NdTile& tile) {
        charge(OwnWork::kTile);
        charge(OwnWork::kTileOperand, op_.inputs.size());
        const bool overlaps = computing_.has_value();
        if (overlaps) okk_parallel_start();
        Stage next{tile, {}, out_buffer_};
        out_buffer_ = other_buffer(out_buffer_);
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
        bool fresh = false;  ///< loaded for this tile, not kept from the previous one
    };
    struct Stage {
        NdTile tile;
        std::array<Source, kMaxOperands> sources;
        int out_buffer = 0;
    };

    int other_buffer(int buffer) const { return plan_.buffers == 2 ? 1 - buffer : 0; }

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
                if (resident_[k]) source.buffer = other_buffer(resident_[k]->buffer);
                fetch(k, source);
            }
            resident_[k] = source;
            stage.sources[k] = source;
        }
    }

    void fetch(std::size_t k, const Source& source) {
        const PointwiseInput& input = op_.inputs[k];
        const PointwiseRegion& region = plan_.inputs[k];
        const local_addr_t buffer = region.buffer_of(source.buffer, 0);
        if (region.spread) {
            load_spread(buffer, source.block, input.form, lanes_);
        } else {
            load_packed(buffer, region.buffer_bytes, source.block, input.tensor.count(),
                        input.copies, lanes_);
        }
    }

    void compute(const Stage& stage) {
        Scratch scratch(plan_.scratch, plan_.scratch_bytes, lanes_);
        words_.clear();
        for (std::size_t k = 0; k < op_.inputs.size(); ++k) {
            widen(k, stage.sources[k], scratch);
        }
        dim4 shape{1, stage.tile.c, stage.tile.h, stage.tile.w};
        if (op_.output_form == WordForm::kPacked) shape = packed_shape(op_.output.type, shape);
        const PointwiseRegion& region = plan_.output;
        const local_addr_t buffer = region.buffer_of(stage.out_buffer, 0);
        const bool in_place = region.words_bytes == 0;
        const LocalTensor output{in_place ? buffer : region.words, shape, std::nullopt};
        const LocalTensor violations{plan_.violations, shape, std::nullopt};
        op_.body({output,
                  {words_.data(), words_.size()},
                  op_.checks ? &violations : nullptr,
                  scratch,
                  plan_.table});
        if (region.spread) {
            narrow_spread(output, op_.output.type, op_.output_form, scratch);
        } else if (!in_place) {
            narrow_tile(buffer, output, op_.output.type, op_.output_form, scratch);
        }
    }

    void widen(std::size_t k, const Source& source, Scratch& scratch) {
        const PointwiseInput& input = op_.inputs[k];
        const PointwiseRegion& region = plan_.inputs[k];
        for (int copy = 0; copy < input.copies; ++copy) {
            const local_addr_t buffer = region.buffer_of(source.buffer, copy);
            if (stored_bytes(input.tensor.type) == 8) {
                const prim::WideTensor wide = wide_tile(buffer, source.block, scratch.lanes());
                words_.push_back(wide.low);
                words_.push_back(wide.high);
            } else if (source.fresh) {
                words_.push_back(region.spread
                                     ? widen_spread(buffer, source.block, input.form, scratch)
                                     : widen_tile(region.words_of(copy), buffer, source.block,
                                                  input.form, scratch));
                if (copy == 0) fresh_[k].clear();
                fresh_[k].push_back(words_.back());
            } else {
                words_.push_back(fresh_[k][static_cast<std::size_t>(copy)]);
            }
        }
    }

    void store(const Stage& stage) {
        const TileOperand block = tile_operand(op_.output, stage.tile, op_.inputs.size());
        const local_addr_t buffer = plan_.output.buffer_of(stage.out_buffer, 0);
        if (plan_.output.spread) {
            store_spread(block, buffer, lanes_);
        } else {
            store_packed(block, buffer, lanes_);
        }
    }

    const PointwiseOperator& op_;
    const PointwisePlan& plan_;
    const Lanes& lanes_;
    std::array<std::optional<Source>, kMaxOperands> resident_;  ///< latest loaded operands
    /// Words of the latest widened operands.
    std::array<boost::container::static_vector<LocalTensor, kMostCopies>, kMaxOperands> fresh_;
    /// Operand words of the current tile.
    boost::container::static_vector<LocalTensor, 2 * kMaxOperands + kMostCopies> words_;
    int out_buffer_ = 0;
    std::optional<Stage> computing_;
    std::optional<Stage> storing_;
};

/// Copies a table into every lane.
void load_table(const DeviceTensor& table, local_addr_t address, const Lanes& lanes) {
    const int entries = static_cast<int>(table.count());
    const dim4 shape{1, lanes.count, 1, entries};
    const dim4 repeated{0, 0, entries, 1};
    if (stored_bytes(table.type) == 1) {
        okk_gdma_8bit_cpy_S2L(address, table.address, &shape, nullptr, &repeated);
    } else {
        okk_gdma_16bit_cpy_S2L(address, table.address, &shape, nullptr, &repeated);
    }
}

}  // namespace

void run_tiles(const PointwiseOperator& op, const PointwisePlan& plan, std::int64_t most) {
    charge(OwnWork::kTileLoops);
    if (op.table) load_table(*op.table, plan.table, plan.lanes);
    Pipeline pipeline(op, plan);
    for_each_tile(
        plan.tiling, [&](const NdTile& tile) { pipeline.push(tile); }, most);
    pipeline.finish();
}

bool run_pointwise(const PointwiseOperator& op, const PointwisePlan& plan) {
    const int plane_words = static_cast<int>(plan.plane_bytes / 4);
    if (op.checks) clear_violations(plan.violations, plane_words, plan.lanes);
    run_tiles(op, plan, INT64_MAX);
    return op.checks && any_violation(plan.violations, plane_words, plan.lanes);
}

}  // namespace okksim::kernels
