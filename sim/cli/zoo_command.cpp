// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <memory>

#include "isa/base/errors.h"
#include "sim/cli/commands.h"
#include "sim/cli/common_options.h"
#include "sim/cli/output.h"
#include "sim/zoo/zoo.h"

namespace okksim::sim::cli {
namespace {

struct ZooFlags {
    std::string name;
    std::string folder;
    bool list = false;
    zoo::ZooOptions options;
    zoo::Form form = zoo::Form::kTosa;
};

void run_zoo(const ZooFlags& flags) {
    if (flags.list) {
        std::string table;
        for (const zoo::ZooEntry& entry : zoo::zoo_entries()) {
            table += fmt::format("{:<14} {}\n", entry.name, entry.description);
        }
        write_text(table);
        return;
    }
    if (flags.name.empty()) throw ConfigError("zoo", "give a network's name, or --list");
    if (flags.folder.empty()) throw ConfigError("zoo", "give the folder to write with -o");
    zoo::write_test_folder(flags.name, zoo::build_network(flags.name, flags.options), flags.folder,
                           flags.form);
}

}  // namespace

void add_zoo_command(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<ZooFlags>();
    CLI::App* command = app.add_subcommand(
        "zoo",
        "Write a known network with seeded weights and inputs: DIR/model.tosa, a .npy file per "
        "input and a desc.json. Examples:\n"
        "  okksim zoo --list\n"
        "  okksim zoo mobilenet_v2 --precision int8 -o net");
    command->add_option("name", flags->name, "the network; see --list");
    command->add_flag("--list", flags->list, "name the networks");
    const std::map<std::string, zoo::Precision> precisions{{"fp32", zoo::Precision::kFp32},
                                                           {"fp16", zoo::Precision::kFp16},
                                                           {"int8", zoo::Precision::kInt8}};
    command
        ->add_option("--precision", flags->options.precision, "fp32, fp16 or int8; default: fp32")
        ->transform(CLI::CheckedTransformer(precisions));
    const std::map<std::string, zoo::Form> forms{{"tosa", zoo::Form::kTosa},
                                                 {"mlir", zoo::Form::kMlir},
                                                 {"xmodel", zoo::Form::kXmodel},
                                                 {"onnx", zoo::Form::kOnnx}};
    command
        ->add_option("--form", flags->form,
                     "form of the model's file: tosa, mlir, or xmodel or onnx (floating-point "
                     "convolutional networks only); default: tosa")
        ->transform(CLI::CheckedTransformer(forms));
    command->add_option("--batch", flags->options.batch, "images or sequences per run")
        ->capture_default_str();
    command->add_option("--seed", flags->options.seed, "seed of weights and inputs")
        ->check(number_from_zero())
        ->capture_default_str();
    command->add_option("--size", flags->options.size,
                        "image edge or sequence length; default: the network's");
    command
        ->add_option("--width", flags->options.width,
                     "channels, as a share of the network's channels")
        ->capture_default_str();
    command->add_option("-o,--out", flags->folder, "folder to write");
    command->callback([flags, &exit_code] {
        run_zoo(*flags);
        exit_code = kSuccess;
    });
}

}  // namespace okksim::sim::cli
