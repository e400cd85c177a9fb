// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "models/bdc/bdc_params.h"
#include "models/chip/chip_params.h"
#include "models/chip/memory_params.h"
#include "models/gdma/gdma_params.h"
#include "sim/cli/commands.h"
#include "sim/cli/common_options.h"
#include "sim/cli/output.h"
#include "sim/cli/report_output.h"
#include "sim/machine/provenance.h"
#include "sim/trace/energy_report.h"
#include "sim/trace/full_load.h"

namespace okksim::sim::cli {
namespace {

struct MachineFlags {
    MachineChoice choice;
    bool dump = false;
    bool area = false;
    bool power = false;
    ReportForms report;
};

std::string summary(const Machine& machine) {
    const auto& p = machine.params;
    return fmt::format(
        "{}\n"
        "  {} lanes x {} KiB local memory in {} banks\n"
        "  compute engine {} MHz, {} results per lane and step; GDMA {} MHz\n"
        "  L2-SRAM {} KiB, DTCM {} KiB, global memory {:.1f} GiB\n"
        "`okksim machine --dump` prints every parameter with unit, meaning and source.\n",
        provenance_text(machine), p.chip->lanes, p.chip->local_memory_bytes / 1024,
        p.chip->local_memory_banks, p.bdc->clock_mhz, p.bdc->execution_units, p.gdma->clock_mhz,
        p.l2->bytes / 1024, p.dtcm->bytes / 1024,
        static_cast<double>(p.global->bytes) / (1024.0 * 1024.0 * 1024.0));
}

std::string text_of(const Machine& machine, const MachineFlags& flags) {
    if (flags.dump) return dump_machine(machine);
    const std::string origin = provenance_text(machine) + "\n";
    if (flags.area) return origin + trace::area_table(machine.params);
    if (flags.power) return origin + trace::full_load_text(machine);
    return summary(machine);
}

std::string json_of(const Machine& machine, bool with_power) {
    auto json = nlohmann::ordered_json::parse(dump_machine_json(machine));
    json["area"] = trace::area_json(machine.params);
    if (with_power) json["full_load"] = trace::full_load_json(machine);
    return json.dump(2) + "\n";
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
    CLI::Option* dump = command->add_flag(
        "--dump", flags->dump, "every parameter with unit, meaning and source, as a machine file");
    CLI::Option* area = command->add_flag("--area", flags->area, "the area of each part");
    command
        ->add_flag(
            "--power", flags->power,
            "the power of convolutions that fill the array, compared with the published power")
        ->excludes(dump)
        ->excludes(area);
    area->excludes(dump);
    add_json_option(*command, flags->report,
                    "the dump as JSON, with area; with --power also power");
    command->callback([flags, &exit_code] {
        const Machine machine = flags->choice.load();
        ReportOutput report(flags->report);
        if (report.wants_json()) report.write_json(json_of(machine, flags->power));
        if (report.wants_text()) write_text(text_of(machine, *flags));
        exit_code = kSuccess;
    });
}

}  // namespace okksim::sim::cli
