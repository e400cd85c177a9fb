// SPDX-License-Identifier: Apache-2.0
#include "kernels/fourier/fourier_lanes.h"

#include <algorithm>
#include <array>

#include "firmware/okk.h"
#include "kernels/call/computing.h"
#include "kernels/prim/raw.h"
#include "kernels/tiling/tile_pipeline.h"
#include "kernels/transfer/tile_io.h"

namespace okksim::kernels {
namespace {

using isa::narrow;
using prim::LocalTensor;
namespace raw = prim::raw;

struct Complex {
    LocalTensor real, imaginary;
};

struct Tile {
    std::int32_t batch = 0, line = 0;  ///< the first
    std::int32_t channels = 1;         ///< over lanes: groups of `width` lines, or batches
    std::int32_t width = 1;
};

/// Calls `visit` with the first `most` tiles.
template <typename Visit>
void for_each_lane_tile(const FourierSize& size, const LanePlan& plan, std::int64_t most,
                        const Visit& visit) {
    const std::int64_t groups = plan.over_batches ? size.batches : size.lines / plan.width;
    const std::int64_t rest = plan.over_batches ? 0 : size.lines - groups * plan.width;
    const std::int32_t batches = plan.over_batches ? 1 : size.batches;
    for (std::int32_t b = 0; b < batches; ++b) {
        for (std::int64_t g = 0; g < groups; g += plan.channels) {
            if (most-- == 0) return;
            const std::int32_t channels = narrow(std::min(plan.channels, groups - g));
            visit(plan.over_batches ? Tile{narrow(g), 0, channels, 1}
                                    : Tile{b, narrow(g * plan.width), channels, plan.width});
        }
        if (rest == 0) continue;
        if (most-- == 0) return;
        visit(Tile{b, narrow(groups * plan.width), 1, narrow(rest)});
    }
}

/// A tile is (1, c, length, width): `width` lines side by side in every lane, so that all commands
/// run over long rows.
class LanePass {
 public:
    LanePass(const Transform& transform, const LanePlan& plan)
        : size_(transform.size),
          from_(transform.from),
          to_(transform.to),
          factors_(transform.factors),
          plan_(plan),
          lanes_(plan.lanes) {}

    void load_roots(const RootTable& table) const {
        const int half = size_.length / 2;
        if (half == 0) return;
        // Loads every `step`-th root of the table. A GDMA row has contiguous words.
        const int step = table.length / size_.length;
        const dim4 shape =
            step == 1 ? dim4{1, lanes_.count, 1, half} : dim4{1, lanes_.count, half, 1};
        const dim4 stride{0, 0, step, 1};
        const dim4 packed{0, narrow(lanes_.whole_lines(half)), 1, 1};
        const dim4* local = step == 1 ? nullptr : &packed;
        okk_gdma_32bit_cpy_S2L(plan_.roots.at(0), table.address, &shape, local, &stride);
        okk_gdma_32bit_cpy_S2L(plan_.roots.at(1), table.imaginary(), &shape, local, &stride);
    }

    void load(const Tile& tile, int buffer) const {
        const auto to = pair(plan_.in, buffer);
        load_packed(to[0], operand(from_, from_.real, tile, size_.length), lanes_);
        if (from_.imaginary) {
            load_packed(to[1], operand(from_, *from_.imaginary, tile, size_.length), lanes_);
        }
        if (!factors_) return;
        const auto factors = pair(plan_.factors, buffer);
        load_packed(factors[0], operand(*factors_, factors_->real, tile, size_.length), lanes_);
        load_packed(factors[1], operand(*factors_, *factors_->imaginary, tile, size_.length),
                    lanes_);
    }
    void store(const Tile& tile, int buffer) const {
        const auto from = pair(plan_.out, buffer);
        store_part(to_.real, from[0], tile);
        store_part(*to_.imaginary, from[1], tile);
    }
    void compute(const Tile& tile, int buffer) const {
        const auto in = pair(plan_.in, buffer);
        const auto out = pair(plan_.out, buffer);
        const std::int64_t all = std::int64_t{size_.length} * tile.width;
        if (!from_.imaginary) raw::fill(rows(in[1], tile, 0, 1, all, all), 0.0f);
        Pair source = in;
        Pair target = out;
        std::int64_t inner = tile.width;
        for (std::int64_t length = size_.length; length > 1; length /= 2, inner *= 2) {
            halve(target, source, tile, length, inner);
            std::swap(source, target);
        }
        const bool moved = source == out;
        const auto plane = [&](const Pair& parts) { return rows(parts, tile, 0, 1, all, all); };
        if (factors_) {
            // Products go to the free buffer.
            multiply(plane(target), plane(source), plane(pair(plan_.factors, buffer)),
                     plane(pair(plan_.difference, 0)).real);
            if (!moved) return;
            source = target;
        } else if (moved) {
            return;
        }
        raw::copy(plane(out).real, plane(source).real);
        raw::copy(plane(out).imaginary, plane(source).imaginary);
    }

 private:
    using Pair = std::array<local_addr_t, 2>;

    /// Real and imaginary part of a buffer.
    static Pair pair(const LocalPlanes& planes, int buffer) {
        const auto first = 2 * static_cast<std::size_t>(buffer);
        return {planes.at(first), planes.at(first + 1)};
    }

    TileOperand operand(const ComplexRegion& region, std::uint64_t address, const Tile& tile,
                        std::int32_t positions) const {
        TileOperand block;
        const std::int64_t offset =
            tile.batch * region.batch_stride + tile.line * region.line_stride;
        block.address = address + static_cast<std::uint64_t>(4 * offset);
        block.type = tosa::DType::kFp32;
        block.c = tile.channels;
        block.c_stride = plan_.over_batches ? region.batch_stride : tile.width * region.line_stride;
        block.h = positions;
        block.h_stride = region.axis_stride;
        block.w = tile.width;
        block.w_stride = region.line_stride;
        if (tile.width == 1) {
            std::swap(block.h, block.w);
            std::swap(block.h_stride, block.w_stride);
        }
        // An extent of 1 broadcasts nothing.
        for (auto [extent, stride] :
             {std::pair{block.c, &block.c_stride}, std::pair{block.h, &block.h_stride},
              std::pair{block.w, &block.w_stride}}) {
            if (extent == 1) *stride = 1;
        }
        return block;
    }

    /// Stores the first `kept` positions of every line.
    void store_part(std::uint64_t address, local_addr_t from, const Tile& tile) const {
        const TileOperand block = operand(to_, address, tile, size_.kept);
        if (size_.kept == size_.length) {
            store_packed(block, from, lanes_);
            return;
        }
        const int channel = narrow(lanes_.whole_lines(std::int64_t{size_.length} * tile.width));
        const auto step = [](std::int64_t stride) { return narrow(stride); };
        if (block.w == 1 || block.w_stride == 1) {
            const dim4 shape{1, block.c, block.h, block.w};
            const dim4 local{0, channel, tile.width, 1};
            const dim4 system{0, step(block.c_stride), step(block.h_stride), 1};
            okk_gdma_32bit_cpy_L2S(block.address, from, &shape, &system, &local);
        } else {
            const dim4 shape{block.h, block.c, block.w, 1};
            const dim4 local{tile.width, channel, 1, 1};
            const dim4 system{step(block.h_stride), step(block.c_stride), step(block.w_stride), 1};
            okk_gdma_32bit_cpy_L2S(block.address, from, &shape, &system, &local);
        }
    }

    /// Positions of a tile as rows of `inner` words, `rows` of them, `step` words apart.
    LocalTensor rows(local_addr_t address, const Tile& tile, std::int64_t begin, std::int64_t count,
                     std::int64_t step, std::int64_t inner) const {
        const std::int64_t channel = lanes_.whole_lines(std::int64_t{size_.length} * tile.width);
        return {address + static_cast<local_addr_t>(4 * begin),
                {1, tile.channels, narrow(count), narrow(inner)},
                dim4{0, narrow(channel), narrow(step), 1}};
    }

    Complex rows(const Pair& pair, const Tile& tile, std::int64_t begin, std::int64_t count,
                 std::int64_t step, std::int64_t inner) const {
        return {rows(pair[0], tile, begin, count, step, inner),
                rows(pair[1], tile, begin, count, step, inner)};
    }

    /// to = a * b; `t` is another plane of the same shape; to is not a or b.
    static void multiply(const Complex& to, const Complex& a, const Complex& b,
                         const LocalTensor& t) {
        raw::multiply(to.real, a.real, b.real);
        raw::multiply(t, a.imaginary, b.imaginary);
        raw::subtract(to.real, to.real, t);
        raw::multiply(to.imaginary, a.imaginary, b.real);
        raw::multiply(t, a.real, b.imaginary);
        raw::add(to.imaginary, to.imaginary, t);
    }

    /// One step of the self-sorting algorithm (decimation in frequency). Transforms of `length`
    /// over rows of `inner` words become transforms of half the length over rows of twice the
    /// length.
    void halve(const Pair& to, const Pair& from, const Tile& tile, std::int64_t length,
               std::int64_t inner) const {
        const std::int64_t half = length / 2;
        const Complex a = rows(from, tile, 0, half, inner, inner);
        const Complex b = rows(from, tile, half * inner, half, inner, inner);
        const Complex sum = rows(to, tile, 0, half, 2 * inner, inner);
        const Complex rest = rows(to, tile, inner, half, 2 * inner, inner);
        raw::add(sum.real, a.real, b.real);
        raw::add(sum.imaginary, a.imaginary, b.imaginary);
        if (half == 1) {
            raw::subtract(rest.real, a.real, b.real);
            raw::subtract(rest.imaginary, a.imaginary, b.imaginary);
            return;
        }
        // The differences use the first halves of their planes, the products a second half.
        const Pair differences = pair(plan_.difference, 0);
        const Complex difference = rows(differences, tile, 0, half, inner, inner);
        const LocalTensor t = rows(differences[0], tile, half * inner, half, inner, inner);
        raw::subtract(difference.real, a.real, b.real);
        raw::subtract(difference.imaginary, a.imaginary, b.imaginary);
        const dim4 step{0, 0, narrow(size_.length / length), 0};
        const Complex roots{{plan_.roots.at(0), a.real.shape, step},
                            {plan_.roots.at(1), a.real.shape, step}};
        multiply(rest, difference, roots, t);
    }

    FourierSize size_;
    ComplexRegion from_, to_;
    const std::optional<ComplexRegion>& factors_;
    const LanePlan& plan_;
    const Lanes& lanes_;
};

}  // namespace

void run_in_lanes(const Transform& transform, const LanePlan& plan, std::int64_t most) {
    LanePass pass(transform, plan);
    pass.load_roots(transform.roots);
    TilePipeline<Tile, LanePass> pipeline(pass);
    for_each_lane_tile(transform.size, plan, most, [&](const Tile& tile) {
        charge(OwnWork::kTransformTile);
        pipeline.push(tile);
    });
    pipeline.finish();
}

}  // namespace okksim::kernels
