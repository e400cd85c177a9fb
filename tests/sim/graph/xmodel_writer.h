// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sim/graph/graph.h"
#include "sim/graph/xmodel/xmodel_element.h"
#include "xmodel.pb.h"

namespace okksim::tests {

/// What a .xmodel file says of an operator's result.
struct XmodelResult {
    sim::graph::xmodel::ElementType type;
    sim::graph::Shape shape;
    std::optional<int> fix_point = {};
    std::string round_mode = "DPU_ROUND";  ///< with fix_point only
};

/// An attribute: whole numbers are 32 bits wide, others single precision, as in files in use.
using XmodelAttribute =
    std::variant<bool, std::int64_t, double, std::string, sim::graph::Shape, std::vector<double>>;
using XmodelAttributes = std::vector<std::pair<std::string, XmodelAttribute>>;
/// Operands by argument: {"input", {"x", "y"}}.
using XmodelArguments = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// Writes .xmodel files operator by operator; checks nothing.
class XmodelWriter {
 public:
    void node(const std::string& type, const std::string& name, const XmodelArguments& arguments,
              const XmodelAttributes& attributes, const XmodelResult& result);
    /// Const, const or const-fix.
    void constant(const std::string& type, const std::string& name, const XmodelResult& result,
                  std::span<const std::byte> data);
    std::vector<std::uint8_t> bytes() const;

 private:
    sim::graph::xmodel::File file_;
};

/// A graph of TOSA in the names of files in use: convolutions, pools, CLAMP at 0 or at 0 and 6,
/// ADD and RESHAPE, of floating-point types. Throws std::runtime_error for others.
std::vector<std::uint8_t> write_xmodel(const sim::graph::Graph& graph);

/// Files with operators of both vocabularies and several types.
std::vector<std::vector<std::uint8_t>> sample_xmodels();

}  // namespace okksim::tests
