// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/contest_operators.h"

#include <fmt/format.h>

#include <map>

#include "isa/base/errors.h"
#include "isa/base/text_stream.h"
#include "sim/graph/builder.h"
#include "sim/lab/fidelity/csv.h"
#include "sim/lab/fidelity/simulated_figures.h"
#include "sim/planning/machine_plan.h"

namespace okksim::sim::fidelity {
namespace {

using graph::GraphBuilder;
using graph::Shape;
using graph::TensorIndex;
using tosa::DType;
using tosa::OpCode;

/// Parses names with numbers, e.g. "N=1 C=24 H=1 W=1 order=0 2 3 1".
class Parameters {
 public:
    explicit Parameters(const std::string& text) {
        TextReader words(text);
        std::string word, name;
        while (words >> word) {
            const std::size_t equals = word.find('=');
            if (equals != std::string::npos) {
                name = word.substr(0, equals);
                word = word.substr(equals + 1);
            }
            values_[name].push_back(std::stoll(word));
        }
    }
    const std::vector<std::int64_t>& list(const std::string& name) const {
        const auto at = values_.find(name);
        if (at != values_.end()) return at->second;
        throw ConfigError("leaderboard.csv", fmt::format("a row has no {}", name));
    }
    std::int64_t operator[](const std::string& name) const { return list(name).front(); }
    bool has(const std::string& name) const { return values_.count(name) > 0; }

 private:
    std::map<std::string, std::vector<std::int64_t>> values_;
};

/// An axis of a window with the input and output extents of the graph's operator. Input rows after
/// the last window are left out. With rounding up, the last window extends into additional padding.
struct Axis {
    std::int64_t in = 0, out = 0;
    std::int32_t kernel = 1, stride = 1, dilation = 1, before = 0, after = 0;

    Axis(const Parameters& p, const std::string& extent, const std::string& suffix,
         const std::string& first, const std::string& last, bool rounds_up)
        : in(p[extent]),
          kernel(static_cast<std::int32_t>(p["kernel_" + suffix])),
          stride(static_cast<std::int32_t>(p["stride_" + suffix])),
          dilation(p.has("dilation_" + suffix) ? static_cast<std::int32_t>(p["dilation_" + suffix])
                                               : 1),
          before(static_cast<std::int32_t>(p["pad_" + first])),
          after(static_cast<std::int32_t>(p["pad_" + last])) {
        const std::int64_t reach = std::int64_t{kernel - 1} * dilation + 1;
        const std::int64_t room = in + before + after - reach;
        const auto rest = static_cast<std::int32_t>(room % stride);
        if (rest != 0 && rounds_up) {
            after += stride - rest;
        } else if (rest <= after) {
            after -= rest;
        } else {
            in -= rest - after;
            after = 0;
        }
        out = (in + before + after - reach) / stride + 1;
    }
};

struct Window {
    Axis y, x;
    Window(const Parameters& p, bool rounds_up)
        : y(p, "H", "h", "top", "bottom", rounds_up), x(p, "W", "w", "left", "right", rounds_up) {}

    std::array<std::int32_t, 4> pad() const { return {y.before, y.after, x.before, x.after}; }
    std::array<std::int32_t, 2> stride() const { return {y.stride, x.stride}; }
    std::array<std::int32_t, 2> dilation() const { return {y.dilation, x.dilation}; }
    std::array<std::int32_t, 2> kernel() const { return {y.kernel, x.kernel}; }
};

class CaseGraph {
 public:
    explicit CaseGraph(const Parameters& parameters) : p_(parameters) {}

    graph::Graph make(const std::string& op) {
        if (op == "conv2d") return convolution();
        if (op == "depthwise2d") return depthwise();
        if (op == "matmul") return matmul();
        if (op == "softmax") return softmax();
        if (op == "avg_pool") return pool();
        if (op == "reduce_sum") return sum();
        if (op == "rgb2bgr") return reversal();
        if (op == "transpose") return transpose();
        throw ConfigError("leaderboard.csv", fmt::format("no operator is called '{}'", op));
    }

 private:
    TensorIndex input(const Shape& shape) { return b_.input(DType::kFp32, shape); }
    TensorIndex constant(const Shape& shape) {
        return b_.constant(shape, std::vector<float>(*graph::element_count(shape)));
    }
    TensorIndex add(OpCode op, const tosa::Attributes& attributes,
                    const std::vector<TensorIndex>& operands, const Shape& shape) {
        return b_.add(op, attributes, operands, DType::kFp32, shape);
    }
    graph::Graph finish(TensorIndex result) {
        b_.output(result);
        return b_.finish();
    }

    graph::Graph convolution() {
        const Window w(p_, false);
        const auto x = input({p_["N"], w.y.in, w.x.in, p_["IC"]});
        const auto weights = constant({p_["OC"], w.y.kernel, w.x.kernel, p_["IC"]});
        const auto bias = constant({p_["OC"]}), zero = constant({1});
        return finish(
            add(OpCode::kConv2d,
                tosa::Conv2dAttributes{w.pad(), w.stride(), w.dilation(), false, DType::kFp32},
                {x, weights, bias, zero, zero}, {p_["N"], w.y.out, w.x.out, p_["OC"]}));
    }

    TensorIndex depthwise(TensorIndex x, const Window& w) {
        const auto weights = constant({w.y.kernel, w.x.kernel, p_["C"], 1});
        const auto bias = constant({p_["C"]}), zero = constant({1});
        return add(
            OpCode::kDepthwiseConv2d,
            tosa::DepthwiseConv2dAttributes{w.pad(), w.stride(), w.dilation(), false, DType::kFp32},
            {x, weights, bias, zero, zero}, {p_["N"], w.y.out, w.x.out, p_["C"]});
    }
    graph::Graph depthwise() {
        const Window w(p_, false);
        return finish(depthwise(input({p_["N"], w.y.in, w.x.in, p_["C"]}), w));
    }

    graph::Graph matmul() {
        const std::int64_t rows = p_["left_rows"], terms = p_["left_cols"],
                           columns = p_["right_cols"];
        const auto left = input({1, rows, terms}), right = input({1, terms, columns});
        const auto zero = constant({1});
        return finish(add(OpCode::kMatmul, tosa::NoAttributes{}, {left, right, zero, zero},
                          {1, rows, columns}));
    }

    graph::Graph softmax() {
        // Row major: reductions do not change the layout, so channels come before height and width.
        const Shape shape{p_["N"], p_["C"], p_["H"], p_["W"]};
        constexpr std::int32_t kChannels = 1;
        Shape one = shape;
        one[kChannels] = 1;
        const tosa::NoAttributes none;
        const auto x = input(shape);
        const auto largest = add(
            OpCode::kReduceMax,
            tosa::ReduceMaxAttributes{kChannels, tosa::NanPropagationMode::kPropagate}, {x}, one);
        const auto power =
            add(OpCode::kExp, none, {add(OpCode::kSub, none, {x, largest}, shape)}, shape);
        const auto sum =
            add(OpCode::kReduceSum, tosa::ReduceSumAttributes{kChannels}, {power}, one);
        const auto share = add(OpCode::kReciprocal, none, {sum}, one);
        const auto shift = b_.constant(DType::kI8, {1}, {0});
        return finish(add(OpCode::kMul, none, {power, share, shift}, shape));
    }

    /// A mean that counts padding is a convolution with equal weights.
    graph::Graph pool() {
        const Window w(p_, p_["ceil_mode"] != 0);
        const auto x = input({p_["N"], w.y.in, w.x.in, p_["C"]});
        if (p_["count_include_pad"] != 0) return finish(depthwise(x, w));
        const auto zero = constant({1});
        return finish(add(OpCode::kAvgPool2d,
                          tosa::AvgPool2dAttributes{w.kernel(), w.stride(), w.pad(), DType::kFp32},
                          {x, zero, zero}, {p_["N"], w.y.out, w.x.out, p_["C"]}));
    }

    graph::Graph sum() {
        Shape shape{p_["N"], p_["C"], p_["H"], p_["W"]};
        TensorIndex value = input(shape);
        for (const std::int64_t axis : p_.list("axis_list")) {
            shape[static_cast<std::size_t>(axis)] = 1;
            value = add(OpCode::kReduceSum,
                        tosa::ReduceSumAttributes{static_cast<std::int32_t>(axis)}, {value}, shape);
        }
        return finish(value);
    }

    /// Reverses pixels of three adjacent values.
    graph::Graph reversal() {
        const Shape shape{p_["size"], 3};
        return finish(add(OpCode::kReverse, tosa::ReverseAttributes{1}, {input(shape)}, shape));
    }

    graph::Graph transpose() {
        const Shape from{p_["N"], p_["C"], p_["H"], p_["W"]};
        std::vector<std::int32_t> order;
        Shape to;
        for (const std::int64_t axis : p_.list("order")) {
            order.push_back(static_cast<std::int32_t>(axis));
            to.push_back(from[static_cast<std::size_t>(axis)]);
        }
        return finish(add(OpCode::kTranspose, tosa::TransposeAttributes{order}, {input(from)}, to));
    }

    const Parameters& p_;
    GraphBuilder b_;
};

/// Returns the time of the operators' own steps. Layout conversions at the graph's ends do not
/// count, because the contest has another layout.
double microseconds(const std::string& op, const std::string& parameters, const Machine& machine) {
    const Parameters values(parameters);
    const graph::Graph graph = CaseGraph(values).make(op);
    const planning::GraphPlan plan = planning::plan_for_machine(graph, machine);
    double sum = 0;
    for (const planning::StepCost& cost : plan.costs) {
        if (cost.kernel != planning::kReorder) sum += cost.microseconds;
    }
    return sum;
}

}  // namespace

std::vector<OperatorFigure> run_contest_operators(
    const std::filesystem::path& leaderboard, const Machine& machine, int jobs,
    const std::function<void(std::size_t, std::size_t)>& progress) {
    const CsvTable table = CsvTable::read(leaderboard);
    const std::size_t op = table.column("op"), number = table.column("case"),
                      parameters = table.column("params"), best = table.column("best_us");
    std::vector<OperatorFigure> figures(table.rows());
    for (std::size_t row = 0; row < figures.size(); ++row) {
        figures[row].op = table.text(row, op);
        figures[row].number = table.text(row, number);
        figures[row].silicon_us = table.number(row, best);
    }
    const auto simulated = simulate_all(
        figures.size(), jobs,
        [&](std::size_t row) {
            const double us = microseconds(figures[row].op, table.text(row, parameters), machine);
            return nlohmann::json{{"us", us}};
        },
        progress);
    for (std::size_t row = 0; row < figures.size(); ++row) {
        if (simulated[row].contains("error")) {
            figures[row].error = simulated[row]["error"];
        } else {
            figures[row].simulated_us = simulated[row]["us"];
        }
    }
    return figures;
}

}  // namespace okksim::sim::fidelity
