// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "sim/cli/commands.h"
#include "sim/cli/common_options.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/formats/graph_writers.h"

namespace okksim::sim::cli {
namespace {

struct ConvertFlags {
    GraphChoice graph;
    std::string out;
};

}  // namespace

void add_convert_command(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<ConvertFlags>();
    CLI::App* command = app.add_subcommand(
        "convert",
        "Write a graph in another form: TOSA 1.0 FlatBuffers (.tosa) or MLIR text (.mlir).\n"
        "The result runs to the same bytes as the input. Example:\n"
        "  okksim convert model.mlir -o model.tosa");
    add_graph_options(*command, flags->graph);
    command->add_option("-o,--out", flags->out, "file to write: NAME.tosa or NAME.mlir")
        ->required();
    command->callback([flags, &exit_code] {
        graph::save_graph_as(flags->graph.load(), flags->out);
        exit_code = kSuccess;
    });
}

}  // namespace okksim::sim::cli
