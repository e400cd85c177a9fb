// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "sim/graph/operator_builder.h"
#include "sim/graph/tflite/tflite_scale.h"
#include "sim/graph/tflite/tflite_value.h"

namespace okksim::sim::graph::tflite {

using wire::Activation;

/// Limits of an activation in real numbers; infinite without one. TANH and SIGN_BIT have none.
struct Limits {
    double low;
    double high;
};
Limits limits_of(Activation activation);

/// Converts between values of the file and tensors of a block, and between real numbers and the
/// integers that represent them.
class Tensors {
 public:
    Tensors(OperatorBuilder& ops, RoundingMode rounding) : ops_(ops), rounding_(rounding) {}

    OperatorBuilder& ops() { return ops_; }
    RoundingMode rounding() const { return rounding_; }

    /// Returns the tensor of the value. A known value becomes a constant.
    TensorIndex of(Value& value);
    /// Returns a known value as a constant of the given shape.
    TensorIndex constant(const Value& value, const Shape& shape, std::string_view role);
    /// Returns a known or computed value with another shape.
    TensorIndex shaped(Value& value, const Shape& shape, std::string_view role);
    /// Returns fp32 numbers. Known values are converted by the reader.
    TensorIndex real(Value& value);
    TensorIndex reals(const Shape& shape, const std::vector<float>& values, std::string_view role);
    /// Returns q - zero as INT32.
    TensorIndex centred(Value& value);

    /// Makes the tensors' ranks equal by leading dimensions of 1.
    void align(std::vector<TensorIndex>& tensors);
    TensorIndex test(OpCode op, TensorIndex x, TensorIndex y, std::string_view role);
    TensorIndex select(TensorIndex condition, TensorIndex x, TensorIndex y, std::string_view role);

    /// Zero points of RESCALE.
    struct Zeros {
        std::int64_t in = 0;
        std::int64_t out = 0;
    };
    /// Multiplies integers by real scales: one, or one per channel of the last dimension.
    TensorIndex rescaled(TensorIndex x, const std::vector<double>& scales, DType to, Zeros zeros,
                         RoundingMode rounding);
    TensorIndex rescaled(TensorIndex x, const std::vector<double>& scales, DType to, Zeros zeros) {
        return rescaled(x, scales, to, zeros, rounding_);
    }
    TensorIndex rescaled(TensorIndex x, double scale, DType to, Zeros zeros = {0, 0}) {
        return rescaled(x, std::vector<double>{scale}, to, zeros, rounding_);
    }
    TensorIndex rescaled(TensorIndex x, double scale, DType to, Zeros zeros,
                         RoundingMode rounding) {
        return rescaled(x, std::vector<double>{scale}, to, zeros, rounding);
    }
    /// Divides INT32 by 2^bits, rounded half away from zero. |x| is below 2^30.
    TensorIndex divided(TensorIndex x, int bits, DType to);
    /// Narrows 48-bit sums to INT32 without a change of the value.
    TensorIndex narrowed(TensorIndex sums);
    /// Multiplies INT32 by 2^bits.
    TensorIndex shifted(TensorIndex x, int bits);

    /// Represents fp32 numbers as `like` does: rounded half away from zero, limited to the range.
    /// Also converts to other types of numbers. `is_exact`: with the quotient of the division by
    /// the scale, not with the product with its reciprocal.
    TensorIndex quantised(TensorIndex x, const Value& like, bool is_exact = false);
    /// Applies the activation to values as `like` represents them.
    TensorIndex activated(TensorIndex x, const Value& like, Activation activation);
    /// Limits quantised numbers to a range of real numbers.
    TensorIndex limited(TensorIndex x, const Value& like, const Limits& limits);

 private:
    TensorIndex quotient(TensorIndex x, float divisor);
    TensorIndex real_activated(TensorIndex x, Activation activation);
    TensorIndex integer_activated(TensorIndex x, Activation activation);

    OperatorBuilder& ops_;
    RoundingMode rounding_;
};

/// Returns the bytes of a constant inside the graph: the low words of INT64, and uint8 shifted to
/// int8.
ConstantData device_bytes(const Value& value, Graph& graph);

}  // namespace okksim::sim::graph::tflite
