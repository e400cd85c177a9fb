// SPDX-License-Identifier: Apache-2.0
// Workloads that run a kernel of a library with data, or replay a recorded trace.
#include <fmt/format.h>

#include <algorithm>

#include "isa/base/errors.h"
#include "isa/base/fnv1a.h"
#include "sim/device/chip_device.h"
#include "sim/device/kernel_library.h"
#include "sim/execution/kernel_arguments.h"
#include "sim/graph/npy.h"
#include "sim/study/sweep/workload.h"
#include "sim/trace/accountant.h"
#include "sim/trace/replay.h"

namespace okksim::sim::sweep {
namespace {

/// A field of the argument struct: "in=a.npy".
struct Field {
    std::string kind, value;
};

Field field_from(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
        throw ConfigError("arguments",
                          fmt::format("\"{}\" is no argument; write TYPE=VALUE, in=FILE.npy "
                                      "or out=TYPE[d0,d1,...]",
                                      text));
    }
    return {text.substr(0, equals), text.substr(equals + 1)};
}

class KernelWorkload : public Workload {
 public:
    explicit KernelWorkload(const WorkloadSpec& spec)
        : spec_(spec), library_(spec.kernel.string()), entry_(library_.kernel(spec.launch)) {
        isa::Fnv1a names;
        names.add(spec.launch);
        for (const std::string& argument : spec.arguments) {
            fields_.push_back(field_from(argument));
            names.add(' ' + argument);
        }
        hash_ = file_hash(spec.kernel, names.value());
        for (const Field& field : fields_) {
            if (field.kind == "in") hash_ = file_hash(field.value, hash_);
        }
    }

    std::uint64_t hash() const override { return hash_; }
    std::string plan_name() const override { return "kernel"; }

    Figures run(const Machine& machine) override {
        ChipDevice device(machine, {}, {});
        trace::Accountant accountant(machine.params);
        device.simulation().add_observer(accountant);
        firmware::host::DeviceMemory memory(device.memory_start(), device.memory_bytes());
        device.watch(memory);
        device.launch({spec_.launch, entry_, arguments(device, memory)});
        const auto reports = device.finish();
        if (reports.back().fault) throw ProgramFault(*reports.back().fault);
        Figures figures;
        add_account(figures, accountant.total(), machine);
        figures.set("us", reports.back().simulated_us);
        return figures;
    }

 private:
    std::vector<std::byte> arguments(ChipDevice& device, firmware::host::DeviceMemory& memory) {
        ArgumentBlock block(false);
        for (const Field& field : fields_) {
            if (field.kind == "in") {
                const graph::NpyArray array = graph::read_npy(field.value);
                const std::uint64_t address = allocate(memory, array.data.size());
                device.write(address, array.data);
                block.add_address(address);
            } else if (field.kind == "out") {
                const OutputBuffer output = parse_output("result.npy:" + field.value);
                block.add_address(allocate(memory, output.bytes));
            } else {
                block.add_text(field.kind + "=" + field.value);
            }
        }
        return block.bytes();
    }
    std::uint64_t allocate(firmware::host::DeviceMemory& memory, std::uint64_t bytes) {
        const auto address = memory.allocate(std::max<std::uint64_t>(bytes, 1), this);
        if (!address) {
            throw ConfigError("arguments", fmt::format("{} bytes do not fit global memory", bytes));
        }
        return *address;
    }

    WorkloadSpec spec_;
    KernelLibrary library_;
    firmware::KernelEntry entry_;
    std::vector<Field> fields_;
    std::uint64_t hash_ = 0;
};

class TraceWorkload : public Workload {
 public:
    explicit TraceWorkload(const WorkloadSpec& spec)
        : path_(spec.trace), hash_(file_hash(spec.trace)) {}

    std::uint64_t hash() const override { return hash_; }
    std::string plan_name() const override { return "trace"; }

    Figures run(const Machine& machine) override {
        const trace::ReplayReport report = trace::replay_on(path_, machine);
        Figures figures;
        add_account(figures, report.total(), machine);
        double us = 0;
        for (const trace::ReplayedLaunch& launch : report.launches) us += launch.simulated_us;
        figures.set("us", us);
        return figures;
    }

 private:
    std::filesystem::path path_;
    std::uint64_t hash_;
};

}  // namespace

std::unique_ptr<Workload> make_kernel_workload(const WorkloadSpec& spec) {
    return std::make_unique<KernelWorkload>(spec);
}

std::unique_ptr<Workload> make_trace_workload(const WorkloadSpec& spec) {
    return std::make_unique<TraceWorkload>(spec);
}

}  // namespace okksim::sim::sweep
