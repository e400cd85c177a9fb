// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sim/graph/graph.h"
#include "sim/graph/xmodel/xmodel_element.h"

namespace okksim::sim::graph {

namespace xmodel {
class File;
}

/// An operator's result as a .xmodel file declares it.
struct XmodelResult {
    xmodel::ElementType type;
    Shape shape;
    std::optional<int> fix_point = {};
    std::string round_mode = "DPU_ROUND";  ///< with fix_point only
};

/// An attribute. Whole numbers have 32 bits and others single precision, like in existing files.
using XmodelAttribute =
    std::variant<bool, std::int64_t, double, std::string, Shape, std::vector<double>>;
using XmodelAttributes = std::vector<std::pair<std::string, XmodelAttribute>>;
/// Operands by argument: {"input", {"x", "y"}}.
using XmodelArguments = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// Writes .xmodel files operator by operator, without checks.
class XmodelWriter {
 public:
    XmodelWriter();
    XmodelWriter(XmodelWriter&& other) noexcept;
    ~XmodelWriter();

    void node(const std::string& type, const std::string& name, const XmodelArguments& arguments,
              const XmodelAttributes& attributes, const XmodelResult& result);
    /// Writes a Const, const or const-fix.
    void constant(const std::string& type, const std::string& name, const XmodelResult& result,
                  std::span<const std::byte> data);
    std::vector<std::uint8_t> bytes() const;

 private:
    std::unique_ptr<xmodel::File> file_;
};

}  // namespace okksim::sim::graph
