// SPDX-License-Identifier: Apache-2.0
// isa, asm, disasm: the instruction set from the command line.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "firmware/host/report_json.h"
#include "isa/assembler.h"
#include "isa/base/errors.h"
#include "isa/base/input_file.h"
#include "isa/base/output_file.h"
#include "isa/codec.h"
#include "isa/disassembler.h"
#include "isa/isa_document.h"
#include "isa/rules.h"
#include "sim/cli/commands.h"
#include "sim/cli/output.h"
#include "sim/cli/report_output.h"
#include "sim/machine/machine.h"
#include "sim/machine/provenance.h"

namespace okksim::sim::cli {
namespace {

/// Returns the contents of a file, or of standard input for "-".
std::string read_all(const std::string& path) {
    if (path == "-") {
        return {std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
    }
    std::ifstream file = open_input(path, "give a file that exists or - for stdin");
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Prints the rules that commands break; returns the number of such commands.
int report_violations(const isa::CommandFile& file) {
    int broken = 0;
    for (std::size_t i = 0; i < file.commands.size(); ++i) {
        const auto violation = isa::check(file.commands[i], file.machine, false);
        if (!violation) continue;
        ++broken;
        print_error(fmt::format("command {} ({}): {} = {}; rule: {}\n", i,
                                isa::mnemonic(file.commands[i].info()), violation->argument,
                                violation->value, violation->rule));
    }
    return broken;
}

struct AssembleFlags {
    std::string input;
    std::string output;
    std::string machine;
};

int assemble_file(const AssembleFlags& flags) {
    std::optional<isa::MachineShape> machine;
    if (!flags.machine.empty()) machine = load_machine(flags.machine).params.shape();
    const isa::CommandFile file = isa::assemble(read_all(flags.input), machine);
    const int broken = report_violations(file);
    const auto bytes = isa::encode(file);
    write_file(flags.output, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    format_out("{} commands, {} break rules\n", file.commands.size(), broken);
    return broken == 0 ? kSuccess : kProgramFault;
}

int disassemble_file(const std::string& input) {
    const std::string text = read_all(input);
    const isa::CommandFile file = isa::decode(std::as_bytes(std::span(text)));
    write_out(isa::disassemble(file));
    return report_violations(file) == 0 ? kSuccess : kProgramFault;
}

}  // namespace

void add_isa_command(CLI::App& app, int& exit_code) {
    auto forms = std::make_shared<ReportForms>();
    CLI::App* command = app.add_subcommand(
        "isa",
        "Print the instruction set: every command with operands, rules and meaning. Example:\n"
        "  okksim isa --json=isa.json");
    add_json_option(*command, *forms, "the table as JSON");
    command->callback([forms, &exit_code] {
        ReportOutput report(*forms);
        if (report.wants_json()) {
            auto json = nlohmann::ordered_json::parse(isa::isa_json());
            add_version(json);
            report.write_json(firmware::host::json_text(json));
        }
        if (report.wants_text()) write_out(isa::isa_markdown());
        exit_code = kSuccess;
    });
}

void add_asm_command(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<AssembleFlags>();
    CLI::App* command =
        app.add_subcommand("asm",
                           "Assemble a listing into a binary command file, and check it. Example:\n"
                           "  okksim asm program.txt -o program.bin --machine bm1684");
    command->add_option("input", flags->input, "listing, or - for standard input")->required();
    command->add_option("-o,--out", flags->output, "command file to write")->required();
    command->add_option("--machine", flags->machine,
                        "target machine; not needed if the listing has a .machine line");
    command->callback([flags, &exit_code] { exit_code = assemble_file(*flags); });
}

void add_disasm_command(CLI::App& app, int& exit_code) {
    auto input = std::make_shared<std::string>();
    CLI::App* command = app.add_subcommand("disasm",
                                           "Print a binary command file as a listing. Example:\n"
                                           "  okksim disasm program.bin > program.txt");
    command->add_option("input", *input, "command file, or - for standard input")->required();
    command->callback([input, &exit_code] { exit_code = disassemble_file(*input); });
}

}  // namespace okksim::sim::cli
