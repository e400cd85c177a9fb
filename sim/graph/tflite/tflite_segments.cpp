// SPDX-License-Identifier: Apache-2.0
// Segments, diagonals, sparse values and buckets.
#include <algorithm>
#include <limits>

#include "sim/graph/compose/axes.h"
#include "sim/graph/compose/moves.h"
#include "sim/graph/tflite/tflite_lowering.h"
#include "sim/graph/tflite/tflite_numbers.h"

namespace okksim::sim::graph::tflite {

namespace {

using compose::ScatterReduction;

struct SegmentRule {
    ScatterReduction reduction;
    double real;  ///< value of a segment without elements
    std::int64_t integer;
};

SegmentRule segment_rule(std::int32_t number) {
    using Real = std::numeric_limits<float>;
    using Integer = std::numeric_limits<std::int32_t>;
    switch (number) {
        case kUnsortedSegmentProd: return {ScatterReduction::kMultiply, 1, 1};
        case kUnsortedSegmentMax:
            return {ScatterReduction::kMaximum, Real::lowest(), Integer::lowest()};
        case kUnsortedSegmentMin: return {ScatterReduction::kMinimum, Real::max(), Integer::max()};
        default: return {ScatterReduction::kAdd, 0, 0};
    }
}

/// Returns the number of segments.
std::int64_t segment_count(const Call& call) {
    const Value& ids = call.input(1);
    if (call.number != kSegmentSum) {
        const std::vector<std::int64_t> count = call.known(2, "a number of segments");
        if (count.size() == 1 && count[0] > 0) return count[0];
        call.illegal("num_segments", shape_text(count), "it is one number of at least 1");
    }
    if (ids.is_known) {
        const std::vector<std::int64_t> values = known_integers(ids);
        const bool is_sorted = std::is_sorted(values.begin(), values.end());
        if (is_sorted && !values.empty() && values[0] >= 0) return values.back() + 1;
        call.illegal("segment_ids", shape_text(values), "they are sorted numbers from 0");
    }
    const Value& output = call.output();
    if (!output.has_shape || output.shape.empty()) {
        throw UnsupportedPart("a number of segments that depends on data");
    }
    return output.shape[0];
}

}  // namespace

void Lowering::segments(const Call& call) {
    Value& x = call.input(0);
    Value& ids = call.input(1);
    const std::int64_t count = segment_count(call);
    const bool is_leading = ids.rank() >= 1 && ids.rank() <= x.rank() &&
                            std::equal(ids.shape.begin(), ids.shape.end(), x.shape.begin());
    if (!is_leading) {
        call.illegal(
            "segment_ids", shape_text(ids.shape),
            "there is an id per element of the first dimensions of " + shape_text(x.shape));
    }
    if (x.type != TensorType::FLOAT32 && x.device() != DType::kI32) {
        throw UnsupportedPart(type_name(x.type) + " operands", true);
    }
    Shape shape(x.shape.begin() + static_cast<std::ptrdiff_t>(ids.rank()), x.shape.end());
    shape.insert(shape.begin(), count);
    const SegmentRule rule = segment_rule(call.number);
    const double empty = x.is_real() ? rule.real : static_cast<double>(rule.integer);
    const TensorIndex start =
        compose::expand(ops_, ops_.number(x.device(), shape.size(), empty), shape);
    if (!ids.is_known) {
        Shape listed = ids.shape;
        listed.push_back(1);
        return give(call, compose::scatter_nd(ops_, start, ops_.reshape(t_.of(ids), listed, "ids"),
                                              t_.of(x), rule.reduction));
    }
    // Elements with an id outside the segments are left out.
    std::vector<std::int64_t> kept, rows;
    const std::vector<std::int64_t> values = known_integers(ids);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] >= count) {
            call.illegal("segment_ids", std::to_string(values[i]),
                         "ids are below " + std::to_string(count));
        }
        if (values[i] < 0) continue;
        kept.push_back(values[i]);
        rows.push_back(static_cast<std::int64_t>(i));
    }
    if (kept.empty()) return give(call, start);
    const auto each = static_cast<std::int64_t>(kept.size());
    Shape flat = shape;
    flat[0] = static_cast<std::int64_t>(values.size());
    TensorIndex updates = ops_.reshape(t_.of(x), flat, "rows");
    if (kept.size() != values.size()) {
        updates = compose::gather(ops_, updates, compose::KnownIndices{{each}, rows}, 0);
    }
    give(call, compose::scatter_nd(ops_, start, compose::KnownIndices{{each, 1}, kept}, updates,
                                   rule.reduction));
}

void Lowering::sparse_to_dense(const Call& call) {
    Value& indices = call.input(0);
    Value& values = call.input(2);
    const Shape shape = call.known_sizes(1, "a shape");
    const auto rank = static_cast<std::int64_t>(shape.size());
    const auto count = element_count(shape);
    const std::int64_t each = indices.rank() == 0 ? 1 : indices.shape[0];
    if (!count || *count == 0 || indices.rank() > 2 ||
        element_count(indices.shape) != static_cast<std::uint64_t>(each * rank) ||
        element_count(call.input(3).shape) != std::uint64_t{1}) {
        call.illegal("indices", shape_text(indices.shape),
                     "there is a position in " + shape_text(shape) + " per value");
    }
    const TensorIndex start = compose::expand(
        ops_, movable(t_.shaped(call.input(3), Shape(shape.size(), 1), "default")), shape);
    TensorIndex updates = movable(t_.of(values));
    if (values.rank() == 0) updates = compose::expand(ops_, updates, {each});
    const TensorIndex result =
        indices.is_known
            ? compose::scatter_nd(ops_, start,
                                  compose::KnownIndices{{each, rank}, known_integers(indices)},
                                  updates)
            : compose::scatter_nd(ops_, start,
                                  ops_.reshape(t_.of(indices), {each, rank}, "positions"), updates);
    give_moved(call, moved_back(result, values.device()), values);
}

// MATRIX_DIAG makes square matrices; MATRIX_SET_DIAG replaces the diagonals of matrices.
void Lowering::matrix_diagonal(const Call& call) {
    Value& x = call.input(0);
    Value& diagonal = call.input(call.number == kMatrixDiag ? 0 : 1);
    Shape shape = x.shape;
    if (call.number == kMatrixDiag) {
        if (shape.empty()) call.illegal("input", "[]", "the operand has dimensions");
        shape.push_back(shape.back());
    }
    const std::size_t rank = shape.size();
    if (rank < 2) call.illegal("input", shape_text(shape), "the operand has matrices");
    Shape wanted(shape.begin(), shape.end() - 1);
    wanted.back() = std::min(shape[rank - 2], shape[rank - 1]);
    if (diagonal.shape != wanted) {
        call.illegal("diagonal", shape_text(diagonal.shape),
                     "it has a value per element of the diagonals, " + shape_text(wanted));
    }
    Shape column(rank, 1);
    std::vector<std::int64_t> rows(static_cast<std::size_t>(shape[rank - 2]));
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::int64_t>(i);
    column[rank - 2] = shape[rank - 2];
    const TensorIndex is_diagonal =
        ops_.test(OpCode::kEqual, compose::positions(ops_, rank, rank - 1, shape[rank - 1]),
                  ops_.block().constant(DType::kI32, column, rows, "rows"), "is_diagonal");
    // A row of the result that has a diagonal element repeats it, and the test selects one.
    Shape spread = wanted;
    spread.push_back(1);
    TensorIndex values = ops_.reshape(t_.of(diagonal), spread, "spread");
    if (wanted.back() < shape[rank - 2]) {
        Shape padding(2 * rank, 0);
        padding[2 * (rank - 2) + 1] = shape[rank - 2] - wanted.back();
        values = compose::pad(ops_, values, padding, compose::PadMode::kConstant, 0);
    }
    const std::int64_t zero = x.type == TensorType::UINT8 ? -128 : 0;
    const TensorIndex others = call.number == kMatrixDiag
                                   ? ops_.number(x.device(), rank, static_cast<double>(zero))
                                   : t_.of(x);
    give_moved(call, ops_.select(is_diagonal, values, others, "matrix"), x);
}

void Lowering::bucketize(const Call& call) {
    Value& x = call.input(0);
    const auto* boundaries = call.needed_options<wire::BucketizeOptions>().boundaries();
    if (boundaries == nullptr || boundaries->size() == 0 ||
        !std::is_sorted(boundaries->begin(), boundaries->end())) {
        call.illegal("boundaries", "unsorted", "there are sorted boundaries");
    }
    constexpr std::uint32_t kMostBoundaries = 256;
    if (boundaries->size() > kMostBoundaries) throw UnsupportedPart("more than 256 boundaries");
    TensorIndex sum = ops_.number(DType::kI32, x.rank(), 0);
    for (const float boundary : *boundaries) {
        const TensorIndex reaches =
            ops_.test(OpCode::kGreaterEqual, t_.real(x),
                      ops_.number(DType::kFp32, x.rank(), boundary), "reaches");
        const TensorIndex one =
            ops_.cast(ops_.cast(reaches, DType::kI8, "bit"), DType::kI32, "one");
        sum = ops_.binary(OpCode::kAdd, sum, one, "bucket");
    }
    give(call, sum);
}

}  // namespace okksim::sim::graph::tflite
