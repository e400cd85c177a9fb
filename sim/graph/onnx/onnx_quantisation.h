// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "sim/graph/onnx/onnx_call.h"

namespace okksim::sim::graph::onnx {

// Quantised values: real = (number - zero point) * scale. "Held" numbers and zero points are those
// of the graph, which holds uint8 as int8 minus 128. Their differences are those of the file.

/// Range of the numbers of an element type, as the file counts them.
struct NumberRange {
    double low = 0;
    double high = 0;
};
NumberRange number_range(ElementType type);
/// True for the integers that QuantizeLinear gives: 4, 8 and 16 bits of either sign.
bool is_quantised_type(ElementType type);

/// Relation between the elements of a scale or zero point and those of an operand.
struct ParameterPlace {
    Shape shape;             ///< of the operand, in the file's order
    std::size_t axis = 0;    ///< of one element per index, or of blocks
    std::int64_t block = 0;  ///< elements per block, or 0
    bool is_channels_last = false;
};

/// Scale and zero point of a value.
struct Quantisation {
    Value* scale = nullptr;
    Value* zero_point = nullptr;  ///< may be absent
    ElementType type = ElementType::kUint8;

    /// Returns all scales if they are known.
    std::optional<std::vector<double>> known_scales() const;
    /// Returns all held zero points if they are known.
    std::optional<std::vector<std::int64_t>> known_zero_points() const;
    /// Returns the one held zero point that all elements have, if it is known.
    std::optional<std::int64_t> known_zero_point() const;
};

/// Checks scale and zero point of operand `value`: the operands `scale_at` and `scale_at + 1` of a
/// call. The scale is a real number per tensor, or per index of the axis.
Quantisation quantisation(const Call& call, ElementType type, std::size_t scale_at,
                          std::size_t zero_at);
/// Refuses a scale that has neither one element nor `count`.
void check_parameter_count(const Call& call, const Quantisation& quantisation, std::int64_t count);

/// Returns a parameter as fp32 that broadcasts to the operand; zero points as held numbers.
TensorIndex scale_tensor(const Call& call, const Quantisation& q, const ParameterPlace& place);
TensorIndex zero_point_tensor(const Call& call, const Quantisation& q, const ParameterPlace& place);

/// Converts held numbers to fp32.
TensorIndex dequantised(const Call& call, TensorIndex held, const Quantisation& q,
                        const ParameterPlace& place);
/// Converts fp32 to held numbers: divides by the scale, rounds half to even, adds the zero point
/// and saturates.
TensorIndex quantised(const Call& call, TensorIndex real, const Quantisation& q,
                      const ParameterPlace& place);
/// Converts real numbers that count in steps.
TensorIndex rounded_steps(const Call& call, TensorIndex steps, const Quantisation& q,
                          const ParameterPlace& place);

/// Returns i32 sums times `factors` (one, or one per element of the last dimension) as held numbers
/// of the type with a zero point. Returns nothing if RESCALE does not represent a factor.
std::optional<TensorIndex> rescaled_sums(OperatorBuilder& ops, TensorIndex sums,
                                         const std::vector<double>& factors, ElementType type,
                                         std::int64_t held_zero_point);

}  // namespace okksim::sim::graph::onnx
