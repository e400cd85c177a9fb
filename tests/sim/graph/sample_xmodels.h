// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/graph/xmodel/xmodel_writer.h"

namespace okksim::tests {

using sim::graph::XmodelArguments;
using sim::graph::XmodelAttribute;
using sim::graph::XmodelAttributes;
using sim::graph::XmodelResult;
using sim::graph::XmodelWriter;

/// Files with operators of both vocabularies and several types.
std::vector<std::vector<std::uint8_t>> sample_xmodels();

}  // namespace okksim::tests
