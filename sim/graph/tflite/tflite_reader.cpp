// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/tflite/tflite_reader.h"

#include "sim/graph/flatbuffer/file_parts.h"
#include "sim/graph/schedule.h"
#include "sim/graph/tflite/tflite_subgraph.h"

namespace okksim::sim::graph {

// The functions of a model that read its subgraphs.
namespace tflite {

namespace {

constexpr int kMostDepth = 6;  // MAX_NESTING of level 8K

/// Counts a call of a subgraph as long as it is being lowered.
class Deeper {
 public:
    explicit Deeper(int& depth) : depth_(depth) { ++depth_; }
    ~Deeper() { --depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

 private:
    int& depth_;
};

}  // namespace

Graph Model::read() {
    graph_.storage.push_back(source_.owner);
    graph_.regions.push_back({"main", {}});
    graph_.regions[0].blocks.reserve(kMostBlocks);  // builders refer to blocks
    BlockBuilder builder(graph_, add_block("main"));
    Subgraph main(*this, builder, 0);
    main.read_main();
    report_unread();
    main.add_outputs();
    finish_variables();
    return std::move(graph_);
}

BlockReference Model::lower(std::int64_t index, const std::vector<Value*>& inputs, const Call& call,
                            std::vector<Value>& outputs) {
    const wire::SubGraph& source = file_.subgraph(index, call.where);
    if (depth_ == kMostDepth) throw UnsupportedPart("control flow nested that deep");
    const auto number = static_cast<std::uint32_t>(graph_.regions[0].blocks.size());
    const std::string name = std::string(view(source.name()));
    Block& block = add_block((name.empty() ? "subgraph" : name) + "." + std::to_string(number));
    BlockBuilder builder(graph_, block);
    Subgraph inner(*this, builder, static_cast<std::uint32_t>(index));
    const std::uint64_t known = unread_.count();
    const Deeper deeper(depth_);
    inner.read_called(inputs, call);
    if (unread_.count() == known) outputs = inner.add_results();
    if (unread_.count() != known) throw UnreadOperand();
    return {0, number};
}

void Model::run_once(std::int64_t index, const Call& call) {
    file_.subgraph(index, call.where);
    Block unused;
    BlockBuilder builder(graph_, unused);
    Subgraph inner(*this, builder, static_cast<std::uint32_t>(index));
    inner.read_assignments();
}

}  // namespace tflite

bool probe_tflite(std::span<const std::byte> bytes) { return tflite::has_identifier(bytes); }

Graph read_tflite(const GraphSource& source, const ReadOptions& options) {
    Graph graph = tflite::Model(source, options).read();
    schedule_graph(graph);
    return graph;
}

}  // namespace okksim::sim::graph
