// SPDX-License-Identifier: Apache-2.0
// The addresses of values in a plan depend on the graph, not on the order in which a file lists its
// tensors.
#include <algorithm>
#include <map>
#include <string>

#include "sim/graph/builder.h"
#include "sim/machine/machine.h"
#include "sim/planning/machine_plan.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::sim;
using namespace okksim::tosa;
using graph::TensorIndex;

/// y = tanh(x w) + b, as operators that do not share a kernel.
graph::Graph product() {
    graph::GraphBuilder b;
    const TensorIndex x = b.input(DType::kFp32, {1, 8, 16}, "x");
    const TensorIndex zero = b.constant({1}, {0.0F});
    const TensorIndex w = b.constant({1, 16, 32}, std::vector<float>(512, 0.5F));
    const TensorIndex bias = b.constant({1, 1, 32}, std::vector<float>(32, 1.0F));
    const graph::Shape shape{1, 8, 32};
    const TensorIndex sums =
        b.add(OpCode::kMatmul, NoAttributes{}, {x, w, zero, zero}, DType::kFp32, shape);
    const TensorIndex bent = b.add(OpCode::kTanh, NoAttributes{}, {sums}, DType::kFp32, shape);
    b.output(b.add(OpCode::kAdd, NoAttributes{}, {bent, bias}, DType::kFp32, shape));
    return b.finish();
}

/// Returns the graph with its tensors listed in reverse order.
graph::Graph reversed(graph::Graph graph) {
    graph::Block& block = graph.regions[0].blocks[0];
    const auto last = static_cast<TensorIndex>(block.tensors.size() - 1);
    std::reverse(block.tensors.begin(), block.tensors.end());
    const auto turn = [last](auto& list) {
        for (TensorIndex& index : list) index = last - index;
    };
    turn(block.inputs);
    turn(block.outputs);
    for (graph::Operator& op : block.operators) {
        turn(op.inputs);
        turn(op.outputs);
    }
    return graph;
}

std::map<std::string, std::uint64_t> addresses(const graph::Graph& graph) {
    const auto plan =
        planning::plan_for_machine(graph, load_machine("bm1684"), planning::PlanOptions{});
    std::map<std::string, std::uint64_t> places;
    for (std::size_t i = 0; i < graph.main().tensors.size(); ++i) {
        places[graph.main().tensors[i].name] = plan.blocks[0][0].slots[i].address;
    }
    return places;
}

}  // namespace

TEST_CASE("values lie where they lie whatever the order of a file's tensors") {
    const graph::Graph graph = product();
    const auto places = addresses(graph);
    CHECK(places.size() == 7);  // x, three constants, three results
    CHECK(addresses(reversed(graph)) == places);
}
