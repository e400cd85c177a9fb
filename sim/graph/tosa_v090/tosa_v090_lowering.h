// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "sim/graph/block_builder.h"
#include "tosa_v090_generated.h"

namespace okksim::sim::graph {

/// An operator of a 0.90 file with resolved operands.
struct OperatorV090 {
    const wire090::TosaOperator* wire = nullptr;
    std::vector<TensorIndex> inputs;
    std::vector<TensorIndex> outputs;
    std::uint32_t index = 0;
};

/// Returns the specification's name of a 0.90 operator, such as "FULLY_CONNECTED".
std::string_view op_name_v090(const OperatorV090& op);

/// Returns the data type; UINT8 and UINT16 are kI8 and kI16 with the same bits.
DType type_of_v090(wire090::DType type);

/// Known shape values of a block, by tensor.
using ShapeValues = std::unordered_map<TensorIndex, std::vector<std::int64_t>>;

/// Lowers the operators of one block to TOSA 1.0. Validation checks the rules that 1.0 shares.
/// Rules of 0.90 alone are checked here: ProgramFault kIllegalGraph.
class LoweringV090 {
 public:
    /// Reports a fault of the file: (field of the operator, message); must not return.
    using Failure =
        std::function<void(const OperatorV090&, const std::string&, const std::string&)>;

    LoweringV090(BlockBuilder& builder, ShapeValues& shapes, Failure fail)
        : b_(builder), shapes_(shapes), fail_(std::move(fail)) {}

    /// True for operators on shapes, which lower() does not accept.
    bool computes_shape(const OperatorV090& op) const;
    /// Returns the first operand of an operator on shapes whose value is unknown.
    std::optional<TensorIndex> unknown_operand(const OperatorV090& op) const;
    /// Evaluates an operator on shapes with known operands.
    void fold_shape(const OperatorV090& op);
    void lower(const OperatorV090& op);

 private:
    const Tensor& input(const OperatorV090& op, std::size_t n) const;
    const Tensor& output(const OperatorV090& op, std::size_t n = 0) const;
    [[noreturn]] void illegal(const OperatorV090& op, const std::string& tensor,
                              const std::string& value, const std::string& rule) const;
    [[noreturn]] void fail(const OperatorV090& op, const std::string& field,
                           const std::string& message) const;
    void require_operands(const OperatorV090& op, std::size_t inputs, std::size_t outputs) const;
    /// Refuses an operator whose attribute `operand` has a value as well as the input of that name.
    void refuse_second_value(const OperatorV090& op, bool has_value, const char* operand) const;
    /// Checks types and ranks that 1.0 or other operators permit, but 0.90 does not.
    void refuse_later_forms(const OperatorV090& op) const;
    /// Only RESCALE, and values that are only passed on, may have type uint8 and uint16.
    void refuse_unsigned(const OperatorV090& op) const;

    /// Returns the attribute table; fails with the name of a missing table.
    template <typename T>
    const T& attribute(const OperatorV090& op, const char* name) const {
        const auto* table = op.wire->template attribute_as<T>();
        if (table == nullptr) fail(op, "attribute", std::string("has no ") + name);
        return *table;
    }
    template <std::size_t N>
    std::array<std::int32_t, N> fixed(const OperatorV090& op,
                                      const flatbuffers::Vector<std::int32_t>* vector,
                                      const char* name) const {
        const std::size_t size = vector == nullptr ? 0 : vector->size();
        if (size != N) {
            fail(
                op, name,
                "has " + std::to_string(size) + " values; the operator takes " + std::to_string(N));
        }
        std::array<std::int32_t, N> values{};
        std::copy(vector->begin(), vector->end(), values.begin());
        return values;
    }

    /// Returns a one-element constant. `value` must fit `type`, or its unsigned variant if
    /// `is_unsigned`.
    TensorIndex scalar(const OperatorV090& op, DType type, std::int64_t value, const char* name,
                       bool is_unsigned = false);
    TensorIndex cast(TensorIndex value, DType type, std::string_view role);
    /// Returns the shape operand, or the attribute's numbers for files that have an attribute
    /// instead.
    template <typename Vector>
    TensorIndex shape_operand(const OperatorV090& op, std::size_t n, const Vector* attribute,
                              const char* name);
    /// Returns a shape operand. A value known only at run time must follow from the tensors'
    /// shapes.
    TensorIndex known_shape(const OperatorV090& op, std::size_t n,
                            const std::vector<std::int64_t>* implied, const char* name);

    friend struct LoweringTableV090;
    template <OpCode code>
    void lower_plain(const OperatorV090& op) {
        b_.add(code, NoAttributes{}, op.inputs, op.outputs);
    }
    /// REDUCE_* and other operators with an axis; 0.90 propagates NaN.
    template <OpCode code, typename A>
    void lower_axis(const OperatorV090& op) {
        A attributes;
        attributes.axis = attribute<wire090::AxisAttribute>(op, "AxisAttribute").axis();
        if constexpr (requires { attributes.nan_mode; }) {
            attributes.nan_mode = NanPropagationMode::kPropagate;
        }
        b_.add(code, attributes, op.inputs, op.outputs);
    }
    template <OpCode code, typename A>
    void lower_extremum(const OperatorV090& op) {
        b_.add(code, A{NanPropagationMode::kPropagate}, op.inputs, op.outputs);
    }
    template <OpCode code, typename A>
    void lower_convolution(const OperatorV090& op) {
        const auto& a = attribute<wire090::ConvAttribute>(op, "ConvAttribute");
        const ProductOperands operands = convolution_operands(op, a.input_zp(), a.weight_zp());
        A attributes;
        attributes.pad = fixed<std::tuple_size_v<decltype(A::pad)>>(op, a.pad(), "pad");
        attributes.stride = fixed<std::tuple_size_v<decltype(A::stride)>>(op, a.stride(), "stride");
        attributes.dilation =
            fixed<std::tuple_size_v<decltype(A::dilation)>>(op, a.dilation(), "dilation");
        attributes.local_bound = a.local_bound();
        attributes.acc_type = operands.acc_type;
        b_.add(code, attributes, operands.inputs, op.outputs);
    }

    OperatorV090 with_shape(const OperatorV090& op, const std::vector<std::int64_t>& implied,
                            const char* name);

    struct ProductOperands {
        std::vector<TensorIndex> inputs;  ///< input, weight, bias, zero points
        DType acc_type = DType::kUnknown;
    };
    ProductOperands convolution_operands(const OperatorV090& op, std::int32_t input_zp,
                                         std::int32_t weight_zp);
    void lower_fully_connected(const OperatorV090& op);
    void lower_transpose_convolution(const OperatorV090& op);
    void lower_matmul(const OperatorV090& op);
    void lower_avg_pool(const OperatorV090& op);
    void lower_max_pool(const OperatorV090& op);
    void lower_fft(const OperatorV090& op);
    void lower_rfft(const OperatorV090& op);
    void lower_right_shift(const OperatorV090& op);
    void lower_mul(const OperatorV090& op);
    void lower_negate(const OperatorV090& op);
    void lower_rescale(const OperatorV090& op);
    void lower_clamp(const OperatorV090& op);
    void lower_pad(const OperatorV090& op);
    void lower_reshape(const OperatorV090& op);
    void lower_tile(const OperatorV090& op);
    void lower_slice(const OperatorV090& op);
    void lower_transpose(const OperatorV090& op);
    void lower_concat(const OperatorV090& op);
    void lower_custom(const OperatorV090& op);
    void lower_cond_if(const OperatorV090& op);
    void lower_while_loop(const OperatorV090& op);
    /// Numbers of the enumeration that are not operators of this kind.
    void refuse(const OperatorV090& op);
    void lower_table(const OperatorV090& op);
    void lower_resize(const OperatorV090& op);
    /// Shift amounts may reach 31 for every type; shifted-out bits are lost.
    template <OpCode code>
    void lower_logical_shift(const OperatorV090& op) {
        lower_logical_shift(op, code);
    }
    void lower_logical_shift(const OperatorV090& op, OpCode code);
    /// The bounds of fp32 results are narrower than in 1.0.
    void lower_exp(const OperatorV090& op);
    /// Negative and zero bases are defined.
    void lower_pow(const OperatorV090& op);
    /// Returns the value in another shape; constants remain constants.
    TensorIndex constant_view(TensorIndex of, Shape shape, std::string_view role);

    std::vector<std::int64_t> folded(const OperatorV090& op);
    std::vector<std::int64_t> folded_dimension(const OperatorV090& op);
    std::vector<std::int64_t> folded_arithmetic(
        const OperatorV090& op, const std::vector<const std::vector<std::int64_t>*>& operands);

    BlockBuilder& b_;
    ShapeValues& shapes_;
    Failure fail_;
};

}  // namespace okksim::sim::graph
