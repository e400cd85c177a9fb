// SPDX-License-Identifier: Apache-2.0
// okksim_fuzz_tosa [seconds] [seed] [round]: reads, validates and plans damaged .tosa files, and
// runs small ones. Every file must give a result or a documented error, quickly and with little
// memory. Integer graphs must give the results of the reference. Any other outcome ends the program
// with status 1 and prints the number of the round. Given that number, the program repeats the
// round alone. $OKKSIM_GOLDEN_DIR adds files to the corpus.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>

#include "isa/base/errors.h"
#include "isa/base/fault.h"
#include "sim/execution/executor.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/tosa_v1/tosa_v1_writer.h"
#include "sim/graph/validate/validate.h"
#include "sim/planning/decide.h"
#include "sim/planning/graph_planner.h"
#include "sim/planning/packed_constants.h"
#include "tests/reference/tosa/tosa_reference.h"
#include "tests/sim/graph/fuzz_watch.h"
#include "tests/sim/graph/graph_damage.h"
#include "tests/sim/graph/sample_graphs.h"
#include "tests/support/golden_dir.h"

namespace okksim::tests {
namespace {

using namespace sim;

/// Limit for graphs that may run: bytes of all their values.
constexpr std::uint64_t kMostPlannedBytes = 1 << 16;
constexpr std::uint64_t kCommandBudget = 3000;

#ifdef __SANITIZE_ADDRESS__
/// AddressSanitizer does not follow SystemC's coroutines when exceptions leave them.
constexpr bool kMayRun = false;
#else
constexpr bool kMayRun = true;
#endif

struct Counts {
    std::uint64_t refused = 0;  ///< by the reader or the validation
    std::uint64_t planned = 0;
    std::uint64_t completed = 0;
    std::uint64_t compared = 0;  ///< with the reference
    std::uint64_t ended = 0;     ///< by a fault at run time
};

class Fuzzer {
 public:
    explicit Fuzzer(std::uint64_t seed)
        : seed_(seed), machine_(load_machine("bm1684", settings())) {
        for (const graph::Graph& graph : sample_graphs())
            files_.push_back(graph::write_graph(graph));
        add_golden_files();
    }

    void round(std::uint64_t number) {
        RoundWatch watch(number);
        RandomSource random(seed_ * 1000003 + number);
        FileBytes bytes = random.element(files_);
        if (random.one_in(2)) bytes = damaged_graph(bytes, random);
        if (!random.one_in(4)) damage_bytes(bytes, random.element(files_), random);
        if (refuses([&] { run(bytes, random); })) ++counts.refused;
        watch.end();
    }

    Counts counts;

 private:
    static std::vector<std::string> settings() {
        return {"chip.lanes=4", "chip.local_memory_bytes=16384"};
    }

    void add_golden_files() {
        const auto golden = golden_dir();
        if (!golden) return;
        std::vector<std::filesystem::path> paths;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(*golden / "tosa")) {
            if (entry.path().extension() == ".tosa" && entry.file_size() < 20000) {
                paths.push_back(entry.path());
            }
        }
        std::sort(paths.begin(), paths.end());
        for (const auto& path : paths) {
            std::ifstream stream(path, std::ios::binary);
            files_.emplace_back(std::istreambuf_iterator<char>(stream),
                                std::istreambuf_iterator<char>());
        }
    }

    static graph::Graph read(const FileBytes& bytes) {
        // A copy of the exact size, so that a sanitizer sees reads beyond the end.
        const auto owner = std::make_shared<const FileBytes>(bytes);
        return graph::read_graph(std::as_bytes(std::span(*owner)), owner, "fuzz");
    }

    static FileBytes damaged_graph(const FileBytes& bytes, RandomSource& random) {
        try {
            graph::Graph graph = read(bytes);
            damage_graph(graph, random);
            return graph::write_graph(graph);
        } catch (const ProgramFault&) {
        } catch (const ConfigError&) {
        }
        return bytes;  // files of the corpus that are refused even undamaged
    }

    void run(const FileBytes& bytes, RandomSource& random) {
        const graph::Graph graph = read(bytes);
        graph::validate_graph(graph);
        graph::operator_modes(graph);
        graph::required_features(graph);
        const isa::MachineShape shape = machine_.params.shape();
        auto plan = planning::plan_graph(graph, {shape.global_start, shape.global_bytes});
        ++counts.planned;
        const std::uint64_t planned =
            plan.constant_bytes + plan.variable_bytes + plan.working_bytes;
        if (planned > kMostPlannedBytes || !kMayRun) return;
        planning::decide(graph, plan, machine_);
        planning::place_constants_once(graph, machine_, plan);
        Simulation simulation(machine_, {});
        execution::GraphExecutor executor(graph, plan, simulation);
        const std::vector<graph::HostTensor> inputs = set_inputs(graph, executor, random);
        LaunchLimits limits;
        limits.command_budget = kCommandBudget;
        limits.idle_seconds = kMostSeconds / 2;
        if (executor.run(limits).fault) {
            ++counts.ended;
            return;
        }
        ++counts.completed;
        if (is_exact(graph)) compare(graph, inputs, executor);
    }

    /// True if the specification determines every bit: no floating point, no inexact rounding, and
    /// no operator unknown to the reference.
    static bool is_exact(const graph::Graph& graph) {
        // Run-time zero points and shifts may have values that the specification does not allow.
        if ((graph::required_features(graph) & feature_bit(graph::Feature::kExtDynamic)) != 0) {
            return false;
        }
        for (const graph::Region& region : graph.regions) {
            for (const graph::Block& block : region.blocks) {
                for (const graph::Tensor& tensor : block.tensors) {
                    if (tosa::is_floating_point(tensor.type)) return false;
                }
                for (const graph::Operator& op : block.operators) {
                    if (op.op == tosa::OpCode::kCustom) return false;
                    const auto* rescale = op.attributes_if<tosa::RescaleAttributes>();
                    if (rescale != nullptr &&
                        rescale->rounding_mode == tosa::RoundingMode::kInexactRound) {
                        return false;
                    }
                }
            }
        }
        return true;
    }

    void compare(const graph::Graph& graph, const std::vector<graph::HostTensor>& inputs,
                 execution::GraphExecutor& executor) {
        const auto wanted = reference::run_reference(graph, inputs);
        for (std::size_t i = 0; i < wanted.outputs.size(); ++i) {
            const reference::Value got = reference::from_host(executor.output(i));
            if (got.integer == wanted.outputs[i].integer) continue;
            print_operators(graph);
            fail_round("differs from the reference");
        }
        ++counts.compared;
    }

    static void print_operators(const graph::Graph& graph) {
        for (const graph::Operator& op : graph.main().operators) {
            std::string text(tosa::op_name(op.op));
            for (const bool is_result : {false, true}) {
                text += is_result ? ") -> (" : " (";
                for (const graph::TensorIndex index :
                     is_result ? graph::TensorList(op.outputs) : op.inputs) {
                    const graph::Tensor& tensor = graph.main().tensors[index];
                    text += " " + std::string(tosa::dtype_name(tensor.type)) +
                            graph::shape_text(tensor.shape);
                }
            }
            std::fprintf(stderr, "%s)\n", text.c_str());
        }
    }

    /// Eight bytes that spell legal elements.
    static std::uint64_t legal_pattern(tosa::DType type, std::uint64_t bits) {
        if (type == tosa::DType::kBool) return bits & 0x0101010101010101;
        if (type == tosa::DType::kI4) return bits & 0x0707070707070707;
        if (type == tosa::DType::kI48) {
            return static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << 16) >> 16);
        }
        return bits;
    }

    static std::vector<graph::HostTensor> set_inputs(const graph::Graph& graph,
                                                     execution::GraphExecutor& executor,
                                                     RandomSource& random) {
        std::vector<graph::HostTensor> inputs;
        const graph::Block& main = graph.main();
        for (std::size_t i = 0; i < main.inputs.size(); ++i) {
            const graph::Tensor& tensor = main.tensors[main.inputs[i]];
            const std::size_t count = graph::element_count(tensor.shape).value();
            std::vector<std::byte> data(count * graph::host_element_bytes(tensor.type));
            const std::uint64_t pattern = legal_pattern(tensor.type, random.bits());
            for (std::size_t k = 0; k < data.size(); ++k) {
                data[k] = static_cast<std::byte>(pattern >> (k % 8 * 8));
            }
            inputs.push_back(graph::make_host_tensor(tensor.type, tensor.shape, std::move(data)));
            executor.set_input(i, inputs.back());
        }
        return inputs;
    }

    std::uint64_t seed_;
    Machine machine_;
    std::vector<FileBytes> files_;
};

int fuzz(const FuzzArguments& arguments) {
    Fuzzer fuzzer(arguments.seed);
    const std::uint64_t rounds =
        run_rounds(arguments, [&](std::uint64_t number) { fuzzer.round(number); });
    const Counts& counts = fuzzer.counts;
    std::printf(
        "%llu files: %llu refused, %llu planned, %llu run to the end (%llu compared), %llu "
        "ended by a fault\n",
        static_cast<unsigned long long>(rounds), static_cast<unsigned long long>(counts.refused),
        static_cast<unsigned long long>(counts.planned),
        static_cast<unsigned long long>(counts.completed),
        static_cast<unsigned long long>(counts.compared),
        static_cast<unsigned long long>(counts.ended));
    return 0;
}

}  // namespace
}  // namespace okksim::tests

int main(int argc, char** argv) {
    return okksim::tests::fuzz(okksim::tests::begin_fuzzing("okksim_fuzz_tosa", argc, argv));
}
