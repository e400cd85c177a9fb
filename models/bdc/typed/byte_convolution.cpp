// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/typed/byte_convolution.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <vector>

#include "models/bdc/layers/scratch.h"
#include "models/bdc/typed/byte_products.h"
#include "models/bdc/typed/int_planes.h"
#include "models/bdc/typed/word_results.h"

namespace okksim::models {
namespace {

using isa::ElementType;

constexpr ByteQuad kEachByte = 0x01010101;

/// Offset that makes inputs unsigned.
std::int32_t byte_offset(ElementType type) { return type == ElementType::kInt8 ? 128 : 0; }

ByteQuad load_quad(const std::byte* from) {
    ByteQuad quad;
    std::memcpy(&quad, from, sizeof quad);
    return quad;
}

/// Weights as rows of products, one per output channel, tap by tap. Rows of a lane are contiguous,
/// as in local memory.
class PackedWeights {
 public:
    PackedWeights(const isa::IntConvolution& form, LocalMemory& memory, LanePool& pool,
                  bdc::Scratch& scratch)
        : quads_(isa::div_up(form.input_shape.c, isa::kWordBytes)),
          taps_(std::int64_t{form.kernel_h} * form.kernel_w),
          channels_(form.output_c),
          parts_(isa::div_up(channels_, kByteRows)),
          rows_(scratch.words<ByteQuad>(parts_ * depth() * kByteRows)),
          sums_(static_cast<std::size_t>(parts_ * kByteRows)) {
        for (std::int32_t lane = 0; lane < std::min(form.output_c, memory.lanes()); ++lane) {
            for (std::int32_t c = lane; c < form.output_c; c += memory.lanes()) {
                order_.push_back(c);
            }
        }
        const auto words = Planes::compact(
            memory, form.weight_addr,
            isa::weight_4ic_shape(form.input_shape.c, form.output_c, form.kernel_h, form.kernel_w),
            ElementType::kInt32);
        pool.parallel_for(parts_, static_cast<double>(depth() * kByteRows),
                          [&](std::int64_t begin, std::int64_t end) {
                              for (std::int64_t part = begin; part < end; ++part) {
                                  take_part(words, part);
                              }
                          });
    }

    std::int64_t depth() const { return quads_ * taps_; }
    ByteRows rows() const { return {rows_, parts_, depth()}; }
    std::int32_t channel(std::int64_t row) const { return order_[static_cast<std::size_t>(row)]; }
    /// Returns the sum of all weights of a row.
    std::int64_t sum(std::int64_t row) const { return sums_[static_cast<std::size_t>(row)]; }

 private:
    void take_part(const Planes& words, std::int64_t part) {
        ByteQuad* rows = rows_ + part * depth() * kByteRows;
        const std::int64_t first = part * kByteRows;
        const std::int64_t count = std::min(kByteRows, channels_ - first);
        if (count < kByteRows) std::fill_n(rows, depth() * kByteRows, ByteQuad{0});
        std::array<const std::byte*, kByteRows> from{};
        for (std::int64_t r = 0; r < count; ++r) {
            from[static_cast<std::size_t>(r)] = words.plane(0, channel(first + r)).data;
        }
        const std::int64_t step =
            quads_ == 1 ? 0 : words.plane(1, channel(first)).data - from.front();
        constexpr std::int64_t kAhead = 16;  // quads; they are far apart where a lane has many
                                             // channels
        const auto take = [&](auto taken) {
            for (std::int64_t quad = 0; quad < quads_; ++quad) {
                __builtin_prefetch(from.front() + std::min(quad + kAhead, quads_ - 1) * step);
                for (std::int64_t tap = 0; tap < taps_; ++tap) {
                    const std::int64_t at = quad * step + tap * isa::kWordBytes;
                    ByteQuad* to = rows + (tap * quads_ + quad) * kByteRows;
                    for (std::size_t r = 0; r < taken; ++r) to[r] = load_quad(from[r] + at);
                }
            }
        };
        // A compile-time count unrolls the loop.
        if (count == kByteRows) {
            take(std::integral_constant<std::size_t, kByteRows>());
        } else {
            take(static_cast<std::size_t>(count));
        }
        sum_byte_rows({rows, 1, depth()}, &sums_[static_cast<std::size_t>(first)]);
    }

    std::int64_t quads_, taps_, channels_, parts_;
    ByteQuad* rows_;
    std::vector<std::int32_t> order_;  ///< channels of rows
    std::vector<std::int32_t> sums_;
};

/// The pixels of all images as unsigned bytes, with four channels adjacent.
class PixelQuads {
 public:
    PixelQuads(const isa::IntConvolution& form, LocalMemory& memory, LanePool& pool,
               bdc::Scratch& scratch)
        : quads_(isa::div_up(form.input_shape.c, isa::kWordBytes)),
          plane_(std::int64_t{form.input_shape.h} * form.input_shape.w),
          pitch_(isa::align_up(plane_ * form.input_shape.n, kByteColumns)),
          values_(scratch.words<ByteQuad>(quads_ * pitch_)),
          none_(static_cast<std::size_t>(plane_),
                static_cast<std::byte>(form.input_zp + byte_offset(form.input_type))) {
        const auto input =
            Planes::aligned(memory, form.input_addr, form.input_shape, form.input_type);
        const std::int64_t jobs = quads_ * form.input_shape.n;
        pool.parallel_for(jobs, static_cast<double>(plane_),
                          [&](std::int64_t begin, std::int64_t end) {
                              for (std::int64_t job = begin; job < end; ++job) {
                                  take_quads(form, input, job / quads_, job % quads_);
                              }
                          });
    }

    /// Returns the quads from a pixel, counted over all images, on.
    const ByteQuad* quads(std::int64_t quad, std::int64_t pixel) const {
        return values_ + quad * pitch_ + pixel;
    }

 private:
    void take_quads(const isa::IntConvolution& form, const Planes& input, std::int64_t n,
                    std::int64_t quad) {
        const ByteQuad sign = static_cast<ByteQuad>(byte_offset(form.input_type)) * kEachByte;
        // The zero point, already unsigned, fills missing channels. Weights in the layout after the
        // last channel therefore add nothing.
        const std::byte* planes[isa::kWordBytes];
        for (std::int64_t i = 0; i < isa::kWordBytes; ++i) {
            const std::int64_t c = quad * isa::kWordBytes + i;
            planes[i] = c < form.input_shape.c ? input.plane(n, c).data : none_.data();
        }
        const std::int64_t there =
            std::min(form.input_shape.c - quad * isa::kWordBytes, std::int64_t{isa::kWordBytes});
        const int bits = isa::kWordBits / isa::kWordBytes;
        const ByteQuad turned =
            there == isa::kWordBytes ? sign : sign & ((ByteQuad{1} << (there * bits)) - 1);
        ByteQuad* to = values_ + quad * pitch_ + n * plane_;
        for (std::int64_t p = 0; p < plane_; ++p) {
            const auto byte = [&](int i) {
                return static_cast<ByteQuad>(planes[i][p]) << (i * bits);
            };
            to[p] = (byte(0) | byte(1) | byte(2) | byte(3)) ^ turned;
        }
    }

    std::int64_t quads_, plane_, pitch_;
    ByteQuad* values_;
    std::vector<std::byte> none_;
};

/// Neighbouring columns of a tap; their pixels are a stride apart.
struct Run {
    std::int64_t column;
    std::int64_t count;
    std::int64_t pixel;  ///< of all images; negative: padding
};

/// Neighbouring columns of one image.
struct Segment {
    std::int64_t column;
    std::int64_t count;
    std::int32_t n;
    std::int64_t pixel;
};

class ByteConvolution {
 public:
    ByteConvolution(const isa::IntConvolution& form, LocalMemory& memory, LanePool& pool)
        : form_(form),
          output_(isa::window_geometry(form.input_shape, form.output_c, form.kernel_h,
                                       form.kernel_w, form.padding, form.stride, form.dilation)
                      .output),
          zero_(form.input_zp + byte_offset(form.input_type)),
          to_(Planes::aligned(memory, form.output_addr, output_, form.output_type)),
          weights_(form, memory, pool, scratch().weights),
          pixels_(form, memory, pool, scratch().pixels),
          channels_(form, form.output_c, memory) {}

    void run(LanePool& pool) {
        Results results(output_, form_.output_type);
        // Tiles of similar width, so that the last tile does not have only a few columns.
        const std::int64_t vectors = isa::div_up(columns(), kByteColumns);
        const std::int64_t tiles = isa::div_up(vectors * kByteColumns, kByteTileColumns);
        const std::int64_t width = isa::div_up(vectors, tiles) * kByteColumns;
        const double cost = kProductNanoseconds / 128 * isa::kWordBytes *
                            static_cast<double>(width * weights_.depth() * output_.c);
        pool.parallel_for(
            isa::div_up(columns(), width), cost, [&](std::int64_t begin, std::int64_t end) {
                thread_local bdc::Scratch quads, sums;
                const ByteRows rows = weights_.rows();
                const std::int64_t of_rows = rows.parts * kByteRows * kByteTileColumns;
                Tile tile{quads.words<ByteQuad>(rows.depth * width),
                          width,
                          sums.words<std::int32_t>(of_rows),
                          {},
                          {}};
                const std::int64_t last = std::min(end * width, columns());
                for (std::int64_t first = begin * width; first < last; first += width) {
                    sum_tile(first, std::min(width, last - first), tile, results);
                }
            });
        results.store(to_);
    }

 private:
    struct Buffers {
        bdc::Scratch weights, pixels;
    };
    static Buffers& scratch() {
        thread_local Buffers buffers;
        return buffers;
    }
    /// Buffers of a thread for a tile.
    struct Tile {
        ByteQuad* quads;     ///< of the columns, contiguous
        std::int64_t width;  ///< columns from a quad to the next
        std::int32_t* sums;  ///< kByteTileColumns of each row
        std::vector<Run> runs;
        std::vector<Segment> segments;
    };

    std::int64_t plane() const { return std::int64_t{output_.h} * output_.w; }
    std::int64_t columns() const { return plane() * output_.n; }
    std::int64_t quads() const { return isa::div_up(form_.input_shape.c, isa::kWordBytes); }
    /// Finds the runs of a tap among `count` columns from `first` on.
    void find_runs(std::int64_t first, std::int64_t count, std::int64_t tap,
                   std::vector<Run>& runs) const {
        runs.clear();
        const isa::Dim4& input = form_.input_shape;
        const std::int64_t down = tap / form_.kernel_w * form_.dilation.h - form_.padding.top;
        const std::int64_t right = tap % form_.kernel_w * form_.dilation.w - form_.padding.left;
        for (std::int64_t done = 0; done < count;) {
            const std::int64_t column = first + done;
            const std::int64_t row = column / output_.w, begin = column % output_.w;
            const std::int64_t end = std::min<std::int64_t>(output_.w, begin + count - done);
            const std::int64_t h = row % output_.h * form_.stride.h + down;
            const bool is_inside = h >= 0 && h < input.h;
            const auto clamped = [&](std::int64_t edge) {
                return is_inside ? std::clamp(isa::div_up(edge, form_.stride.w), begin, end) : end;
            };
            // Columns left of the inputs, inside them, and right of them.
            const std::int64_t from = clamped(std::max<std::int64_t>(-right, 0));
            const std::int64_t to =
                std::max(from, clamped(std::max<std::int64_t>(input.w - right, 0)));
            const std::int64_t pixel =
                (row / output_.h * input.h + h) * input.w + from * form_.stride.w + right;
            if (from > begin) runs.push_back({done, from - begin, -1});
            if (to > from) runs.push_back({done + from - begin, to - from, pixel});
            if (end > to) runs.push_back({done + to - begin, end - to, -1});
            done += end - begin;
        }
    }

    void gather(std::int64_t first, std::int64_t count, Tile& tile) const {
        const std::int64_t taps = std::int64_t{form_.kernel_h} * form_.kernel_w;
        const ByteQuad padding = static_cast<ByteQuad>(zero_) * kEachByte;
        ByteQuad* to = tile.quads;
        for (std::int64_t tap = 0; tap < taps; ++tap) {
            find_runs(first, count, tap, tile.runs);
            for (std::int64_t quad = 0; quad < quads(); ++quad, to += tile.width) {
                for (const Run& run : tile.runs) {
                    if (run.pixel < 0) {
                        std::fill_n(to + run.column, run.count, padding);
                        continue;
                    }
                    const ByteQuad* from = pixels_.quads(quad, run.pixel);
                    // The separate case for stride 1 lets the compiler use vectors.
                    if (form_.stride.w == 1) {
                        std::copy_n(from, run.count, to + run.column);
                        continue;
                    }
                    for (std::int64_t i = 0; i < run.count; ++i) {
                        to[run.column + i] = from[i * form_.stride.w];
                    }
                }
            }
        }
    }

    /// Columns are counted over all images.
    void find_segments(std::int64_t first, std::int64_t count, std::vector<Segment>& found) const {
        found.clear();
        for (std::int64_t done = 0; done < count; done += found.back().count) {
            const std::int64_t pixel = (first + done) % plane();
            found.push_back({done, std::min(count - done, plane() - pixel),
                             static_cast<std::int32_t>((first + done) / plane()), pixel});
        }
    }

    void sum_tile(std::int64_t first, std::int64_t count, Tile& tile, Results& results) const {
        gather(first, count, tile);
        const ByteColumns columns{tile.quads, count, tile.width};
        sum_byte_products(weights_.rows(), columns, tile.sums);
        find_segments(first, count, tile.segments);
        const std::vector<std::int64_t> of_pixels = pixel_terms(columns);
        for (std::int64_t row = 0; row < output_.c; ++row) {
            std::int32_t* sums = tile.sums + row * kByteTileColumns;
            for (std::size_t p = 0; p < of_pixels.size(); ++p) {
                sums[p] = static_cast<std::int32_t>(sums[p] - of_pixels[p]);
            }
            for (const Segment& segment : tile.segments) finish(segment, row, sums, results);
        }
    }

    /// Returns the terms that depend on the pixels alone. A sum is that of (u - o) * (w - z): u is
    /// the unsigned input, o its zero point, z the zero point of the weights. It equals the sum of
    /// u * w, less o times the sum of w, less z times the sum of u - o. The last part is the
    /// result; empty if z is 0.
    std::vector<std::int64_t> pixel_terms(const ByteColumns& columns) const {
        std::vector<std::int64_t> terms;
        if (form_.weight_zp == 0) return terms;
        const std::int64_t depth = weights_.depth();
        terms.assign(static_cast<std::size_t>(columns.count), -depth * isa::kWordBytes * zero_);
        for (std::int64_t k = 0; k < depth; ++k) {
            for (std::int64_t p = 0; p < columns.count; ++p) {
                std::array<std::uint8_t, isa::kWordBytes> bytes{};
                std::memcpy(bytes.data(), &columns.quads[k * columns.pitch + p], bytes.size());
                for (const std::uint8_t byte : bytes) terms[static_cast<std::size_t>(p)] += byte;
            }
        }
        for (std::int64_t& term : terms) term *= form_.weight_zp;
        return terms;
    }

    void finish(const Segment& at, std::int64_t row, std::int32_t* sums_of_row,
                Results& results) const {
        std::int32_t* sums = sums_of_row + at.column;
        const std::int32_t channel = weights_.channel(row);
        std::int64_t start = -zero_ * weights_.sum(row);
        if (form_.result_add == 0) {
            start += channels_.bias(channel);
        } else {
            const std::vector<std::int64_t> old =
                values_of(to_.plane(at.n, channel).behind(at.pixel), at.count);
            for (std::int64_t i = 0; i < at.count; ++i) {
                sums[i] = static_cast<std::int32_t>(sums[i] + old[static_cast<std::size_t>(i)]);
            }
        }
        store_word_results(channels_.scaling(channel), start, sums, at.count, form_.output_type,
                           results.at(at.n, channel, at.pixel));
    }

    const isa::IntConvolution& form_;
    isa::Dim4 output_;
    std::int64_t zero_;  ///< of the unsigned inputs
    Planes to_;
    PackedWeights weights_;
    PixelQuads pixels_;
    Channels<isa::IntConvolution> channels_;
};

}  // namespace

bool is_byte_convolution(const isa::IntConvolution& form) {
    if (form.input_type != ElementType::kInt8 && form.input_type != ElementType::kUint8) {
        return false;
    }
    const std::int64_t zero = std::int64_t{form.input_zp} + byte_offset(form.input_type);
    return zero >= 0 && zero <= UINT8_MAX &&
           isa::element_bytes(form.output_type) <= isa::kWordBytes;
}

void execute_byte_convolution(const isa::IntConvolution& form, LocalMemory& memory,
                              LanePool& pool) {
    ByteConvolution(form, memory, pool).run(pool);
}

}  // namespace okksim::models
