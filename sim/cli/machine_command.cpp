// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "sim/cli/commands.h"
#include "sim/cli/common_options.h"
#include "sim/cli/output.h"
#include "sim/cli/report_output.h"
#include "sim/machine/provenance.h"

namespace okksim::sim::cli {
namespace {

struct MachineFlags {
    MachineChoice choice;
    bool dump = false;
    ReportForms report;
};

std::string summary(const Machine& machine) {
    const auto& p = machine.params;
    return fmt::format(
        "{}\n"
        "  {} lanes x {} KiB local memory in {} banks\n"
        "  compute engine {} MHz, {} results per lane and step; data mover {} MHz\n"
        "  L2-SRAM {} KiB, DTCM {} KiB, global memory {:.1f} GiB\n"
        "`okksim machine --dump` prints every parameter with unit, meaning and source.\n",
        provenance_text(machine), p.chip.lanes, p.chip.local_memory_bytes / 1024,
        p.chip.local_memory_banks, p.bdc.clock_mhz, p.bdc.execution_units, p.gdma.clock_mhz,
        p.l2.bytes / 1024, p.dtcm.bytes / 1024,
        static_cast<double>(p.global.bytes) / (1024.0 * 1024.0 * 1024.0));
}

}  // namespace

void add_machine_command(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<MachineFlags>();
    CLI::App* command = app.add_subcommand(
        "machine",
        "Show a machine description, checked and complete.\n"
        "Example:\n  okksim machine --dump --set l2.bytes=2MiB\n"
        "A file may start from a built-in and change a few keys:\n"
        "  base = \"bm1684\"\n  [chip]\n  lanes = 8\n  local_memory_bytes = 32768");
    command->add_option("machine,--machine", flags->choice.machine, "built-in name or TOML file")
        ->capture_default_str();
    add_set_option(*command, flags->choice.settings);
    command->add_flag("--dump", flags->dump,
                      "every parameter with unit, meaning and source, as a machine file");
    add_json_option(*command, flags->report, "the dump as JSON");
    command->callback([flags, &exit_code] {
        const Machine machine = flags->choice.load();
        ReportOutput report(flags->report);
        if (report.wants_json()) report.write_json(dump_machine_json(machine));
        if (report.wants_text()) {
            write_out(flags->dump ? dump_machine(machine) : summary(machine));
        }
        exit_code = kSuccess;
    });
}

}  // namespace okksim::sim::cli
