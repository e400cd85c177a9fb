// SPDX-License-Identifier: Apache-2.0
// The added parameter comes from the machine file, can be set, and costs its cycles.
#include <cstdio>

#include "models/bdc/bdc_params.h"
#include "models/bdc/bdc_timing.h"
#include "sim/machine/machine.h"

using namespace okksim;

int main() {
    isa::VectorUnary copy;
    copy.shape = {1, 1, 1, 1};
    copy.dst_stride = copy.src_stride = {1, 1, 1, 1};
    const isa::Command command = isa::Command::make(isa::Opcode::bdc_32bit_cpy, copy);
    const auto cycles = [&](const sim::Machine& machine) {
        return models::bdc_cost(command, machine.params.shape(), *machine.params.bdc).work().value;
    };
    const sim::Machine plain = sim::load_machine("bm1684");
    const sim::Machine slower = sim::load_machine("bm1684", {"bdc.drain_cycles=9"});
    if (plain.params.bdc->drain_cycles != 2 || cycles(slower) - cycles(plain) != 7) {
        std::printf("%lld and %lld cycles\n", static_cast<long long>(cycles(plain)),
                    static_cast<long long>(cycles(slower)));
        return 1;
    }
    return 0;
}
