// SPDX-License-Identifier: Apache-2.0
// Workloads that run a kernel of a library with data, or replay a recorded trace.
#include "sim/study/sweep/kernel_workload.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/base/errors.h"
#include "isa/base/fnv1a.h"
#include "sim/device/chip_device.h"
#include "sim/device/kernel_library.h"
#include "sim/graph/npy.h"
#include "sim/study/sweep/workload.h"
#include "sim/trace/accountant.h"
#include "sim/trace/replay.h"

namespace okksim::sim::sweep {
namespace {

class KernelWorkload : public Workload {
 public:
    explicit KernelWorkload(const WorkloadSpec& spec)
        : spec_(spec), library_(spec.kernel.string()), entry_(library_.kernel(spec.launch)) {
        isa::Fnv1a names;
        names.add(spec.launch);
        for (const std::string& argument : spec.arguments) {
            fields_.push_back(kernel_field(argument));
            names.add(' ' + argument);
        }
        hash_ = file_hash(spec.kernel, names.value());
        for (const KernelField& field : fields_) {
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
        const KernelBuffers buffers(fields_, device, memory);
        device.launch({spec_.launch, entry_, buffers.arguments()});
        const auto reports = device.finish();
        if (reports.back().fault) throw ProgramFault(*reports.back().fault);
        Figures figures;
        add_account(figures, accountant.total(), machine);
        figures.set("us", reports.back().simulated_us);
        return figures;
    }

 private:
    WorkloadSpec spec_;
    KernelLibrary library_;
    firmware::KernelEntry entry_;
    std::vector<KernelField> fields_;
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

KernelField kernel_field(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
        throw ConfigError("arguments",
                          fmt::format("\"{}\" is no argument; write TYPE=VALUE, in=FILE.npy "
                                      "or out=TYPE[d0,d1,...]",
                                      text));
    }
    return {text.substr(0, equals), text.substr(equals + 1)};
}

KernelBuffers::KernelBuffers(const std::vector<KernelField>& fields, ChipDevice& device,
                             firmware::host::DeviceMemory& memory, bool packed)
    : memory_(memory), block_(packed) {
    for (const KernelField& field : fields) {
        if (field.kind == "in") {
            const graph::NpyArray array = graph::read_npy(field.value);
            const std::uint64_t address = allocate(array.data.size());
            device.write(address, array.data);
            block_.add_address(address);
        } else if (field.kind == "out") {
            OutputBuffer output = parse_output("result.npy:" + field.value);
            output.address = allocate(output.bytes);
            block_.add_address(output.address);
            outputs_.push_back(std::move(output));
        } else {
            block_.add_text(field.kind + "=" + field.value);
        }
    }
}

std::uint64_t KernelBuffers::allocate(std::uint64_t bytes) {
    const auto address = memory_.allocate(std::max<std::uint64_t>(bytes, 1), this);
    if (!address) {
        throw ConfigError("arguments", fmt::format("{} bytes do not fit global memory", bytes));
    }
    return *address;
}

std::unique_ptr<Workload> make_kernel_workload(const WorkloadSpec& spec) {
    return std::make_unique<KernelWorkload>(spec);
}

std::unique_ptr<Workload> make_trace_workload(const WorkloadSpec& spec) {
    return std::make_unique<TraceWorkload>(spec);
}

}  // namespace okksim::sim::sweep
