// SPDX-License-Identifier: Apache-2.0
// Matrix products and einsum against sums over all labels.
#include <algorithm>
#include <map>
#include <string>

#include "sim/graph/compose/moves.h"
#include "sim/graph/compose/products.h"
#include "tests/sim/graph/compose_array.h"

namespace okksim::tests {

namespace {

namespace compose = sim::graph::compose;
using compose::MatmulOptions;

/// Element of an operand whose dimensions of 1 broadcast.
double broadcast_element(const Array& x, Shape at) {
    at.erase(at.begin(), at.end() - static_cast<std::ptrdiff_t>(x.shape.size()));
    for (std::size_t i = 0; i < at.size(); ++i) at[i] = x.shape[i] == 1 ? 0 : at[i];
    return x[at];
}

Array swapped(const Array& x) {
    Shape shape = x.shape;
    std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
    return array_of(shape, [&](Shape at) {
        std::swap(at[at.size() - 1], at[at.size() - 2]);
        return x[at];
    });
}

/// numpy.matmul, with the transposes of `options`.
Array product(Array a, Array b, const MatmulOptions& options) {
    const bool is_row = a.shape.size() == 1, is_column = b.shape.size() == 1;
    if (is_row) a.shape = {1, a.shape[0]};
    if (is_column) b.shape = {b.shape[0], 1};
    if (options.transpose_a && !is_row) a = swapped(a);
    if (options.transpose_b && !is_column) b = swapped(b);
    const std::int64_t rows = a.shape[a.shape.size() - 2], columns = b.shape.back();
    const Shape batch = compose::broadcast_shape({a.shape.begin(), a.shape.end() - 2},
                                                 {b.shape.begin(), b.shape.end() - 2});
    Array result = array_of(shape_of({}, batch, {rows, columns}), [&](const Shape& at) {
        double sum = 0;
        for (std::int64_t k = 0; k < a.shape.back(); ++k) {
            Shape left = at, right = at;
            left.back() = k;
            right[right.size() - 2] = k;
            sum += (broadcast_element(a, left) - static_cast<double>(options.zero_point_a)) *
                   (broadcast_element(b, right) - static_cast<double>(options.zero_point_b));
        }
        return sum;
    });
    result.shape = batch;
    if (!is_row) result.shape.push_back(rows);
    if (!is_column) result.shape.push_back(columns);
    return result;
}

struct Pair {
    Shape a, b;
    MatmulOptions options;
};

MatmulOptions transposes(bool a, bool b) {
    MatmulOptions options;
    options.transpose_a = a;
    options.transpose_b = b;
    return options;
}

const std::vector<Pair> kPairs{
    {{3}, {3}, {}},
    {{3}, {3, 4}, {}},
    {{4, 3}, {3}, {}},
    {{2, 3}, {3, 5}, {}},
    {{3, 2}, {3, 5}, transposes(true, false)},
    {{2, 3}, {5, 3}, transposes(false, true)},
    {{2, 2, 3}, {3, 4}, {}},
    {{2, 3}, {4, 3, 2}, {}},
    {{2, 1, 2, 3}, {4, 3, 2}, {}},
    {{2, 3, 2, 4}, {2, 3, 5, 4}, transposes(false, true)},
    {{3, 4, 2}, {1, 4, 3}, transposes(true, false)},
    {{1, 2, 3}, {2, 1, 3, 2}, {}},
    {{5, 3}, {2, 2, 3}, transposes(false, true)},
    {{2, 4, 3}, {3}, {}},
};

}  // namespace

TEST_CASE("matrix products broadcast as numpy's", "[compose][products]") {
    for (const Pair& c : kPairs) {
        for (const bool is_constant : {false, true}) {
            INFO(sim::graph::shape_text(c.a) << " " << sim::graph::shape_text(c.b));
            const Data a = random_reals(c.a), b = random_reals(c.b);
            check_array(evaluate_one({a, b},
                                     [&](OperatorBuilder& ops, const Indices& in) {
                                         return compose::matmul(
                                             ops, in[0], is_constant ? constant(ops, b) : in[1],
                                             c.options);
                                     }),
                        product(Array(a), Array(b), c.options));
        }
    }
}

TEST_CASE("matrix products of other types", "[compose][products]") {
    for (const Pair& c : kPairs) {
        INFO(sim::graph::shape_text(c.a) << " " << sim::graph::shape_text(c.b));
        for (const DType type : {DType::kFp16, DType::kBf16}) {
            const Data a = random_reals(c.a, 1, type), b = random_reals(c.b, 1, type);
            const Data found = evaluate_one({a, b}, [&](OperatorBuilder& ops, const Indices& in) {
                return compose::matmul(ops, in[0], in[1], c.options);
            });
            CHECK(found.type == type);
            check_array(found, product(Array(a), Array(b), c.options), 1e-2);
        }
        for (const DType type : {DType::kI8, DType::kI16, DType::kI32}) {
            Pair integer = c;
            if (type == DType::kI8) {
                integer.options.zero_point_a = 3;
                integer.options.zero_point_b = -5;
            }
            const Data a = random_integers(c.a, -128, 127, type);
            const Data b = random_integers(c.b, -128, 127, type);
            const Data found = evaluate_one({a, b}, [&](OperatorBuilder& ops, const Indices& in) {
                if (type == DType::kI16) integer.options.finish = narrowed(ops);
                return compose::matmul(ops, in[0], in[1], integer.options);
            });
            CHECK(found.type == DType::kI32);
            check_array(found, product(Array(a), Array(b), integer.options), 0);
        }
    }
}

TEST_CASE("gemm scales both terms", "[compose][products]") {
    for (const Shape& c_shape :
         {Shape{}, Shape{1}, Shape{4}, Shape{3, 1}, Shape{1, 4}, Shape{3, 4}}) {
        for (const bool swap : {false, true}) {
            const Data a = random_reals(swap ? Shape{2, 3} : Shape{3, 2});
            const Data b = random_reals(swap ? Shape{4, 2} : Shape{2, 4});
            const Data c = random_reals(c_shape);
            Array wanted = product(Array(a), Array(b), transposes(swap, swap));
            const Array added(c);
            for_each(wanted.shape, [&](const Shape& at) {
                wanted[at] = 0.5 * wanted[at] - 2 * broadcast_element(added, at);
            });
            check_array(
                evaluate_one(
                    {a, b, c},
                    [&](OperatorBuilder& ops, const Indices& in) {
                        return compose::gemm(ops, in[0], in[1], in[2], {0.5, -2, swap, swap});
                    }),
                wanted);
        }
    }
    const Data a = random_reals({3, 2}), b = random_reals({2, 4});
    check_array(evaluate_one({a, b},
                             [&](OperatorBuilder& ops, const Indices& in) {
                                 return compose::gemm(ops, in[0], in[1], {}, {});
                             }),
                product(Array(a), Array(b), {}));
}

namespace {

/// Sums products over all labels. Terms have explicit labels; digits stand for ellipsis dimensions.
Array labelled_sum(const std::vector<std::string>& terms, const std::string& result,
                   const std::vector<Array>& operands) {
    std::map<char, std::int64_t> sizes;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        for (std::size_t d = 0; d < terms[i].size(); ++d) {
            std::int64_t& size = sizes.emplace(terms[i][d], 1).first->second;
            size = std::max(size, operands[i].shape[d]);
        }
    }
    std::string labels;
    Shape shape, result_shape;
    for (const auto& [label, size] : sizes) {
        labels += label;
        shape.push_back(size);
    }
    for (const char label : result) result_shape.push_back(sizes.at(label));
    const auto place = [&](const std::string& term, const Shape& at) {
        Shape position;
        for (const char label : term) position.push_back(at[labels.find(label)]);
        return position;
    };
    Array sum(result_shape);
    for_each(shape, [&](const Shape& at) {
        double factor = 1;
        for (std::size_t i = 0; i < terms.size(); ++i) {
            factor *= broadcast_element(operands[i], place(terms[i], at));
        }
        sum[place(result, at)] += factor;
    });
    return sum;
}

struct Einsum {
    std::string equation;
    std::vector<std::string> terms;
    std::string result;
    std::vector<Shape> shapes;
};

const std::vector<Einsum> kEinsums{
    {"ij,jk->ik", {"ij", "jk"}, "ik", {{2, 3}, {3, 4}}},
    {"ij,jk", {"ij", "jk"}, "ik", {{2, 3}, {3, 4}}},
    {"bij,bjk->bik", {"bij", "bjk"}, "bik", {{2, 3, 4}, {2, 4, 2}}},
    {"b i j , b k j -> b k i", {"bij", "bkj"}, "bki", {{2, 3, 4}, {2, 5, 4}}},
    {"ij->ji", {"ij"}, "ji", {{2, 3}}},
    {"ba", {"ba"}, "ab", {{2, 3}}},
    {"ij->", {"ij"}, "", {{2, 3}}},
    {"ii->i", {"ii"}, "i", {{4, 4}}},
    {"ii", {"ii"}, "", {{4, 4}}},
    {"iji->j", {"iji"}, "j", {{3, 2, 3}}},
    {"iii->i", {"iii"}, "i", {{3, 3, 3}}},
    {"i,j->ij", {"i", "j"}, "ij", {{3}, {4}}},
    {"i,i->", {"i", "i"}, "", {{5}, {5}}},
    {"i,i->i", {"i", "i"}, "i", {{5}, {5}}},
    {"ij,ij->i", {"ij", "ij"}, "i", {{2, 5}, {2, 5}}},
    {"ij,k->ijk", {"ij", "k"}, "ijk", {{2, 3}, {4}}},
    {"...ij,...jk->...ik", {"01ij", "01jk"}, "01ik", {{2, 3, 2, 3}, {2, 3, 3, 2}}},
    {"...ij,jk->...ik", {"01ij", "jk"}, "01ik", {{2, 3, 2, 3}, {3, 2}}},
    {"b...ij,bjk->...ik", {"b0ij", "bjk"}, "0ik", {{2, 3, 2, 3}, {2, 3, 2}}},
    {"...i,...i", {"01i", "1i"}, "01", {{2, 3, 4}, {3, 4}}},
    {"...ij,...jk->...ik", {"0ij", "0jk"}, "0ik", {{1, 2, 3}, {4, 3, 2}}},
    {"i...->...i", {"i01"}, "01i", {{2, 3, 4}}},
    {"bhqd,bhkd->bhqk", {"bhqd", "bhkd"}, "bhqk", {{2, 2, 3, 4}, {2, 2, 5, 4}}},
    {"bqhd,bkhd->bhqk", {"bqhd", "bkhd"}, "bhqk", {{2, 3, 2, 4}, {2, 5, 2, 4}}},
    {"ij,jk,kl->il", {"ij", "jk", "kl"}, "il", {{2, 3}, {3, 4}, {4, 2}}},
    {"ij,jk,ik->i", {"ij", "jk", "ik"}, "i", {{2, 3}, {3, 4}, {2, 4}}},
    {"ij,kl->il", {"ij", "kl"}, "il", {{2, 3}, {4, 2}}},
    {"ij,jk->ik", {"ij", "jk"}, "ik", {{2, 1}, {3, 4}}},
    {"iij,j->i", {"iij", "j"}, "i", {{3, 3, 2}, {2}}},
    {",ij->ji", {"", "ij"}, "ji", {{}, {2, 3}}},
};

}  // namespace

TEST_CASE("einsum equals the sum over its labels", "[compose][products]") {
    for (const Einsum& c : kEinsums) {
        for (const DType type : {DType::kFp32, DType::kI32}) {
            INFO(c.equation);
            REQUIRE(compose::einsum_problem(c.equation, c.shapes).empty());
            std::vector<Data> operands;
            std::vector<Array> arrays;
            for (const Shape& shape : c.shapes) {
                operands.push_back(type == DType::kFp32 ? random_reals(shape)
                                                        : random_integers(shape, -9, 9));
                arrays.emplace_back(operands.back());
            }
            check_array(evaluate_one(operands,
                                     [&](OperatorBuilder& ops, const Indices& in) {
                                         return compose::einsum(ops, c.equation, in);
                                     }),
                        labelled_sum(c.terms, c.result, arrays));
        }
    }
}

TEST_CASE("an einsum equation that does not fit has a reason", "[compose][products]") {
    const auto problem = [](const char* equation, const std::vector<Shape>& shapes) {
        return compose::einsum_problem(equation, shapes);
    };
    CHECK(problem("ij,jk->ik", {{2, 3}}).find("2 terms for 1 operands") != std::string::npos);
    CHECK(problem("ij->i", {{2}}).find("rank 1") != std::string::npos);
    CHECK(problem("ij,jk->ik", {{2, 3}, {4, 5}}).find("3 and 4") != std::string::npos);
    CHECK(problem("ij->ik", {{2, 3}}).find("label of the result") != std::string::npos);
    CHECK(problem("ij->ii", {{2, 3}}).find("occurs once") != std::string::npos);
    CHECK(problem("i1->i", {{2, 3}}).find("letters") != std::string::npos);
}

}  // namespace okksim::tests
