// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "sim/graph/onnx/onnx_call.h"

namespace okksim::sim::graph::onnx {

/// An operator: a row of onnx_operators.def.
struct OperatorRow {
    std::string_view domain;  ///< "" is ai.onnx
    std::string_view type;
    /// Operands that are wanted as known values: bit n for operand n, kAll for all.
    std::uint32_t known;
    /// Computes the results from known operands on the host. Returns false to lower the node.
    bool (*fold)(const Call& call);
    /// Sets the results from tensors of the graph.
    void (*lower)(const Call& call);
};

inline constexpr std::uint32_t kAllKnown = 0xFFFFFFFF;
constexpr std::uint32_t known_operand(int n) { return std::uint32_t{1} << n; }

/// Returns all rows.
std::span<const OperatorRow> operator_rows();
/// Returns nullptr for an unsupported operator.
const OperatorRow* find_operator(std::string_view domain, std::string_view type);
/// An operator that is refused by decision: a row of onnx_refused.def.
struct Refusal {
    std::string_view domain;
    std::string_view type;
    std::string_view reason;
};
std::span<const Refusal> refusals();
/// Returns why an operator is refused by decision; empty for an operator that is not known at all.
std::string_view refusal(std::string_view domain, std::string_view type);

/// Lowers the convolution before a node with scaled weights: scale and offset per output channel.
/// Returns false if the node's operand is no such convolution with known weights.
bool lower_scaled_convolution(const Call& call, const std::vector<double>& scale,
                              const std::vector<double>& offset);

// The functions of the rows.
namespace fold {
/// For operators that are never computed on the host.
bool nothing(const Call& call);
#define OKKSIM_ONNX_OPERATOR(domain, type, known, fold, lower) bool fold(const Call& call);
#include "sim/graph/onnx/onnx_operators.def"
#undef OKKSIM_ONNX_OPERATOR
}  // namespace fold
namespace lower {
/// For operators that are only computed on the host.
void unknown(const Call& call);
#define OKKSIM_ONNX_OPERATOR(domain, type, known, fold, lower) void lower(const Call& call);
#include "sim/graph/onnx/onnx_operators.def"
#undef OKKSIM_ONNX_OPERATOR
}  // namespace lower

}  // namespace okksim::sim::graph::onnx
