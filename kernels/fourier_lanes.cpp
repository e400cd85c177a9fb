// SPDX-License-Identifier: Apache-2.0
#include "kernels/fourier_lanes.h"

#include <algorithm>
#include <array>

#include "firmware/okk.h"
#include "isa/errors.h"
#include "isa/layout.h"
#include "kernels/narrow.h"
#include "kernels/prim/raw.h"
#include "kernels/tile_io.h"
#include "kernels/tiling/tile_pipeline.h"

namespace okksim::kernels {
namespace {

using prim::LocalTensor;
namespace raw = prim::raw;

constexpr std::int64_t kMostChannels = 4095;

struct Complex {
    LocalTensor real, imaginary;
};

/// Transforms that fit a lane. A tile is (1, c, length, width): `width` lines side by side in every
/// lane, so that all commands run over long rows.
class LanePass {
 public:
    LanePass(const FourierSize& size, bool has_factors)
        : size_(size), has_factors_(has_factors), lanes_(okk_npu_num()) {}

    /// Longest transform that fits a lane together with its factors.
    static std::int64_t longest() {
        const std::int64_t words = okk_local_mem_size_per_npu() / 4;
        std::int64_t length = 32;
        while (words_for(2 * length, 2 * length, kPlanesWithFactors) <= words) length *= 2;
        return length;
    }

    /// `factors`: numbers that results are multiplied by, with the strides of `to`.
    void run(const ComplexRegion& from, const ComplexRegion& to, const ComplexRegion* factors,
             const RootTable& table) {
        from_ = from;
        to_ = to;
        if (factors != nullptr) factors_ = *factors;
        plan_memory();
        load_table(table);
        plan_tiles();
        run_tile_pipeline(
            tiles_.size(), [&](std::size_t i) { load(i); }, [&](std::size_t i) { compute(i); },
            [&](std::size_t i) { store(i); });
    }

 private:
    struct Tile {
        std::int32_t batch = 0, line = 0;  ///< the first
        std::int32_t channels = 1;         ///< over lanes: groups of `width` lines, or batches
        std::int32_t width = 1;
    };
    /// Two buffers at both ends, two planes of intermediate values; factors twice.
    static constexpr std::int64_t kPlanes = 10, kPlanesWithFactors = 14;

    static std::int64_t words_for(std::int64_t length, std::int64_t plane, std::int64_t planes) {
        return planes * isa::align_up(plane, std::int64_t{32}) +
               2 * isa::align_up(length / 2, std::int64_t{32});
    }

    void plan_memory() {
        const std::int64_t words = okk_local_mem_size_per_npu() / 4;
        const std::int64_t planes = has_factors_ ? kPlanesWithFactors : kPlanes;
        plane_words_ = (words - words_for(size_.length, 0, 0)) / planes / 32 * 32;
        OKKSIM_CHECK(plane_words_ >= size_.length);
        local_addr_t next = 0;
        const auto take = [&](std::int64_t count) {
            const local_addr_t address = next;
            next += static_cast<local_addr_t>(4 * count);
            return address;
        };
        for (auto* group : {&in_, &out_, &factor_}) {
            if (group == &factor_ && !has_factors_) continue;
            for (auto& pair : *group) pair = {take(plane_words_), take(plane_words_)};
        }
        difference_ = {take(plane_words_), take(plane_words_)};
        const std::int64_t half = isa::align_up(std::int64_t{size_.length / 2}, std::int64_t{32});
        roots_ = {take(half), take(half)};
    }

    void load_table(const RootTable& table) const {
        const int half = size_.length / 2;
        if (half == 0) return;
        // Of the table's roots every `step`-th; the data mover takes words side by side in rows.
        const int step = table.length / size_.length;
        const dim4 shape = step == 1 ? dim4{1, lanes_, 1, half} : dim4{1, lanes_, half, 1};
        const dim4 stride{0, 0, step, 1};
        const dim4 packed{0, narrow(isa::align_up(std::int64_t{half}, std::int64_t{32})), 1, 1};
        const dim4* local = step == 1 ? nullptr : &packed;
        okk_gdma_32bit_cpy_S2L(roots_[0], table.address, &shape, local, &stride);
        okk_gdma_32bit_cpy_S2L(roots_[1], table.imaginary(), &shape, local, &stride);
    }

    void plan_tiles() {
        const std::int64_t length = size_.length;
        // Lines beside each other in memory go side by side; otherwise a lane takes one at a time.
        const bool beside = from_.line_stride == 1;
        std::int64_t width = 1;
        if (beside) {
            width = std::clamp<std::int64_t>(
                isa::div_up(std::int64_t{size_.lines}, std::int64_t{lanes_}), 1,
                plane_words_ / length);
        }
        const std::int64_t slot = isa::align_up(length * width, std::int64_t{32});
        const std::int64_t channels =
            std::min(std::max<std::int64_t>(1, plane_words_ / slot) * lanes_,
                     kMostChannels / lanes_ * lanes_);
        over_batches_ = size_.lines == 1;
        const std::int64_t groups = over_batches_ ? size_.batches : size_.lines / width;
        const std::int64_t rest = over_batches_ ? 0 : size_.lines - groups * width;
        for (std::int32_t b = 0; b < (over_batches_ ? 1 : size_.batches); ++b) {
            for (std::int64_t g = 0; g < groups; g += channels) {
                Tile tile{b, narrow(g * width), narrow(std::min(channels, groups - g)),
                          narrow(width)};
                if (over_batches_) tile.batch = narrow(g), tile.line = 0;
                tiles_.push_back(tile);
            }
            if (rest > 0) tiles_.push_back({b, narrow(groups * width), 1, narrow(rest)});
        }
    }

    TileOperand operand(const ComplexRegion& region, std::uint64_t address, const Tile& tile,
                        std::int32_t positions) const {
        TileOperand block;
        const std::int64_t offset =
            tile.batch * region.batch_stride + tile.line * region.line_stride;
        block.address = address + static_cast<std::uint64_t>(4 * offset);
        block.type = tosa::DType::kFp32;
        block.c = tile.channels;
        block.c_stride = over_batches_ ? region.batch_stride : tile.width * region.line_stride;
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

    void load(std::size_t i) const {
        const Tile& tile = tiles_[i];
        const auto& to = in_[i % 2];
        load_packed(to[0], operand(from_, from_.real, tile, size_.length));
        if (from_.imaginary) {
            load_packed(to[1], operand(from_, *from_.imaginary, tile, size_.length));
        }
        if (!has_factors_) return;
        load_packed(factor_[i % 2][0], operand(factors_, factors_.real, tile, size_.length));
        load_packed(factor_[i % 2][1], operand(factors_, *factors_.imaginary, tile, size_.length));
    }

    void store(std::size_t i) const {
        store_part(to_.real, out_[i % 2][0], tiles_[i]);
        store_part(*to_.imaginary, out_[i % 2][1], tiles_[i]);
    }

    /// The first `kept` positions of every line.
    void store_part(std::uint64_t address, local_addr_t from, const Tile& tile) const {
        const TileOperand block = operand(to_, address, tile, size_.kept);
        if (size_.kept == size_.length) {
            store_packed(block, from);
            return;
        }
        const int channel =
            narrow(isa::align_up(std::int64_t{size_.length} * tile.width, std::int64_t{32}));
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
        const std::int64_t channel =
            isa::align_up(std::int64_t{size_.length} * tile.width, std::int64_t{32});
        return {address + static_cast<local_addr_t>(4 * begin),
                {1, tile.channels, narrow(count), narrow(inner)},
                dim4{0, narrow(channel), narrow(step), 1}};
    }

    Complex rows(const std::array<local_addr_t, 2>& pair, const Tile& tile, std::int64_t begin,
                 std::int64_t count, std::int64_t step, std::int64_t inner) const {
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

    /// One step of the self-sorting algorithm (decimation in frequency): transforms of `length`
    /// over rows of `inner` words become transforms of half the length over twice as long rows.
    void halve(const std::array<local_addr_t, 2>& to, const std::array<local_addr_t, 2>& from,
               const Tile& tile, std::int64_t length, std::int64_t inner) const {
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
        // The differences take the first halves of their planes, the products a second half.
        const Complex difference = rows(difference_, tile, 0, half, inner, inner);
        const LocalTensor t = rows(difference_[0], tile, half * inner, half, inner, inner);
        raw::subtract(difference.real, a.real, b.real);
        raw::subtract(difference.imaginary, a.imaginary, b.imaginary);
        const dim4 step{0, 0, narrow(size_.length / length), 0};
        const Complex roots{{roots_[0], a.real.shape, step}, {roots_[1], a.real.shape, step}};
        multiply(rest, difference, roots, t);
    }

    void compute(std::size_t i) const {
        const Tile& tile = tiles_[i];
        const std::int64_t all = std::int64_t{size_.length} * tile.width;
        if (!from_.imaginary) raw::fill(rows(in_[i % 2][1], tile, 0, 1, all, all), 0.0f);
        std::array<local_addr_t, 2> source = in_[i % 2];
        std::array<local_addr_t, 2> target = out_[i % 2];
        std::int64_t inner = tile.width;
        for (std::int64_t length = size_.length; length > 1; length /= 2, inner *= 2) {
            halve(target, source, tile, length, inner);
            std::swap(source, target);
        }
        const bool moved = source == out_[i % 2];
        const auto plane = [&](const auto& pair) { return rows(pair, tile, 0, 1, all, all); };
        if (has_factors_) {
            // Products go to the buffer that is free.
            multiply(plane(target), plane(source), plane(factor_[i % 2]), plane(difference_).real);
            if (!moved) return;
            source = target;
        } else if (moved) {
            return;
        }
        raw::copy(plane(out_[i % 2]).real, plane(source).real);
        raw::copy(plane(out_[i % 2]).imaginary, plane(source).imaginary);
    }

    FourierSize size_;
    bool has_factors_;
    int lanes_;
    ComplexRegion from_, to_, factors_;
    bool over_batches_ = false;
    std::int64_t plane_words_ = 0;
    std::array<std::array<local_addr_t, 2>, 2> in_{}, out_{}, factor_{};
    std::array<local_addr_t, 2> difference_{}, roots_{};
    std::vector<Tile> tiles_;
};

}  // namespace

std::int64_t longest_lane_transform() { return LanePass::longest(); }

void transform_in_lanes(const FourierSize& size, const ComplexRegion& from, const ComplexRegion& to,
                        const ComplexRegion* factors, const RootTable& table) {
    LanePass(size, factors != nullptr).run(from, to, factors, table);
}

}  // namespace okksim::kernels
