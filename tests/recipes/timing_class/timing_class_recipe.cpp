// SPDX-License-Identifier: Apache-2.0
// A copy uses the added cost model: two vectors of every slot at a time.
#include <cstdio>

#include "models/bdc/bdc_params.h"
#include "models/bdc/bdc_timing.h"
#include "models/bdc/bdc_work.h"
#include "tests/support/small_machine.h"

using namespace okksim;

int main() {
    const isa::MachineShape machine = tests::small_machine(4, 4096);
    models::BdcParams params;
    params.clock_mhz = 1000;
    params.execution_units = 16;
    params.copy_cycles = 10;
    // 33 elements are 3 groups of 16, so 2 pairs, in each of 2 batch elements: 4 * 10 cycles.
    isa::VectorUnary copy;
    copy.shape = {2, 1, 1, 33};
    copy.dst_stride = copy.src_stride = {33, 33, 33, 1};
    const isa::Command command = isa::Command::make(isa::Opcode::bdc_32bit_cpy, copy);
    const auto cycles = models::bdc_cost(command, machine, params).work().value;
    if (cycles != 40) {
        std::printf("%lld cycles instead of 40\n", static_cast<long long>(cycles));
        return 1;
    }
    if (models::bdc_operations(command) != 66) return 1;
    // At best 2 * 16 elements in 10 cycles of 1 ns, in each of 4 lanes: 12.8e9 per second.
    const double peak =
        models::bdc_peak_operations_per_second(isa::TimingClass::kPairedCopy, machine, params);
    return peak == 12.8e9 ? 0 : 1;
}
