// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "sim/graph/xmodel/xmodel_lowering.h"

namespace okksim::sim::graph::xmodel {

enum class Inputs : std::uint8_t { kOne, kMany };
enum class Weights : std::uint8_t { kNone, kWeights, kSlopes };

/// An operator name of .xmodel files: a row of xmodel_operators.def.
struct OperatorRow {
    std::string_view type;
    Vocabulary vocabulary;
    Inputs inputs;
    Weights weights;
    void (Lowering::*lower)(const Call&, Value&);
};

/// Returns nullptr for an unsupported name.
const OperatorRow* find_operator(std::string_view type);

}  // namespace okksim::sim::graph::xmodel
