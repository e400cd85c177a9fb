// SPDX-License-Identifier: Apache-2.0
// okksim_duel_oplib [count] [first seed] [machine] [file]: random operators of OpLib, as .xmodel
// files in both vocabularies, on the simulator and on the reference. The last failing case is
// written to the file.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "isa/base/errors.h"
#include "isa/base/output_file.h"
#include "sim/execution/executor.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/validate/validate.h"
#include "sim/machine/machine.h"
#include "sim/planning/machine_plan.h"
#include "tests/reference/oplib/oplib_case.h"

namespace okksim::tests {
namespace {

using namespace sim;
using reference::oplib::Array;

Array simulate(const OplibCase& test, const OplibCase::File& file, const Machine& machine) {
    const auto owner = std::make_shared<const std::vector<std::uint8_t>>(file.bytes);
    const graph::Graph graph =
        graph::read_graph(std::as_bytes(std::span(*owner)), owner, "case.xmodel");
    graph::validate_graph(graph);
    const planning::GraphPlan plan = planning::plan_for_machine(graph, machine);
    Simulation simulation(machine, {});
    execution::GraphExecutor executor(graph, plan, simulation);
    const graph::Block& main = graph.main();
    for (const OplibCase::Input& input : test.inputs) {
        for (std::size_t i = 0; i < main.inputs.size(); ++i) {
            const graph::Tensor& tensor = main.tensors[main.inputs[i]];
            if (tensor.name != input.name) continue;
            executor.set_input(
                i, graph::make_host_tensor(tensor.type, tensor.shape,
                                           encode(input.value, test.type, file.is_channels_last)));
        }
    }
    const auto report = executor.run();
    if (report.fault) throw ProgramFault(*report.fault);
    for (const auto& finding : report.findings) throw ConfigError("finding", finding.message);
    return decode(executor.output(0).data, test.type, test.expected, file.is_channels_last);
}

/// Returns the first difference; empty if there is none.
std::string difference(const OplibCase& test, const Array& got) {
    for (std::size_t i = 0; i < got.values.size(); ++i) {
        const long double wanted = test.expected.values[i];
        const long double allowed = test.tolerance * (1 + std::fabs(wanted));
        if (std::fabs(got.values[i] - wanted) <= allowed) continue;
        char text[160];
        std::snprintf(text, sizeof text, "element %zu is %.12Lg, expected %.12Lg", i, got.values[i],
                      wanted);
        return text;
    }
    return "";
}

int duel(std::uint64_t count, std::uint64_t first, const std::string& machine_name,
         const char* failed_file) {
    const Machine machine = load_machine(machine_name);
    std::uint64_t failures = 0, files = 0;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        const OplibCase test = make_oplib_case(seed);
        for (const OplibCase::File& file : test.files) {
            ++files;
            std::string failure;
            try {
                failure = difference(test, simulate(test, file, machine));
            } catch (const std::exception& error) {
                failure = error.what();
            }
            if (failure.empty()) continue;
            ++failures;
            if (failed_file != nullptr) {
                write_file(failed_file,
                           {reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()});
            }
            std::printf("seed %llu: %s (%s): %s\n", static_cast<unsigned long long>(seed),
                        test.text.c_str(), file.is_channels_last ? "NHWC" : "NCHW",
                        failure.c_str());
        }
    }
    std::printf("%llu files, %llu failed\n", static_cast<unsigned long long>(files),
                static_cast<unsigned long long>(failures));
    return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace okksim::tests

int main(int argc, char** argv) {
    const auto number = [&](int i, std::uint64_t otherwise) {
        return argc > i ? std::strtoull(argv[i], nullptr, 10) : otherwise;
    };
    return okksim::tests::duel(number(1, 100), number(2, 1), argc > 3 ? argv[3] : "bm1684",
                               argc > 4 ? argv[4] : nullptr);
}
