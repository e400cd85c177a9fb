// SPDX-License-Identifier: Apache-2.0
#include "kernels/pool/window_fold.h"

#include <bit>

#include "kernels/prim/raw.h"

namespace okksim::kernels {
namespace {

using prim::LocalTensor;

dim4 strides_of(const LocalTensor& tensor, const Lanes& lanes) {
    if (tensor.stride) return *tensor.stride;
    const int row = tensor.shape.h * tensor.shape.w;
    return {0, isa::narrow(lanes.whole_lines(row)), tensor.shape.w, 1};
}

/// Positions begin, begin + step, ... of an axis.
LocalTensor slice(const LocalTensor& whole, TileAxis axis, int begin, int step, int count,
                  const Lanes& lanes) {
    LocalTensor part = whole;
    dim4 stride = strides_of(whole, lanes);
    int& along = axis == TileAxis::kHeight ? stride.h : stride.w;
    part.address += static_cast<local_addr_t>(4 * begin * along);
    along *= step;
    (axis == TileAxis::kHeight ? part.shape.h : part.shape.w) = count;
    part.stride = stride;
    return part;
}

/// One axis of values.
class Line {
 public:
    Line(const Combiner& combiner, TileAxis axis, prim::Scratch& scratch)
        : combiner_(combiner), axis_(axis), scratch_(scratch) {}

    Values slice(const Values& whole, int begin, int step, int count) const {
        Values part;
        for (std::size_t i = 0; i < parts(); ++i) {
            part.part[i] =
                kernels::slice(whole.part[i], axis_, begin, step, count, scratch_.lanes());
        }
        return part;
    }

    void copy(const Values& dst, const Values& source) const {
        for (std::size_t i = 0; i < parts(); ++i) prim::raw::copy(dst.part[i], source.part[i]);
    }

    void combine(const Values& dst, const Values& a, const Values& b) const {
        combiner_.combine(dst, a, b, scratch_);
    }

    /// Combines every position of the window in turn.
    void fold_directly(const Values& dst, const Values& source, const Window& window) const {
        const auto tap = [&](int position) {
            return slice(source, position, window.stride, window.outputs);
        };
        if (window.size == 1) {
            copy(dst, tap(0));
            return;
        }
        combine(dst, tap(0), tap(1));
        for (int i = 2; i < window.size; ++i) combine(dst, dst, tap(i));
    }

    /// Combines the halves of a single window, then their halves.
    void fold_by_halving(const Values& dst, const Values& source, int size,
                         const Values& spare) const {
        int left = size - size / 2;
        combine(slice(spare, 0, 1, size / 2), slice(source, 0, 1, size / 2),
                slice(source, left, 1, size / 2));
        if (left > size / 2) copy(slice(spare, left - 1, 1, 1), slice(source, left - 1, 1, 1));
        while (left > 1) {
            const int half = left / 2;
            const Values low = slice(spare, 0, 1, half);
            combine(left == 2 ? dst : low, low, slice(spare, left - half, 1, half));
            left -= half;
        }
    }

    /// Splits the window into windows whose sizes are powers of two: its binary digits, smallest
    /// first.
    void fold_by_doubling(const Values& dst, const Values& source, const Window& window, int extent,
                          const std::array<Values, 2>& spare) const {
        Values current = source;
        int offset = 0;
        int length = extent;
        bool first = true;
        for (int size = 1, turn = 0; size <= window.size; size *= 2, turn ^= 1) {
            if ((window.size & size) != 0) {
                const Values tap = slice(current, offset, window.stride, window.outputs);
                if (first) {
                    copy(dst, tap);
                } else {
                    combine(dst, dst, tap);
                }
                first = false;
                offset += size;
            }
            if (2 * size > window.size) break;
            length -= size;
            const Values& next = spare[static_cast<std::size_t>(turn)];
            combine(slice(next, 0, 1, length), slice(current, 0, 1, length),
                    slice(current, size, 1, length));
            current = next;
        }
    }

 private:
    std::size_t parts() const { return static_cast<std::size_t>(combiner_.parts()); }

    const Combiner& combiner_;
    TileAxis axis_;
    prim::Scratch& scratch_;
};

/// A single window folds in halves from this number of positions on.
constexpr int kHalvingSize = 4;

}  // namespace

bool pairs_save_commands(std::int32_t size) {
    const auto bits = static_cast<std::uint32_t>(size);
    // One command per doubling of the windows, and one per binary digit of the size.
    return static_cast<int>(std::bit_width(bits)) + std::popcount(bits) < size;
}

bool needs_spare(const Window& window, FoldOrder order) {
    if (window.outputs == 1) return window.size >= kHalvingSize;
    return order == FoldOrder::kPairs;
}

void fold_windows(const Combiner& combiner, const Values& dst, const Values& source, TileAxis axis,
                  const Window& window, FoldOrder order, const std::array<Values, 2>& spare,
                  prim::Scratch& scratch) {
    const Line line(combiner, axis, scratch);
    const dim4& shape = source.part[0].shape;
    const int extent = axis == TileAxis::kHeight ? shape.h : shape.w;
    if (!needs_spare(window, order)) {
        line.fold_directly(dst, source, window);
    } else if (window.outputs == 1) {
        line.fold_by_halving(dst, source, window.size, spare[0]);
    } else {
        line.fold_by_doubling(dst, source, window, extent, spare);
    }
}

}  // namespace okksim::kernels
