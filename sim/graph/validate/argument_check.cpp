// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/validate/argument_check.h"

#include "isa/base/errors.h"
#include "sim/graph/element.h"
#include "sim/graph/graph_errors.h"
#include "sim/graph/validate/levels.h"

namespace okksim::sim::graph {

namespace {

constexpr std::string_view kTensorSection = "1.11.1";

/// Returns the type of an argument with a fixed type; nothing for type parameters.
std::optional<DType> fixed_type(const Operator& op, ArgumentType argument) {
    switch (argument) {
        case ArgumentType::kBoolean: return DType::kBool;
        case ArgumentType::kInt8: return DType::kI8;
        case ArgumentType::kShape: return DType::kShape;
        case ArgumentType::kMultiplier:
            return op.attributes_as<RescaleAttributes>().scale32 ? DType::kI32 : DType::kI16;
        case ArgumentType::kIn:
        case ArgumentType::kOut:
        case ArgumentType::kInOut:
        case ArgumentType::kWeight:
        case ArgumentType::kAccumulator:
        case ArgumentType::kTable:
        case ArgumentType::kIndex:
        case ArgumentType::kAny: break;
    }
    return std::nullopt;
}

bool is_parameter(ArgumentType argument) {
    return argument == ArgumentType::kIn || argument == ArgumentType::kOut ||
           argument == ArgumentType::kInOut || argument == ArgumentType::kWeight ||
           argument == ArgumentType::kTable || argument == ArgumentType::kIndex;
}

/// An operand with its row.
struct Argument {
    const Tensor* tensor;
    const OperandRule* rule;
    bool is_input;
};

std::vector<Argument> arguments_of(const OperatorCheck& check) {
    std::vector<Argument> arguments;
    const Operator& op = check.op();
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        arguments.push_back({&check.input(i), &input_rule(op.op, i), true});
    }
    for (std::size_t i = 0; i < op.outputs.size(); ++i) {
        arguments.push_back({&check.output(i), &output_rule(op.op, i), false});
    }
    return arguments;
}

/// RESIZE's integer rows differ by the mode attribute.
bool matches_mode(const Operator& op, const TypeRow& row) {
    if (op.op != OpCode::kResize) return true;
    const ResizeMode mode = op.attributes_as<ResizeAttributes>().mode;
    if (row.mode.ends_with("bilinear")) return mode == ResizeMode::kBilinear;
    if (row.mode.ends_with("nearest")) return mode == ResizeMode::kNearestNeighbor;
    return true;
}

bool matches_accumulator(const Operator& op, const TypeRow& row) {
    const auto accumulator = accumulator_type(op);
    return !accumulator || row.type_of(ArgumentType::kAccumulator) == *accumulator;
}

/// The rows that match the operands checked so far.
class RowFilter {
 public:
    explicit RowFilter(const OperatorCheck& check) : check_(check) {
        for (const TypeRow& row : type_rows(check.op().op)) rows_.push_back(&row);
    }

    /// Keeps the rows that fit. Returns false if none is left.
    template <typename Fits>
    bool keep(Fits&& fits) {
        std::erase_if(rows_, [&fits](const TypeRow* row) { return !fits(*row); });
        return !rows_.empty();
    }

    bool keep_argument(const Argument& argument) {
        if (!is_parameter(argument.rule->type)) return true;
        return keep([&](const TypeRow& row) {
            return row.type_of(argument.rule->type) == argument.tensor->type;
        });
    }

    bool keep_attributes() {
        return keep([this](const TypeRow& row) {
            return matches_mode(check_.op(), row) && matches_accumulator(check_.op(), row);
        });
    }

    const TypeRow* row() const { return rows_.empty() ? nullptr : rows_.front(); }

 private:
    const OperatorCheck& check_;
    std::vector<const TypeRow*> rows_;
};

void check_rank(const OperatorCheck& check, const Argument& argument) {
    const auto rank = static_cast<int>(argument.tensor->shape.size());
    const OperandRule& rule = *argument.rule;
    if (rank >= rule.min_rank && rank <= rule.max_rank) return;
    const std::string name = "tensor " + argument.tensor->name;
    const std::string value = shape_text(argument.tensor->shape);
    if (rank > kMaxRank) {
        check.fail(name, value,
                   "LEVEL_CHECK(rank(" + std::string(rule.name) + ") <= MAX_RANK) of level 8K, " +
                       std::to_string(kMaxRank));
    }
    check.fail(name, value,
               "ERROR_IF the operands do not meet the arguments: rank of " +
                   std::string(rule.name) + " is " + std::to_string(rule.min_rank) +
                   (rule.max_rank == rule.min_rank ? "" : " to " + std::to_string(rule.max_rank)));
}

void check_fixed_type(const OperatorCheck& check, const Argument& argument) {
    const auto wanted = fixed_type(check.op(), argument.rule->type);
    const bool is_shape_misplaced = !wanted && argument.tensor->type == DType::kShape;
    if (!is_shape_misplaced && (!wanted || *wanted == argument.tensor->type)) return;
    check.fail("tensor " + argument.tensor->name, std::string(dtype_name(argument.tensor->type)),
               "ERROR_IF the operator's data types are not supported: " +
                   std::string(argument.rule->name) +
                   (wanted ? " is " + std::string(dtype_name(*wanted)) : " is no shape value"));
}

void check_types(const OperatorCheck& check, const std::vector<Argument>& arguments) {
    RowFilter filter(check);
    for (const Argument& argument : arguments) {
        check_fixed_type(check, argument);
        if (filter.keep_argument(argument)) continue;
        check.fail("tensor " + argument.tensor->name,
                   std::string(dtype_name(argument.tensor->type)),
                   "ERROR_IF the operator's data types are not in its table of supported data "
                   "types. In the table, no row has this type of " +
                       std::string(argument.rule->name) + " with those of the operands before it");
    }
    if (filter.keep_attributes()) return;
    const auto accumulator = accumulator_type(check.op());
    check.fail(accumulator ? "acc_type" : "mode",
               accumulator ? std::string(dtype_name(*accumulator)) : "",
               "ERROR_IF the operator's data types are not in its table of supported data types: "
               "no row has the operands' types with this attribute");
}

/// A zero point has one element; the operator's own rules check other lists.
void check_zero_point_shape(const OperatorCheck& check, const Argument& argument) {
    if (argument.is_input && argument.rule->name.ends_with("_zp")) {
        check.require_dimension(*argument.tensor, 0, 1, "1");
    }
}

void check_binding(const OperatorCheck& check, const Argument& argument, FeatureSet features) {
    if (argument.rule->binding != Binding::kConstant || argument.tensor->has_data) return;
    if (argument.rule->type == ArgumentType::kShape) {
        check.fail("tensor " + argument.tensor->name, "not a constant",
                   "shape_t values must be resolvable to constants (1.11.1)");
    }
    if ((features & feature_bit(Feature::kExtDynamic)) != 0) return;
    check.fail("tensor " + argument.tensor->name, "not a constant",
               "the compile-time constant " + std::string(argument.rule->name) +
                   " must be connected to the output of CONST (2.1), without EXT-DYNAMIC");
}

}  // namespace

std::optional<DType> accumulator_type(const Operator& op) {
    if (const auto* a = op.attributes_if<AvgPool2dAttributes>()) return a->acc_type;
    if (const auto* a = op.attributes_if<Conv2dAttributes>()) return a->acc_type;
    if (const auto* a = op.attributes_if<Conv3dAttributes>()) return a->acc_type;
    if (const auto* a = op.attributes_if<DepthwiseConv2dAttributes>()) return a->acc_type;
    if (const auto* a = op.attributes_if<TransposeConv2dAttributes>()) return a->acc_type;
    return std::nullopt;
}

const TypeRow* find_type_row(const OperatorCheck& check) {
    RowFilter filter(check);
    for (const Argument& argument : arguments_of(check)) {
        if (!filter.keep_argument(argument)) return nullptr;
    }
    filter.keep_attributes();
    return filter.row();
}

void check_arguments(const OperatorCheck& check, FeatureSet features) {
    check_operand_counts(check.block(), check.op());
    const std::vector<Argument> arguments = arguments_of(check);
    check_types(check, arguments);
    for (const Argument& argument : arguments) {
        check_rank(check, argument);
        check_zero_point_shape(check, argument);
        check_binding(check, argument, features);
    }
    const TypeRow* row = find_type_row(check);
    OKKSIM_CHECK(row != nullptr);
    const FeatureNeed need = parse_feature_need(row->needs);
    if ((need.all_of & kBeyondV1Features & ~features) != 0) {
        check.fail("mode", std::string(row->mode),
                   "ERROR_IF the operator's data types are not in its table of supported data "
                   "types: no row of TOSA 1.0 has them, only " +
                       std::string(row->needs));
    }
    if (!need.met_by(features)) {
        check.fail("mode", std::string(row->mode),
                   "the operator and its data types need " + std::string(row->needs));
    }
}

void check_tensor(const Block& block, const Tensor& tensor) {
    // Names are read only for messages, as the names of a text may have left host memory.
    const auto fail = [&](const std::string& value, const char* rule, const char* advice = "") {
        throw_illegal_graph({&block, nullptr, "tensor " + tensor.name, value}, rule, kTensorSection,
                            advice);
    };
    const auto fail_shape = [&](const char* rule, const char* advice = "") {
        fail(shape_text(tensor.shape), rule, advice);
    };
    if (tensor.type == DType::kUnknown) {
        fail_shape("a tensor has a data type");
    }
    if (tensor.is_unranked) {
        fail_shape("a tensor has a shape", "compile the model for fixed shapes");
    }
    if (tensor.type == DType::kShape) {
        if (tensor.shape.size() != 1) {
            fail_shape("a shape value is a list");
        }
        if (!tensor.has_data) return;
        const std::uint64_t count = distinct_elements(
            tensor.data, static_cast<std::uint64_t>(std::max<std::int64_t>(tensor.shape[0], 0)));
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::int64_t value = integer_element(tensor.data, DType::kShape, i);
            if (value >= kMinTensorSize && value <= kMaxTensorSize) continue;
            fail(std::to_string(value),
                 "a shape value is a tensor_size_t, at level 8K -2^31 to 2^31 - 1");
        }
        return;
    }
    for (const std::int64_t dimension : tensor.shape) {
        if (dimension < 1) {
            fail_shape("every dimension of a tensor is at least 1");
        }
    }
    const auto count = element_count(tensor.shape);
    const auto element_bytes =
        static_cast<std::uint64_t>(std::max(8, storage_bits(tensor.type)) / 8);
    if (!count || *count > static_cast<std::uint64_t>(kMaxTensorSize) / element_bytes) {
        fail_shape("the bytes of a tensor are a tensor_size_t, at level 8K below 2^31",
                   "split the tensor");
    }
}

}  // namespace okksim::sim::graph
