// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/graph_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "kernels/tosa/tosa_types.h"
#include "sim/graph/constant_operator.h"
#include "sim/graph/tosa_v1/tosa_v1_attribute_hash.h"

namespace okksim::sim::planning {
namespace {

class BlockText {
 public:
    BlockText(const graph::Graph& graph, const graph::Block& block, std::string place)
        : graph_(graph), block_(block), place_(std::move(place)) {
        for (std::size_t i = 0; i < block.inputs.size(); ++i) {
            makers_[block.inputs[i]] = fmt::format("in{}", i);
        }
    }

    void add_to(std::vector<std::string>& lines) {
        std::size_t number = 0;
        for (const graph::Operator& op : block_.operators) {
            if (graph::is_constant(op)) continue;
            std::vector<std::string> operands;
            for (const graph::TensorIndex input : op.inputs) operands.push_back(maker(input));
            std::vector<std::string> results;
            for (std::size_t n = 0; n < op.outputs.size(); ++n) {
                const graph::Tensor& tensor = block_.output(op, n);
                makers_[op.outputs[n]] =
                    n == 0 ? fmt::format("%{}", number) : fmt::format("%{}#{}", number, n);
                results.push_back(fmt::format("{} {}", fmt::join(tensor.shape, "x"),
                                              tosa::dtype_name(tensor.type)));
            }
            lines.push_back(fmt::format("{} %{} = {}{}({}): {}", place_, number,
                                        tosa::op_name(op.op), attributes_of(op),
                                        fmt::join(operands, ", "), fmt::join(results, ", ")));
            ++number;
        }
    }

 private:
    std::string maker(graph::TensorIndex value) const {
        const auto found = makers_.find(value);
        if (found != makers_.end()) return found->second;
        const graph::Tensor& tensor = block_.tensors[value];
        if (!tensor.has_data) return "outer";
        return fmt::format("const {}", fmt::join(tensor.shape, "x"));
    }

    /// Returns a hash of the attributes, as a text.
    std::string attributes_of(const graph::Operator& op) const {
        const std::uint64_t hash = graph::attribute_hash(graph_, op);
        constexpr int kShort = 32;  ///< only the upper bits are written, for readability
        return hash == 0 ? "" : fmt::format("#{:08x}", hash >> kShort);
    }

    const graph::Graph& graph_;
    const graph::Block& block_;
    std::string place_;  ///< region and position in it
    std::map<graph::TensorIndex, std::string> makers_;
};

}  // namespace

std::vector<std::string> operators_of(const graph::Graph& graph) {
    std::vector<std::string> lines;
    for (std::size_t r = 0; r < graph.regions.size(); ++r) {
        for (std::size_t b = 0; b < graph.regions[r].blocks.size(); ++b) {
            BlockText(graph, graph.regions[r].blocks[b], fmt::format("{}.{}", r, b)).add_to(lines);
        }
    }
    return lines;
}

}  // namespace okksim::sim::planning
