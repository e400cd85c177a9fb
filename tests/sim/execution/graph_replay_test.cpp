// SPDX-License-Identifier: Apache-2.0
// The chip's commands for a graph, replayed one by one in program order on the model without time,
// give the same outputs. The order in which overlapping engines finish therefore has no influence.
#include <algorithm>
#include <cstring>

#include "isa/tensors.h"
#include "models/chip/chip.h"
#include "models/chip/functional_port.h"
#include "sim/execution/executor.h"
#include "sim/execution/random_input.h"
#include "sim/graph/builder.h"
#include "sim/graph/validate/validate.h"
#include "sim/planning/machine_plan.h"
#include "sim/planning/packed_constants.h"
#include "sim/zoo/zoo.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::sim;
using namespace okksim::tosa;
using execution::GraphExecutor;
using graph::GraphBuilder;

/// A command, and the control processor's stores to L2-SRAM since the previous command.
struct RecordedCommand {
    isa::Command command;
    std::vector<std::byte> l2;  ///< all of L2-SRAM; empty: as before
};

/// Keeps the commands in program order. Only the control processor writes L2-SRAM; a GDMA command
/// that does fails the test. The contents when a command is queued are therefore the contents that
/// it reads.
class Keeper : public models::CommandObserver {
 public:
    Keeper(models::Chip& chip, const isa::MachineShape& shape)
        : shape_(shape), l2_(chip.system_memory().pointer(shape.l2_start, shape.l2_bytes)) {
        chip.add_observer(*this);
        known_.assign(l2_, l2_ + shape.l2_bytes);
    }

    void submitted(const isa::Command& command) override {
        RecordedCommand record{command, {}};
        for (const isa::TensorView& view : isa::tensor_views(command, shape_)) {
            if (!is_l2(view)) continue;
            REQUIRE(view.access == isa::Access::kRead);
            if (std::memcmp(known_.data(), l2_, known_.size()) == 0) continue;
            known_.assign(l2_, l2_ + known_.size());
            record.l2 = known_;
            ++stores_;
        }
        commands_.push_back(std::move(record));
    }

    const std::vector<RecordedCommand>& commands() const { return commands_; }
    /// Number of times that the control processor had changed L2-SRAM.
    int stores() const { return stores_; }

 private:
    bool is_l2(const isa::TensorView& view) const {
        const auto address = view.system_addr.value();
        return !view.local && address >= shape_.l2_start &&
               address < shape_.l2_start + shape_.l2_bytes;
    }

    isa::MachineShape shape_;
    const std::byte* l2_;
    std::vector<std::byte> known_;
    std::vector<RecordedCommand> commands_;
    int stores_ = 0;
};

/// Writes constants and inputs as the host does before a run.
class Host {
 public:
    Host(const planning::GraphPlan& plan, const graph::Graph& graph,
         std::vector<graph::HostTensor> inputs)
        : graph_(graph), plan_(plan), main_(plan.block(graph.entry)), inputs_(std::move(inputs)) {}

    void write(GraphExecutor& executor) const {
        for (std::size_t i = 0; i < inputs_.size(); ++i) executor.set_input(i, inputs_[i]);
    }
    void write(models::FunctionalPort& port) const {
        for (const planning::ConstantImage& constant : plan_.constants) {
            if (constant.is_read) write(port, constant.address, constant.value.data);
        }
        planning::pack_constants(graph_, plan_, [&port](std::uint64_t address, auto bytes) {
            write(port, address, bytes);
        });
        for (std::size_t i = 0; i < inputs_.size(); ++i) {
            write(port, main_.slots[main_.inputs[i]].address, inputs_[i].data);
        }
    }
    /// Bytes of an output of the main block.
    std::vector<std::byte> output(models::FunctionalPort& port, std::size_t index,
                                  std::size_t bytes) const {
        const std::uint64_t address = main_.slots[main_.outputs[index]].address;
        const std::byte* data = port.system_memory().pointer(address, bytes);
        REQUIRE(data != nullptr);
        return {data, data + bytes};
    }

 private:
    static void write(models::FunctionalPort& port, std::uint64_t address,
                      std::span<const std::byte> bytes) {
        if (bytes.empty()) return;
        std::byte* target = port.system_memory().pointer(address, bytes.size());
        REQUIRE(target != nullptr);
        std::memcpy(target, bytes.data(), bytes.size());
    }

    const graph::Graph& graph_;
    const planning::GraphPlan& plan_;
    const planning::BlockPlan& main_;
    std::vector<graph::HostTensor> inputs_;
};

/// Executes the commands in program order on the model without time.
void replay(const Keeper& keeper, const isa::MachineShape& shape, models::FunctionalPort& port) {
    std::byte* l2 = port.system_memory().pointer(shape.l2_start, shape.l2_bytes);
    for (const RecordedCommand& record : keeper.commands()) {
        if (!record.l2.empty()) std::memcpy(l2, record.l2.data(), record.l2.size());
        port.submit(record.command);
    }
}

/// Runs a graph on a small chip, replays its commands and compares all outputs. Returns how often
/// the control processor had changed L2-SRAM.
int check_replay(graph::Graph graph, std::vector<graph::HostTensor> inputs) {
    graph::validate_graph(graph);
    Simulation simulation(load_machine("bm1684", {"chip.lanes=8", "chip.local_memory_bytes=65536"}),
                          {});
    const isa::MachineShape shape = simulation.machine().params.shape();
    const planning::GraphPlan plan =
        planning::plan_for_machine(graph, simulation.machine(), planning::PlanOptions{});
    const Host host(plan, graph, std::move(inputs));
    GraphExecutor executor(graph, plan, simulation);
    host.write(executor);
    const Keeper keeper(simulation.chip(), shape);
    const execution::ExecutionReport report = executor.run();
    if (report.fault) throw ProgramFault(*report.fault);
    models::FunctionalPort port(shape);
    host.write(port);
    replay(keeper, shape, port);
    REQUIRE(!keeper.commands().empty());
    for (std::size_t i = 0; i < graph.main().outputs.size(); ++i) {
        const graph::HostTensor output = executor.output(i);
        const std::vector<std::byte> expected(output.data.begin(), output.data.end());
        CAPTURE(i, expected.size());
        // No comparison of whole vectors: a mismatch would print megabytes.
        CHECK(std::ranges::equal(host.output(port, i, expected.size()), expected));
        CHECK(std::ranges::any_of(expected, [](std::byte b) { return b != std::byte{0}; }));
    }
    return keeper.stores();
}

/// Random inputs for all inputs of the main block.
std::vector<graph::HostTensor> random_inputs(const graph::Graph& graph) {
    std::vector<graph::HostTensor> inputs;
    for (const graph::TensorIndex index : graph.main().inputs) {
        const graph::Tensor& tensor = graph.main().tensors[index];
        inputs.push_back(execution::random_input(tensor.type, tensor.shape, inputs.size() + 1));
    }
    return inputs;
}

int check_replay(graph::Graph graph) {
    std::vector<graph::HostTensor> inputs = random_inputs(graph);
    return check_replay(std::move(graph), std::move(inputs));
}

int check_network(const std::string& name, const zoo::ZooOptions& options) {
    zoo::ZooModel model = zoo::build_network(name, options);
    std::vector<graph::HostTensor> inputs;
    for (const zoo::ZooModel::Input& input : model.inputs) inputs.push_back(input.value);
    return check_replay(std::move(model.graph), std::move(inputs));
}

constexpr DType kFp32 = DType::kFp32;
constexpr DType kI8 = DType::kI8;
constexpr DType kI32 = DType::kI32;

}  // namespace

TEST_CASE("replayed pointwise operators, reductions and moves give the same outputs") {
    GraphBuilder b;
    const graph::Shape shape{3, 17, 40, 9};
    const auto x = b.input(kFp32, shape, "x");
    const auto y = b.input(kFp32, {1, 17, 1, 9}, "y");
    const auto sum = b.add(OpCode::kAdd, NoAttributes{}, {x, y}, kFp32, shape);
    const auto curve = b.add(OpCode::kTanh, NoAttributes{}, {sum}, kFp32, shape);
    const auto turned = b.add(OpCode::kTranspose, TransposeAttributes{{3, 1, 0, 2}}, {curve}, kFp32,
                              {9, 17, 3, 40});
    b.output(curve);
    b.output(turned);
    b.output(b.add(OpCode::kReduceSum, ReduceSumAttributes{2}, {turned}, kFp32, {9, 17, 1, 40}));
    check_replay(b.finish());
}

TEST_CASE("replayed tables, rescales and gathers give the same outputs") {
    GraphBuilder b;
    const graph::Shape shape{1, 50, 12};
    const auto x = b.input(kI8, shape, "x");
    std::vector<std::int64_t> entries, factors, shifts, indices;
    for (int i = 0; i < 256; ++i) entries.push_back((i * 37 + 11) % 256 - 128);
    for (int i = 0; i < 12; ++i) factors.push_back((1 << 30) + i * 12345677);
    for (int i = 0; i < 12; ++i) shifts.push_back(30 + i % 3);
    for (int i = 0; i < 30; ++i) indices.push_back((i * 29 + 3) % 50);
    const auto looked_up =
        b.add(OpCode::kTable, NoAttributes{}, {x, b.constant(kI8, {256}, entries)}, kI8, shape);
    const RescaleAttributes attributes{.scale32 = true,
                                       .rounding_mode = RoundingMode::kDoubleRound,
                                       .per_channel = true,
                                       .input_unsigned = false,
                                       .output_unsigned = false};
    const auto zero = b.constant(kI8, {1}, {0});
    // Two in a row with separate constants.
    auto scaled = looked_up;
    for (const std::int64_t step : {0, 1}) {
        for (std::int64_t& factor : factors) factor -= step * 1000003;
        scaled = b.add(
            OpCode::kRescale, attributes,
            {scaled, b.constant(kI32, {12}, factors), b.constant(kI8, {12}, shifts), zero, zero},
            kI8, shape);
    }
    b.output(scaled);
    b.output(b.add(OpCode::kGather, NoAttributes{}, {scaled, b.constant(kI32, {1, 30}, indices)},
                   kI8, {1, 30, 12}));
    CHECK(check_replay(b.finish()) == 0);  // rows of factors are prepared in global memory
}

TEST_CASE("a replayed Fourier transform gives the same outputs") {
    GraphBuilder b;
    const auto x = b.input(kFp32, {2, 16, 32}, "x");
    const auto real = b.tensor(kFp32, {2, 16, 17});
    const auto imaginary = b.tensor(kFp32, {2, 16, 17});
    b.add_with_outputs(OpCode::kRfft2d, Rfft2dAttributes{false}, {x}, {real, imaginary});
    b.output(real);
    b.output(imaginary);
    CHECK(check_replay(b.finish()) == 0);  // the roots are prepared in global memory
}

TEST_CASE("replayed networks give the same outputs") {
    SECTION("fp32 with residuals") { check_network("resnet18", {.size = 32, .width = 0.25}); }
    SECTION("int8 with depthwise convolutions") {
        const zoo::ZooOptions options{
            .precision = zoo::Precision::kInt8, .size = 32, .width = 0.25};
        CHECK(check_network("mobilenet_v2", options) == 0);
    }
    SECTION("fp16 with attention") {
        check_network("bert", {.precision = zoo::Precision::kFp16, .size = 24, .width = 0.125});
    }
    SECTION("int8 with pools, concatenation and enlargement") {
        const zoo::ZooOptions options{
            .precision = zoo::Precision::kInt8, .size = 64, .width = 0.25};
        CHECK(check_network("yolov5s", options) == 0);
    }
    SECTION("a loop") { check_network("lstm", {.size = 4, .width = 0.25}); }
}
