// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0.1 section 2.12: RESIZE. Each row and column pattern repeats, so one command serves all
// output positions with the same weights. Columns are interpolated first, then rows; sums of
// integers are exact.
#include <algorithm>
#include <array>
#include <vector>

#include "firmware/okk.h"
#include "isa/errors.h"
#include "isa/layout.h"
#include "kernels/prim/exact_sum.h"
#include "kernels/prim/raw.h"
#include "kernels/tile_io.h"
#include "kernels/tiling/resize_tiles.h"

namespace okksim::kernels {
namespace {

namespace raw = prim::raw;
using prim::LocalTensor;
using prim::Scratch;

/// fp32 holds integers up to here.
constexpr std::int64_t kExact = std::int64_t{1} << 24;
/// Cut of int16 values: both parts are short enough for the first pass.
constexpr int kValueUnit = 8;
/// Cut of sums of the first pass (of 24 bits at most), above the unit of their own.
constexpr int kSumUnit = 12;

std::array<std::int64_t, 4> list_of(const DeviceTensor& tensor) {
    std::array<std::int64_t, 4> values{};
    read_values(tensor, std::span(values).first(static_cast<std::size_t>(tensor.count())));
    return values;
}

class Resize {
 public:
    explicit Resize(const OperatorCall& call)
        : input_(call.inputs[0]), output_(call.outputs[0]), lanes_(okk_npu_num()) {
        const auto scale = list_of(call.inputs[1]);
        const auto offset = list_of(call.inputs[2]);
        space_.y = {scale[0], scale[1], offset[0], input_.dims[1], output_.dims[1]};
        space_.x = {scale[2], scale[3], offset[1], input_.dims[2], output_.dims[2]};
        const auto mode = call.attributes_as<tosa::ResizeAttributes>().mode;
        bilinear_ = mode == tosa::ResizeMode::kBilinear;
        integer_ = bilinear_ && !tosa::is_floating_point(input_.type);
        value_bound_ = input_.type == tosa::DType::kI8 ? 1 << 7 : 1 << 15;
        splits_values_ = integer_ && value_bound_ * space_.x.numerator > kExact;
        sum_bound_ = (splits_values_ ? (1 << kValueUnit) : value_bound_) * space_.x.numerator;
        splits_sums_ = integer_ && (splits_values_ || sum_bound_ * space_.y.numerator > kExact ||
                                    output_.type == tosa::DType::kI48);
        in_form_ = bilinear_ ? WordForm::kFloat : WordForm::kBits;
        out_form_ = splits_sums_ ? WordForm::kValue : in_form_;
        merge_batches();
    }

    void run() {
        const std::vector<ResizeTile> tiles =
            cut_resize_tiles(space_, lanes_, [&](const ResizeTile& tile) { return fits(tile); });
        for (std::span<const ResizeTile> left = tiles; !left.empty();) {
            const std::size_t count = place_buffers(left);
            run_tiles(left.first(count));
            left = left.subspan(count);
        }
    }

 private:
    static int narrow(std::int64_t value) { return static_cast<int>(value); }

    /// Batches whose channels follow each other in memory are further channels.
    void merge_batches() {
        const std::int64_t batches = input_.dims[0];
        const std::int64_t channels = input_.dims[3];
        space_.batches = batches;
        space_.channels = channels;
        const bool dense = input_.strides[0] == channels * input_.strides[3] &&
                           output_.strides[0] == channels * output_.strides[3];
        if (batches == 1) return;
        if (channels == 1) {
            // The channel stride has no meaning where there is one channel.
            input_.strides[3] = input_.strides[0];
            output_.strides[3] = output_.strides[0];
        } else if (!dense) {
            return;
        }
        space_.channels = batches * channels;
        space_.batches = 1;
    }

    // ---- Tiles. ----

    dim4 in_shape(const ResizeTile& tile) const {
        return {1, narrow(tile.channels), narrow(tile.in_h), narrow(tile.in_w)};
    }
    dim4 middle_shape(const ResizeTile& tile) const {
        return {1, narrow(tile.channels), narrow(tile.in_h), narrow(tile.out_w)};
    }
    dim4 out_shape(const ResizeTile& tile) const {
        return {1, narrow(tile.channels), narrow(tile.out_h), narrow(tile.out_w)};
    }

    /// Bytes per lane that a tile takes beside its packed buffers.
    std::int64_t scratch_bytes(const ResizeTile& tile) const {
        const std::int64_t in = prim::plane_bytes(in_shape(tile), lanes_);
        const std::int64_t middle = prim::plane_bytes(middle_shape(tile), lanes_);
        const std::int64_t out = prim::plane_bytes(out_shape(tile), lanes_);
        const int sums = splits_sums_ ? 3 + std::max(prim::kSumPlanes, prim::kSumToInt48Planes) : 1;
        return in * (2 + widen_planes(input_.type, in_form_) + (splits_values_ ? 2 : 0)) +
               middle * (splits_sums_ ? 3 : 1) +
               out * (sums + narrow_planes(output_.type, out_form_));
    }
    std::int64_t packed_in_bytes(const ResizeTile& tile) const {
        return packed_tile_bytes(input_.type, in_shape(tile), lanes_);
    }
    std::int64_t packed_out_bytes(const ResizeTile& tile) const {
        return packed_tile_bytes(output_.type, out_shape(tile), lanes_);
    }

    bool fits(const ResizeTile& tile) const {
        return scratch_bytes(tile) + 2 * packed_in_bytes(tile) + 2 * packed_out_bytes(tile) <=
               okk_local_mem_size_per_npu();
    }

    /// Places buffers for as many of the first tiles as possible; gives their number.
    std::size_t place_buffers(std::span<const ResizeTile> tiles) {
        std::int64_t in = 0;
        std::int64_t out = 0;
        std::int64_t scratch = 0;
        std::size_t count = 0;
        for (; count < tiles.size(); ++count) {
            const std::int64_t next_in = std::max(in, packed_in_bytes(tiles[count]));
            const std::int64_t next_out = std::max(out, packed_out_bytes(tiles[count]));
            scratch = std::max(scratch, scratch_bytes(tiles[count]));
            if (2 * next_in + 2 * next_out + scratch > okk_local_mem_size_per_npu()) break;
            in = next_in;
            out = next_out;
        }
        OKKSIM_CHECK(count > 0);
        packed_in_ = {0, static_cast<local_addr_t>(in)};
        packed_out_ = {static_cast<local_addr_t>(2 * in), static_cast<local_addr_t>(2 * in + out)};
        scratch_start_ = static_cast<local_addr_t>(2 * in + 2 * out);
        return count;
    }

    void run_tiles(std::span<const ResizeTile> tiles) {
        load_packed(packed_in_[0], in_operand(tiles[0]));
        for (std::size_t i = 0; i < tiles.size(); ++i) {
            okk_parallel_start();
            if (i + 1 < tiles.size()) {
                load_packed(packed_in_[(i + 1) % 2], in_operand(tiles[i + 1]));
            }
            if (i > 0) store_packed(out_operand(tiles[i - 1]), packed_out_[(i - 1) % 2]);
            compute(tiles[i], packed_in_[i % 2], packed_out_[i % 2]);
            okk_parallel_end();
        }
        store_packed(out_operand(tiles.back()), packed_out_[(tiles.size() - 1) % 2]);
    }

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
        const Inside y = inside(tile.in_y, tile.in_h, space_.y);
        const Inside x = inside(tile.in_x, tile.in_w, space_.x);
        const std::int64_t band_rows = tile.out_h / space_.y.out_step() * space_.y.in_step();
        return operand(input_, tile, y.first, y.last - y.first + 1, x.first, x.last - x.first + 1,
                       band_rows);
    }
    TileOperand out_operand(const ResizeTile& tile) const {
        return operand(output_, tile, tile.out_y, tile.out_h, tile.out_x, tile.out_w, tile.out_h);
    }

    // ---- Words. ----

    /// Every `step`-th row from `first` on of a plane.
    static LocalTensor rows(const LocalTensor& plane, std::int64_t first, std::int64_t count,
                            std::int64_t step) {
        return part(plane, {first, count, step}, {0, plane.shape.w, 1});
    }
    static LocalTensor columns(const LocalTensor& plane, std::int64_t first, std::int64_t count,
                               std::int64_t step) {
        return part(plane, {0, plane.shape.h, 1}, {first, count, step});
    }
    struct Range {
        std::int64_t first, count, step;
    };
    static LocalTensor part(const LocalTensor& plane, const Range& y, const Range& x) {
        const std::int64_t width = plane.shape.w;
        LocalTensor view;
        view.address = plane.address + static_cast<local_addr_t>(4 * (y.first * width + x.first));
        view.shape = {1, plane.shape.c, narrow(y.count), narrow(x.count)};
        const std::int64_t slot = isa::align_up(width * plane.shape.h, std::int64_t{32});
        view.stride = dim4{0, narrow(slot), narrow(y.step * width), narrow(x.step)};
        return view;
    }

    /// The input with what lies outside the image: copies of its border.
    LocalTensor with_border(const LocalTensor& loaded, const ResizeTile& tile,
                            Scratch::Frame& frame) const {
        const Inside y = inside(tile.in_y, tile.in_h, space_.y);
        const Inside x = inside(tile.in_x, tile.in_w, space_.x);
        const std::int64_t top = y.first - tile.in_y;
        const std::int64_t left = x.first - tile.in_x;
        const std::int64_t h = y.last - y.first + 1;
        const std::int64_t w = x.last - x.first + 1;
        if (h == tile.in_h && w == tile.in_w) return loaded;
        const LocalTensor plane = frame.plane(in_shape(tile));
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

    /// dst, of the tap's output positions, from the two neighbours.
    void sample(const LocalTensor& dst, const LocalTensor& lower, const LocalTensor& upper,
                const ResizeTap& tap, const ResizeAxis& axis) const {
        if (!bilinear_) {
            raw::copy(dst, 2 * tap.fraction >= axis.numerator ? upper : lower);
            return;
        }
        const auto unit = static_cast<float>(axis.numerator);
        const auto fraction = static_cast<float>(tap.fraction);
        const float up = integer_ ? fraction : fraction / unit;
        const float low = integer_ ? unit - fraction : (unit - fraction) / unit;
        raw::multiply(dst, lower, low);
        // Of floating-point values, infinity times zero counts.
        if (tap.fraction != 0 || !integer_) raw::multiply_add(dst, upper, up);
    }

    void interpolate_columns(const LocalTensor& dst, const LocalTensor& src,
                             const ResizeTile& tile) const {
        for (const ResizeTap& tap : space_.x.taps(tile.out_x, tile.out_x + tile.out_w)) {
            sample(columns(dst, tap.out, tap.count, space_.x.out_step()),
                   columns(src, tap.in, tap.count, space_.x.in_step()),
                   columns(src, tap.in + 1, tap.count, space_.x.in_step()), tap, space_.x);
        }
    }
    void interpolate_rows(const LocalTensor& dst, const LocalTensor& src,
                          const ResizeTile& tile) const {
        for (const ResizeTap& tap : space_.y.taps(tile.out_y, tile.out_y + tile.out_h)) {
            sample(rows(dst, tap.out, tap.count, space_.y.out_step()),
                   rows(src, tap.in, tap.count, space_.y.in_step()),
                   rows(src, tap.in + 1, tap.count, space_.y.in_step()), tap, space_.y);
        }
    }

    void compute(const ResizeTile& tile, local_addr_t packed_in, local_addr_t packed_out) {
        Scratch scratch(scratch_start_, okk_local_mem_size_per_npu() - scratch_start_, lanes_);
        Scratch::Frame frame(scratch);
        const TileOperand operand = in_operand(tile);
        local_addr_t words = packed_in;
        if (needs_words(input_.type, in_form_)) words = frame.plane(operand.shape()).address;
        const LocalTensor loaded = widen_tile(words, packed_in, operand, in_form_, scratch);
        const LocalTensor input = with_border(loaded, tile, frame);
        if (splits_sums_) {
            sum_parts(input, tile, packed_out, scratch);
            return;
        }
        const LocalTensor middle = frame.plane(middle_shape(tile));
        interpolate_columns(middle, input, tile);
        LocalTensor output{packed_out, out_shape(tile), std::nullopt};
        if (needs_words(output_.type, out_form_)) output = frame.plane(output.shape);
        interpolate_rows(output, middle, tile);
        narrow_tile(packed_out, output, output_.type, out_form_, scratch);
    }

    /// Integer sums beyond 24 bits: parts whose own sums are exact, added up exactly.
    void sum_parts(const LocalTensor& input, const ResizeTile& tile, local_addr_t packed_out,
                   Scratch& scratch) const {
        Scratch::Frame frame(scratch);
        const dim4 shape = out_shape(tile);
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
            const LocalTensor sums = inner.plane(middle_shape(tile));
            const LocalTensor high = inner.plane(middle_shape(tile));
            const LocalTensor low = inner.plane(middle_shape(tile));
            interpolate_columns(sums, values, tile);
            if (sum_bound_ * space_.y.numerator <= kExact) return add(sums);
            prim::split_float(high, low, sums, unit + kSumUnit);
            add(high);
            add(low);
        };
        if (splits_values_) {
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
        if (output_.type == tosa::DType::kI48) {
            prim::sum_to_int48(prim::interleaved_words(packed_out, shape, lanes_), sum, scratch);
            return;
        }
        const LocalTensor words{packed_out, shape, std::nullopt};
        prim::sum_to_int32(words, sum, scratch);
        narrow_tile(packed_out, words, output_.type, out_form_, scratch);
    }

    DeviceTensor input_;
    DeviceTensor output_;
    int lanes_;
    ResizeSpace space_;
    bool bilinear_ = false;
    bool integer_ = false;
    std::int64_t value_bound_ = 0;  ///< magnitude of an input element
    std::int64_t sum_bound_ = 0;    ///< magnitude of a column sum of one part, in its unit
    bool splits_values_ = false;
    bool splits_sums_ = false;
    WordForm in_form_ = WordForm::kBits;
    WordForm out_form_ = WordForm::kBits;
    std::array<local_addr_t, 2> packed_in_{};
    std::array<local_addr_t, 2> packed_out_{};
    local_addr_t scratch_start_ = 0;
};

}  // namespace

/// RESIZE: nearest neighbour, or bilinear with integers scaled by both numerators.
void resize_kernel(const OperatorCall& call) { Resize(call).run(); }

}  // namespace okksim::kernels
