// SPDX-License-Identifier: Apache-2.0
// Einsum: diagonals, sums, and one MATMUL or MUL for each pair of operands.
#include <algorithm>

#include "sim/graph/compose/einsum_equation.h"
#include "sim/graph/compose/host_values.h"
#include "sim/graph/compose/indexing.h"
#include "sim/graph/compose/moves.h"
#include "sim/graph/compose/products.h"
#include "sim/graph/compose/wide_products.h"

namespace okksim::sim::graph::compose {

namespace {

using Labels = std::vector<Label>;

/// A tensor with a label for each dimension.
struct Labelled {
    TensorIndex x;
    Labels labels;
};

bool contains(const Labels& labels, Label label) {
    return std::find(labels.begin(), labels.end(), label) != labels.end();
}

std::size_t place_of(const Labels& labels, Label label) {
    return static_cast<std::size_t>(std::find(labels.begin(), labels.end(), label) -
                                    labels.begin());
}

void drop_axis(OperatorBuilder& ops, Labelled& term, std::size_t axis) {
    Shape shape = ops.shape(term.x);
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
    term.x = ops.reshape(term.x, shape, "without_axis");
    term.labels.erase(term.labels.begin() + static_cast<std::ptrdiff_t>(axis));
}

/// Replaces two dimensions of one label by their diagonal.
void take_diagonals(OperatorBuilder& ops, Labelled& term) {
    for (std::size_t i = 0; i < term.labels.size(); ++i) {
        for (std::size_t j = term.labels.size(); j-- > i + 1;) {
            if (term.labels[j] != term.labels[i]) continue;
            const TensorIndex moved = moved_axis(ops, term.x, j, i + 1);
            Shape shape = ops.shape(moved);
            const std::int64_t size = shape[i], other = shape[i + 1];
            shape[i] = size * other;
            shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(i) + 1);
            KnownIndices diagonal{{std::max(size, other)}, {}};
            for (std::int64_t n = 0; n < diagonal.shape[0]; ++n) {
                diagonal.values.push_back((size == 1 ? 0 : n) * other + (other == 1 ? 0 : n));
            }
            term.x = gather(ops, ops.reshape(moved, shape, "square"), diagonal, i);
            term.labels.erase(term.labels.begin() + static_cast<std::ptrdiff_t>(j));
        }
    }
}

/// Drops dimensions of 1 whose label has another size, because another operand has the label.
void drop_ones(OperatorBuilder& ops, Labelled& term, const EinsumEquation& equation) {
    for (std::size_t i = term.labels.size(); i-- > 0;) {
        const bool is_one = ops.shape(term.x)[i] == 1;
        if (is_one && equation.sizes.at(term.labels[i]) != 1) drop_axis(ops, term, i);
    }
}

/// Sums the dimensions whose labels nothing else needs.
void sum_out(OperatorBuilder& ops, Labelled& term, const Labels& needed) {
    for (std::size_t i = term.labels.size(); i-- > 0;) {
        if (contains(needed, term.labels[i])) continue;
        term.x = ops.reduce_sum(term.x, i, "sums");
        drop_axis(ops, term, i);
    }
}

TensorIndex arranged_by(OperatorBuilder& ops, const Labelled& term, const Labels& order) {
    std::vector<std::int32_t> perms;
    for (const Label label : order) {
        perms.push_back(static_cast<std::int32_t>(place_of(term.labels, label)));
    }
    return perms.empty() ? term.x : transposed(ops, term.x, perms);
}

Labels joined(Labels first, const Labels& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

/// Labels of a pair of operands by their part in the product.
struct PairLabels {
    Labels batch, left, right, summed;
};

PairLabels pair_labels(const Labels& a, const Labels& b, const Labels& needed) {
    PairLabels result;
    for (const Label label : a) {
        if (!contains(b, label)) {
            result.left.push_back(label);
        } else {
            (contains(needed, label) ? result.batch : result.summed).push_back(label);
        }
    }
    for (const Label label : b) {
        if (!contains(a, label)) result.right.push_back(label);
    }
    return result;
}

Labelled multiplied(OperatorBuilder& ops, const Labelled& a, const Labelled& b,
                    const EinsumEquation& equation, const Labels& needed) {
    const PairLabels labels = pair_labels(a.labels, b.labels, needed);
    const auto sizes = [&](const Labels& list) {
        Shape shape;
        for (const Label label : list) shape.push_back(equation.sizes.at(label));
        return shape;
    };
    const std::int64_t batch = extent(sizes(labels.batch)), left = extent(sizes(labels.left));
    const std::int64_t right = extent(sizes(labels.right)), terms = extent(sizes(labels.summed));
    const Labels order = joined(joined(labels.batch, labels.left), labels.right);
    const DType type = ops.type(a.x);
    const TensorIndex rows =
        reshaped(ops, arranged_by(ops, a, joined(joined(labels.batch, labels.left), labels.summed)),
                 {batch, left, terms});
    const TensorIndex columns = reshaped(
        ops, arranged_by(ops, b, joined(joined(labels.batch, labels.summed), labels.right)),
        {batch, terms, right});
    if (terms == 1) {
        const TensorIndex product = ops.product(rows, columns, "products");
        return {ops.reshape(product, sizes(order), "pair"), order};
    }
    const TensorIndex sums = matmul_batches(ops, rows, columns);
    return {ops.reshape(ops.cast(sums, type, "rounded"), sizes(order), "pair"), order};
}

}  // namespace

std::string einsum_problem(std::string_view equation, const std::vector<Shape>& operands) {
    return parse_einsum(equation, operands).problem;
}

TensorIndex einsum(OperatorBuilder& ops, std::string_view equation,
                   const std::vector<TensorIndex>& operands) {
    std::vector<Shape> shapes;
    for (const TensorIndex x : operands) shapes.push_back(ops.shape(x));
    const EinsumEquation parsed = parse_einsum(equation, shapes);
    std::vector<Labelled> terms;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        terms.push_back({operands[i], parsed.operands[i]});
        take_diagonals(ops, terms[i]);
        drop_ones(ops, terms[i], parsed);
    }
    const auto needed_without = [&](std::size_t first, std::size_t limit) {
        Labels needed = parsed.result;
        for (std::size_t i = 0; i < terms.size(); ++i) {
            if (i < first || i >= limit) needed = joined(needed, terms[i].labels);
        }
        return needed;
    };
    for (std::size_t i = 0; i < terms.size(); ++i) {
        sum_out(ops, terms[i], needed_without(i, i + 1));
    }
    while (terms.size() > 1) {
        terms[1] = multiplied(ops, terms[0], terms[1], parsed, needed_without(0, 2));
        terms.erase(terms.begin());
    }
    sum_out(ops, terms[0], parsed.result);
    return arranged_by(ops, terms[0], parsed.result);
}

}  // namespace okksim::sim::graph::compose
