// SPDX-License-Identifier: Apache-2.0
// Kernel launches, and replays of recordings on other machines.
#include <dlfcn.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "firmware/host/report_json.h"
#include "isa/base/errors.h"
#include "python/arrays.h"
#include "python/background.h"
#include "python/bindings.h"
#include "sim/device/chip_device.h"
#include "sim/device/kernel_library.h"
#include "sim/execution/kernel_arguments.h"
#include "sim/trace/replay.h"

namespace okksim::python {
namespace {

namespace py = pybind11;
using namespace sim;

/// Makes libokksim's symbols global. Kernel libraries resolve the firmware from global symbols, but
/// Python loads modules with local symbols.
void show_firmware() {
    Dl_info own;
    if (dladdr(reinterpret_cast<const void*>(&load_machine), &own) == 0 ||
        dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL) == nullptr) {
        throw InternalError("libokksim cannot be shown to kernel libraries");
    }
}

void load_library(const std::string& path) {
    show_firmware();
    (void)KernelLibrary(path);
}

/// One field of a kernel's argument struct: "TYPE=VALUE", an array, or "TYPE[d0,d1]" for a result.
struct Field {
    std::string text;
    graph::HostTensor input;
    std::optional<OutputBuffer> output;
};

std::vector<Field> fields_of(const py::list& arguments) {
    std::vector<Field> fields;
    for (const py::handle argument : arguments) {
        const auto [kind, value] = argument.cast<std::pair<std::string, py::object>>();
        Field field;
        if (kind == "in") {
            const auto array = value.cast<py::array>();
            field.input.data = {static_cast<const std::byte*>(array.data()),
                                static_cast<std::size_t>(array.nbytes())};
        } else if (kind == "out") {
            field.output = parse_output("result.npy:" + value.cast<std::string>());
        } else {
            field.text = value.cast<std::string>();
        }
        fields.push_back(std::move(field));
    }
    return fields;
}

/// The outcome of a launch.
struct KernelRun {
    firmware::host::LaunchReport report;
    sweep::Figures figures;
    std::vector<std::pair<OutputBuffer, std::vector<std::byte>>> outputs;
};

class KernelLaunch {
 public:
    KernelLaunch(const Machine& machine, const std::string& library, const LaunchLimits& limits)
        : machine_(machine),
          device_(machine, {}, limits),
          accountant_(machine.params),
          memory_(device_.memory_start(), device_.memory_bytes()),
          library_(library) {
        device_.simulation().add_observer(accountant_);
        device_.watch(memory_);
    }

    KernelRun run(const std::string& name, std::vector<Field> fields) {
        ArgumentBlock block(false);
        for (Field& field : fields) add(block, field);
        device_.launch({name, library_.kernel(name), block.bytes()});
        KernelRun run;
        run.report = device_.finish().back();
        if (run.report.fault) throw ProgramFault(*run.report.fault);
        sweep::add_account(run.figures, accountant_.total(), machine_);
        run.figures.set("us", run.report.simulated_us);
        for (const Field& field : fields) {
            if (!field.output) continue;
            std::vector<std::byte> bytes(field.output->bytes);
            device_.read(field.output->address, bytes);
            run.outputs.emplace_back(*field.output, std::move(bytes));
        }
        return run;
    }

 private:
    void add(ArgumentBlock& block, Field& field) {
        if (field.output) {
            field.output->address = allocate(field.output->bytes);
            block.add_address(field.output->address);
        } else if (field.text.empty()) {
            const std::uint64_t address = allocate(field.input.data.size());
            device_.write(address, field.input.data);
            block.add_address(address);
        } else {
            block.add_text(field.text);
        }
    }
    std::uint64_t allocate(std::uint64_t bytes) {
        const auto address = memory_.allocate(std::max<std::uint64_t>(bytes, 1), this);
        if (address) return *address;
        throw ConfigError("arguments", std::to_string(bytes) + " bytes do not fit global memory");
    }

    const Machine& machine_;
    ChipDevice device_;
    trace::Accountant accountant_;
    firmware::host::DeviceMemory memory_;
    KernelLibrary library_;
};

/// Limits by their names in Python; the others keep their defaults.
LaunchLimits limits_of(const std::map<std::string, double>& given) {
    LaunchLimits limits;
    for (const auto& [name, value] : given) {
        if (name == "command_budget") limits.command_budget = static_cast<std::uint64_t>(value);
        if (name == "call_budget") limits.call_budget = static_cast<std::uint64_t>(value);
        if (name == "idle_seconds") limits.idle_seconds = value;
        if (name == "call_seconds") limits.call_seconds = value;
    }
    return limits;
}

py::tuple run_kernel(const std::string& library, const std::string& name, const py::list& arguments,
                     const FamilyMachine& machine, const std::map<std::string, double>& limits) {
    show_firmware();
    std::vector<Field> fields = fields_of(arguments);
    KernelRun run;
    in_background(
        [&](Progress&) {
            run = KernelLaunch(machine.machine, library, limits_of(limits))
                      .run(name, std::move(fields));
        },
        py::none());
    py::list outputs;
    for (auto& [buffer, bytes] : run.outputs) {
        const auto owner = std::make_shared<std::vector<std::byte>>(std::move(bytes));
        outputs.append(array_of(buffer.descr, buffer.shape, *owner, owner));
    }
    return py::make_tuple(figures_dict(run.figures), outputs,
                          firmware::host::findings_json(run.report.findings).dump());
}

py::tuple replay(const std::string& path, const FamilyMachine* machine) {
    trace::ReplayReport report;
    sweep::Figures figures;
    in_background(
        [&](Progress&) {
            const Machine chosen =
                machine == nullptr ? trace::replay_machine(path, {}) : machine->machine;
            report = trace::replay_on(path, chosen);
            sweep::add_account(figures, report.total(), chosen);
        },
        py::none());
    double us = 0;
    py::list launches;
    for (const trace::ReplayedLaunch& launch : report.launches) {
        us += launch.simulated_us;
        launches.append(py::make_tuple(launch.name, launch.simulated_us, launch.recorded_us));
    }
    figures.set("us", us);
    return py::make_tuple(figures_dict(figures), launches);
}

}  // namespace

void bind_kernels(py::module_& core) {
    core.def("load_library", &load_library);
    core.def("run_kernel", &run_kernel);
    core.def("replay", &replay);
}

}  // namespace okksim::python
