// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/call/tensor.h"
#include "models/chip/chip_params.h"
#include "models/chip/feature_params.h"
#include "models/chip/functional_port.h"
#include "models/chip/memory_params.h"
#include "sim/machine/machine.h"
#include "sim/pricing/plan_call.h"

namespace okksim::tests {

/// The reference machine with the lanes, the memories and the groups of a test's machine.
inline models::MachineParams reference_with(const isa::MachineShape& shape) {
    models::MachineParams params = sim::load_machine("bm1684").params;
    params.chip->lanes = shape.lanes;
    params.chip->local_memory_bytes = shape.local_bytes;
    params.chip->local_memory_banks = shape.local_banks;
    params.l2->start = static_cast<std::int64_t>(shape.l2_start);
    params.l2->bytes = static_cast<std::int64_t>(shape.l2_bytes);
    params.dtcm->start = static_cast<std::int64_t>(shape.dtcm_start);
    params.dtcm->bytes = static_cast<std::int64_t>(shape.dtcm_bytes);
    params.global->start = static_cast<std::int64_t>(shape.global_start);
    params.global->bytes = static_cast<std::int64_t>(shape.global_bytes);
#define OKKSIM_FEATURE(name, key, ...) \
    params.features->key = isa::has_feature(shape, isa::Feature::name);
#include "isa/features.def"
#undef OKKSIM_FEATURE
    return params;
}

/// Decisions of a kernel for a machine with the reference machine's rates, for tests without a
/// plan. Constant operands are known if they are in memory already.
class KernelPlanner {
 public:
    KernelPlanner(const models::MachineParams& params, models::SystemMemory& memory)
        : params_(params), memory_(memory) {}

    kernels::DecisionList plan(kernels::OperatorKernel kernel, const kernels::OperatorCall& call) {
        sim::pricing::KnownMemory known;
        const auto add = [&](const kernels::DeviceTensor& tensor) {
            if (!tensor.constant) return;
            const auto bytes = static_cast<std::uint64_t>(tensor.count()) *
                               static_cast<std::uint64_t>(kernels::stored_bytes(tensor.type));
            known.add(tensor.address, {memory_.pointer(tensor.address, bytes), bytes});
        };
        for (const kernels::DeviceTensor& input : call.inputs) add(input);
        for (const kernels::Follower& follower : call.followers) {
            for (const kernels::DeviceTensor& input : follower.inputs) add(input);
        }
        sim::pricing::MachineHost host(params_, {}, known);
        return sim::pricing::plan_call(kernel, call, host).decisions;
    }
    /// Runs a kernel by its plan, on a machine that the caller made the current one.
    static void run(kernels::OperatorKernel kernel, kernels::OperatorCall call,
                    const kernels::DecisionList& planned) {
        kernels::Decisions decisions(planned);
        call.decisions = &decisions;
        kernel(call);
        decisions.check_all_taken();
    }

 private:
    models::MachineParams params_;
    models::SystemMemory& memory_;
};

}  // namespace okksim::tests
