// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "sim/cli/commands.h"
#include "sim/cli/common_options.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/formats/graph_writers.h"

namespace okksim::sim::cli {
namespace {

struct ConvertFlags {
    std::string model;
    std::string out;
    std::string function;
};

}  // namespace

void add_convert_command(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<ConvertFlags>();
    CLI::App* command = app.add_subcommand(
        "convert",
        "Write a graph in another form: TOSA 1.0 FlatBuffers (.tosa) or MLIR text (.mlir).\n"
        "The result runs to the same bytes as the input. Example:\n"
        "  okksim convert model.mlir -o model.tosa");
    command->add_option("model", flags->model, kGraphFileHelp)->required();
    command->add_option("-o,--out", flags->out, "file to write: NAME.tosa or NAME.mlir")
        ->required();
    add_function_option(*command, flags->function);
    command->callback([flags, &exit_code] {
        graph::ReadOptions options;
        options.function = flags->function;
        const graph::Graph graph = graph::load_graph(flags->model, options);
        print_reader_warnings(graph);
        graph::save_graph_as(graph, flags->out);
        exit_code = kSuccess;
    });
}

}  // namespace okksim::sim::cli
