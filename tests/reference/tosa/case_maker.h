// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "sim/check/comparison_rules.h"
#include "sim/graph/builder.h"
#include "sim/graph/validate/type_rows.h"
#include "tests/reference/tosa/random_case.h"
#include "tests/reference/tosa/random_tensor.h"

namespace okksim::tests {

using reference::Value;
using sim::graph::ArgumentType;
using sim::graph::DType;
using sim::graph::Shape;
using sim::graph::TensorIndex;
using tosa::NanPropagationMode;
using tosa::OpCode;

/// The comparison rule for a dot product of `terms` terms (1.10.3).
sim::check::DotProductRule dot_rule(std::int64_t terms, DType accumulator, DType out, bool bias);

/// Makes one random case of an operator.
class CaseMaker {
 public:
    CaseMaker(OpCode op, RandomSource& random, std::int64_t scale)
        : op_(op), random_(random), limit_(4000 * scale) {
        // Some rows do not belong to version 1.0.
        std::vector<sim::graph::TypeRow> rows;
        for (const sim::graph::TypeRow& row : sim::graph::type_rows(op)) {
            const auto needs = sim::graph::parse_feature_need(row.needs);
            if ((needs.all_of & sim::graph::kBeyondV1Features) == 0) rows.push_back(row);
        }
        row_ = random.element(rows);
    }

    RandomCase make() {
        make_operator();
        RandomCase result;
        result.text = std::string(tosa::op_name(op_)) + " (" + std::string(row_.mode) + ")" + text_;
        for (const TensorIndex output : outputs_) builder_.output(output);
        result.graph = builder_.finish();
        result.inputs = std::move(inputs_);
        result.rule = rule_;
        result.rule_takes_bound = std::holds_alternative<sim::check::DotProductRule>(rule_) ||
                                  std::holds_alternative<sim::check::AbsErrorRule>(rule_);
        return result;
    }

 private:
    // ---- Building blocks. ----

    DType type(ArgumentType parameter) const { return row_.type_of(parameter); }
    DType in_type() const {
        const DType in = type(ArgumentType::kIn);
        return in != DType::kUnknown ? in : type(ArgumentType::kInOut);
    }
    DType out_type() const {
        const DType out = type(ArgumentType::kOut);
        return out != DType::kUnknown ? out : type(ArgumentType::kInOut);
    }

    void say(const std::string& text) { text_ += " " + text; }

    /// An extent: usually small, sometimes larger; odd and even sizes are equally likely.
    std::int64_t extent(std::int64_t most) {
        const std::int64_t limit = random_.pick({2, 5, 9, 17, 40, 130, limit_ / 7});
        return random_.between(1, std::max<std::int64_t>(1, std::min(limit, most)));
    }

    Shape shape(int rank) {
        Shape result(static_cast<std::size_t>(rank));
        std::int64_t left = limit_;
        std::vector<std::size_t> order(result.size());
        std::iota(order.begin(), order.end(), 0);
        for (std::size_t i = order.size(); i > 1; --i) {
            std::swap(order[i - 1],
                      order[static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(i)))]);
        }
        for (const std::size_t i : order) {
            result[i] = extent(left);
            left /= result[i];
        }
        return result;
    }

    static bool can_pool(DType type) {
        return type == DType::kI8 || type == DType::kI16 || tosa::is_floating_point(type);
    }

    TensorIndex add_input(const Value& value) {
        const TensorIndex index = builder_.input(value.type, value.shape);
        inputs_.push_back(reference::to_host(value));
        say(std::string(tosa::dtype_name(value.type)) + sim::graph::shape_text(value.shape));
        if (value.shape.size() != 4 || !can_pool(value.type) || !random_.one_in(3)) return index;
        say("(channel first)");
        tosa::MaxPool2dAttributes copy;
        copy.kernel = copy.stride = {1, 1};
        copy.nan_mode = NanPropagationMode::kPropagate;
        return builder_.add(OpCode::kMaxPool2d, copy, {index}, value.type, value.shape);
    }

    TensorIndex input(DType type, const Shape& shape, const Domain& domain) {
        return add_input(random_value(type, shape, domain, random_));
    }

    TensorIndex constant(const Value& value) {
        const auto host = reference::to_host(value);
        return builder_.constant_bytes(value.type, value.shape, sim::graph::constant_bytes(host));
    }

    /// One element: a constant, or sometimes an input (EXT-DYNAMIC).
    TensorIndex one(DType type, std::int64_t number) {
        Value value = reference::make_value(type, {1});
        if (!value.is_float()) value.integer[0] = number;
        return random_.one_in(6) ? add_input(value) : constant(value);
    }

    /// A zero point: any for int8, else 0.
    std::int64_t zero_point(DType type) {
        const std::int64_t value = type == DType::kI8 ? random_.between(-128, 127) : 0;
        if (value != 0) say("zp " + std::to_string(value));
        return value;
    }

    void finish(tosa::Attributes attributes, std::vector<TensorIndex> operands, DType type,
                const Shape& shape) {
        say("->" + sim::graph::shape_text(shape));
        outputs_ = {builder_.add(op_, std::move(attributes), std::move(operands), type, shape)};
    }

    NanPropagationMode nan_mode() {
        const bool ignore = random_.one_in(2);
        say(ignore ? "IGNORE" : "PROPAGATE");
        return ignore ? NanPropagationMode::kIgnore : NanPropagationMode::kPropagate;
    }

    std::int32_t axis_of(const Shape& shape) {
        const auto axis =
            static_cast<std::int32_t>(random_.below(static_cast<std::int64_t>(shape.size())));
        say("axis " + std::to_string(axis));
        return axis;
    }

    int rank(int least) { return static_cast<int>(random_.between(least, 6)); }

    // ---- Operators. ----

    void make_operator();
    void make_unary();
    void make_binary();
    void make_select();
    void make_clamp();
    void make_table();
    void make_reduction();
    void make_pool();
    /// Windows of a convolution; the first `axes` entries of each array count.
    struct Windows {
        std::size_t axes = 2;
        std::array<std::int32_t, 6> pad{};
        std::array<std::int32_t, 3> stride{}, dilation{};
        Shape input, kernel, output;
    };
    Windows random_windows();
    tosa::Attributes convolution_attributes(const Windows& windows) const;
    void make_convolution();
    void make_matmul();
    void make_fourier();
    void make_concat();
    std::vector<std::int32_t> random_perms(std::size_t rank);
    void make_layout();
    void make_gather();
    void make_resize();
    void make_cast();
    void make_rescale();

    Domain unary_domain();
    Domain binary_domain(bool second);
    void choose_function_rule();

    OpCode op_;
    RandomSource& random_;
    std::int64_t limit_;
    sim::graph::TypeRow row_;
    sim::graph::GraphBuilder builder_;
    std::vector<sim::graph::HostTensor> inputs_;
    std::vector<TensorIndex> outputs_;
    sim::check::Rule rule_ = sim::check::ExactRule{};
    std::string text_;
};

}  // namespace okksim::tests
