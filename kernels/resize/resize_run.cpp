// SPDX-License-Identifier: Apache-2.0
// The tiles of RESIZE. Row and column patterns repeat, so one command computes all output positions
// with the same weights. Columns are interpolated first, then rows; sums of integers are exact.
#include <algorithm>
#include <optional>

#include "firmware/okk.h"
#include "kernels/call/computing.h"
#include "kernels/prim/exact_sum.h"
#include "kernels/prim/magic.h"
#include "kernels/prim/raw.h"
#include "kernels/resize/resize_plan.h"
#include "kernels/tiling/tile_pipeline.h"

namespace okksim::kernels {
namespace {

namespace raw = prim::raw;
using isa::narrow;
using prim::LocalTensor;
using prim::Scratch;

/// Exponent of the cut of sums of the first pass (at most 24 bits), relative to their unit.
constexpr int kSumUnit = 12;

/// Calls `visit` with the first `most` tiles.
template <typename Visit>
void for_each_resize_tile(const ResizeOperator& op, const ResizePlan& plan, std::int64_t most,
                          const Visit& visit) {
    const auto row_of_tiles = [&](ResizeTile tile, std::int64_t width) {
        for (tile.out_x = 0; tile.out_x < op.x.out && most > 0; tile.out_x += width, --most) {
            tile.out_w = std::min(width, op.x.out - tile.out_x);
            tile.in_x = op.x.lower(tile.out_x);
            tile.in_w = op.x.in_extent(tile.out_x, tile.out_x + tile.out_w);
            visit(tile);
        }
    };
    for (const ResizeRows& rows : plan.rows) {
        ResizeTile tile;
        tile.bands = rows.bands;
        for (tile.batch = 0; tile.batch < op.batches; ++tile.batch) {
            for (tile.channel = 0; tile.channel < op.channels;
                 tile.channel += rows.channel_step()) {
                tile.channels = rows.bands > 0
                                    ? rows.channels
                                    : std::min(rows.channels, op.channels - tile.channel);
                for (tile.out_y = rows.begin; tile.out_y < rows.end; tile.out_y += rows.step()) {
                    tile.out_h = std::min(rows.out_h, rows.end - tile.out_y);
                    tile.in_y = op.y.lower(tile.out_y);
                    tile.in_h = op.y.in_extent(tile.out_y, tile.out_y + tile.out_h);
                    row_of_tiles(tile, rows.out_w);
                }
            }
        }
    }
}

/// The stages of a tile.
class Resize {
 public:
    Resize(const ResizeOperator& op, const ResizePlan& plan)
        : op_(op), plan_(plan), lanes_(plan.lanes) {}

    void load(const ResizeTile& tile, int buffer) const {
        load_packed(plan_.in.at(static_cast<std::size_t>(buffer)), in_operand(tile), lanes_);
    }
    void store(const ResizeTile& tile, int buffer) const {
        store_packed(out_operand(tile), plan_.out.at(static_cast<std::size_t>(buffer)), lanes_);
    }
    void compute(const ResizeTile& tile, int buffer) const {
        const local_addr_t packed_in = plan_.in.at(static_cast<std::size_t>(buffer));
        const local_addr_t packed_out = plan_.out.at(static_cast<std::size_t>(buffer));
        Scratch scratch(plan_.scratch, plan_.scratch_bytes, lanes_);
        Scratch::Frame frame(scratch);
        const TileOperand operand = in_operand(tile);
        local_addr_t words = packed_in;
        if (needs_words(op_.input.type, op_.in_form)) words = frame.plane(operand.shape()).address;
        const LocalTensor loaded = widen_tile(words, packed_in, operand, op_.in_form, scratch);
        const LocalTensor input = with_border(loaded, tile, frame);
        if (op_.splits_sums) {
            sum_parts(input, tile, packed_out, scratch);
            return;
        }
        const LocalTensor middle = frame.plane(tile.middle_shape());
        interpolate_columns(middle, input, tile);
        LocalTensor output{packed_out, tile.out_shape(), std::nullopt};
        if (needs_words(op_.output.type, op_.out_form)) output = frame.plane(output.shape);
        interpolate_rows(output, middle, tile);
        narrow_tile(packed_out, output, op_.output.type, op_.out_form, scratch);
    }

 private:
    /// First and last input row (or column) of a tile that the image has.
    struct Inside {
        std::int64_t first, last;
    };
    static Inside inside(std::int64_t first, std::int64_t extent, const ResizeAxis& axis) {
        return {std::max<std::int64_t>(first, 0), std::min(first + extent, axis.in) - 1};
    }

    /// `band_rows`: rows from one band to the next, if the tile has bands.
    TileOperand operand(const DeviceTensor& tensor, const ResizeTile& tile, std::int64_t y,
                        std::int64_t h, std::int64_t x, std::int64_t w,
                        std::int64_t band_rows) const {
        const auto& strides = tensor.strides;
        const std::int64_t offset =
            tile.batch * strides[0] + y * strides[1] + x * strides[2] + tile.channel * strides[3];
        TileOperand block;
        block.address =
            tensor.address + static_cast<std::uint64_t>(offset * stored_bytes(tensor.type));
        block.type = tensor.type;
        block.c = narrow(tile.channels);
        block.h = narrow(h);
        block.w = narrow(w);
        block.c_stride = tile.bands == 0 ? strides[3] : band_rows * strides[1];
        block.h_stride = strides[1];
        block.w_stride = strides[2];
        return block;
    }
    TileOperand in_operand(const ResizeTile& tile) const {
        const Inside y = inside(tile.in_y, tile.in_h, op_.y);
        const Inside x = inside(tile.in_x, tile.in_w, op_.x);
        const std::int64_t band_rows = tile.out_h / op_.y.out_step() * op_.y.in_step();
        return operand(op_.input, tile, y.first, y.last - y.first + 1, x.first,
                       x.last - x.first + 1, band_rows);
    }
    TileOperand out_operand(const ResizeTile& tile) const {
        return operand(op_.output, tile, tile.out_y, tile.out_h, tile.out_x, tile.out_w,
                       tile.out_h);
    }

    /// Every `step`-th row from `first` on of a plane.
    LocalTensor rows(const LocalTensor& plane, std::int64_t first, std::int64_t count,
                     std::int64_t step) const {
        return part(plane, {first, count, step}, {0, plane.shape.w, 1});
    }
    LocalTensor columns(const LocalTensor& plane, std::int64_t first, std::int64_t count,
                        std::int64_t step) const {
        return part(plane, {0, plane.shape.h, 1}, {first, count, step});
    }
    struct Range {
        std::int64_t first, count, step;
    };
    LocalTensor part(const LocalTensor& plane, const Range& y, const Range& x) const {
        const std::int64_t width = plane.shape.w;
        LocalTensor view;
        view.address = plane.address + static_cast<local_addr_t>(4 * (y.first * width + x.first));
        view.shape = {1, plane.shape.c, narrow(y.count), narrow(x.count)};
        const std::int64_t slot = lanes_.whole_lines(width * plane.shape.h);
        view.stride = dim4{0, narrow(slot), narrow(y.step * width), narrow(x.step)};
        return view;
    }

    /// The input with copies of its border outside the image.
    LocalTensor with_border(const LocalTensor& loaded, const ResizeTile& tile,
                            Scratch::Frame& frame) const {
        const Inside y = inside(tile.in_y, tile.in_h, op_.y);
        const Inside x = inside(tile.in_x, tile.in_w, op_.x);
        const std::int64_t top = y.first - tile.in_y;
        const std::int64_t left = x.first - tile.in_x;
        const std::int64_t h = y.last - y.first + 1;
        const std::int64_t w = x.last - x.first + 1;
        if (h == tile.in_h && w == tile.in_w) return loaded;
        const LocalTensor plane = frame.plane(tile.in_shape());
        raw::copy(part(plane, {top, h, 1}, {left, w, 1}), loaded);
        if (left > 0) {
            raw::copy(part(plane, {top, h, 1}, {0, 1, 1}), part(plane, {top, h, 1}, {1, 1, 1}));
        }
        if (left + w < tile.in_w) {
            raw::copy(part(plane, {top, h, 1}, {left + w, 1, 1}),
                      part(plane, {top, h, 1}, {left + w - 1, 1, 1}));
        }
        if (top > 0) raw::copy(rows(plane, 0, 1, 1), rows(plane, 1, 1, 1));
        if (top + h < tile.in_h) {
            raw::copy(rows(plane, top + h, 1, 1), rows(plane, top + h - 1, 1, 1));
        }
        return plane;
    }

    /// Computes dst, the tap's output positions, from the two neighbours.
    void sample(const LocalTensor& dst, const LocalTensor& lower, const LocalTensor& upper,
                const ResizeTap& tap, const ResizeAxis& axis) const {
        if (!op_.bilinear) {
            raw::copy(dst, 2 * tap.fraction >= axis.numerator ? upper : lower);
            return;
        }
        const auto unit = static_cast<float>(axis.numerator);
        const auto fraction = static_cast<float>(tap.fraction);
        const float up = op_.integer ? fraction : fraction / unit;
        const float low = op_.integer ? unit - fraction : (unit - fraction) / unit;
        raw::multiply(dst, lower, low);
        // Floating-point values need the product, because infinity times zero is NaN.
        if (tap.fraction != 0 || !op_.integer) raw::multiply_add(dst, upper, up);
    }

    void interpolate_columns(const LocalTensor& dst, const LocalTensor& src,
                             const ResizeTile& tile) const {
        for (const ResizeTap& tap : op_.x.taps(tile.out_x, tile.out_x + tile.out_w)) {
            sample(columns(dst, tap.out, tap.count, op_.x.out_step()),
                   columns(src, tap.in, tap.count, op_.x.in_step()),
                   columns(src, tap.in + 1, tap.count, op_.x.in_step()), tap, op_.x);
        }
    }
    void interpolate_rows(const LocalTensor& dst, const LocalTensor& src,
                          const ResizeTile& tile) const {
        for (const ResizeTap& tap : op_.y.taps(tile.out_y, tile.out_y + tile.out_h)) {
            sample(rows(dst, tap.out, tap.count, op_.y.out_step()),
                   rows(src, tap.in, tap.count, op_.y.in_step()),
                   rows(src, tap.in + 1, tap.count, op_.y.in_step()), tap, op_.y);
        }
    }

    /// Integer sums beyond 24 bits: sums parts exactly and adds these sums exactly.
    void sum_parts(const LocalTensor& input, const ResizeTile& tile, local_addr_t packed_out,
                   Scratch& scratch) const {
        Scratch::Frame frame(scratch);
        const dim4 shape = tile.out_shape();
        const prim::ExactSum sum{frame.plane(shape), frame.plane(shape), std::nullopt};
        bool started = false;
        const auto add = [&](const LocalTensor& sums) {
            Scratch::Frame inner(scratch);
            const LocalTensor pass = inner.plane(shape);
            interpolate_rows(pass, sums, tile);
            if (started) {
                prim::add_to_sum(sum, pass, scratch);
            } else {
                prim::start_sum(sum, pass, scratch);
            }
            started = true;
        };
        const auto add_part = [&](const LocalTensor& values, int unit) {
            Scratch::Frame inner(scratch);
            const LocalTensor sums = inner.plane(tile.middle_shape());
            const LocalTensor high = inner.plane(tile.middle_shape());
            const LocalTensor low = inner.plane(tile.middle_shape());
            interpolate_columns(sums, values, tile);
            if (op_.sum_bound * op_.y.numerator <= prim::kExactIntegers) return add(sums);
            prim::split_float(high, low, sums, unit + kSumUnit);
            add(high);
            add(low);
        };
        if (op_.splits_values) {
            const LocalTensor high = frame.plane(input.shape);
            const LocalTensor low = frame.plane(input.shape);
            prim::split_float(high, low, input, kValueUnit);
            add_part(high, kValueUnit);
            add_part(low, 0);
        } else {
            add_part(input, 0);
        }
        finish_sum(sum, shape, packed_out, scratch);
    }

    void finish_sum(const prim::ExactSum& sum, const dim4& shape, local_addr_t packed_out,
                    Scratch& scratch) const {
        if (op_.output.type == tosa::DType::kI48) {
            prim::sum_to_int48(prim::interleaved_words(packed_out, shape, lanes_), sum, scratch);
            return;
        }
        const LocalTensor words{packed_out, shape, std::nullopt};
        prim::sum_to_int32(words, sum, scratch);
        narrow_tile(packed_out, words, op_.output.type, op_.out_form, scratch);
    }

    const ResizeOperator& op_;
    const ResizePlan& plan_;
    const Lanes& lanes_;
};

}  // namespace

void run_resize(const ResizeOperator& op, const ResizePlan& plan, std::int64_t most) {
    charge(OwnWork::kResize);
    Resize resize(op, plan);
    TilePipeline<ResizeTile, Resize> pipeline(resize);
    for_each_resize_tile(op, plan, most, [&](const ResizeTile& tile) {
        charge(OwnWork::kResizeTile);
        pipeline.push(tile);
    });
    pipeline.finish();
}

}  // namespace okksim::kernels
