// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "firmware/calls/context.h"
#include "kernels/planning/host.h"
#include "models/chip/machine_params.h"
#include "sim/pricing/known_memory.h"
#include "sim/pricing/planning_port.h"

namespace okksim::sim::pricing {

/// Answers planners with the cost models. Known memory must outlive the object. Global memory has
/// room up to the next memory, because an unfinished plan also holds constants that the finished
/// one leaves out.
class MachineHost : public kernels::Host {
 public:
    MachineHost(const models::MachineParams& params, firmware::ContextOptions options,
                const KnownMemory& known);

    const isa::MachineShape& machine() const override { return shape_; }
    std::uint64_t alignment_bytes() const override;
    kernels::Work work(const kernels::Firmware& firmware) override;
    std::optional<kernels::Duration> time_within(kernels::Duration limit,
                                                 const kernels::Firmware& firmware) override;
    std::optional<std::vector<std::int64_t>> values(const kernels::DeviceTensor& tensor) override;

    const models::MachineParams& params() const { return params_; }
    const firmware::ContextOptions& options() const { return options_; }
    PlanningMemory& memory() { return memory_; }

 private:
    models::MachineParams params_;
    firmware::ContextOptions options_;
    isa::MachineShape shape_;
    PlanningMemory memory_;
    WorkPort work_port_;
    firmware::Context work_context_;
};

}  // namespace okksim::sim::pricing
