// SPDX-License-Identifier: Apache-2.0
// The added instruction computes, costs time and documents itself.
#include <cmath>
#include <cstdio>
#include <string>

#include "firmware/calls/context.h"
#include "firmware/okk.h"
#include "isa/isa_document.h"
#include "models/bdc/bdc_params.h"
#include "models/bdc/bdc_timing.h"
#include "models/chip/functional_port.h"
#include "tests/support/small_machine.h"

using namespace okksim;

int main() {
    const isa::MachineShape machine = tests::small_machine(4, 4096);
    models::FunctionalPort port(machine);
    firmware::Context context(port);
    const firmware::Context::Binding binding(context);
    isa::Command last;
    port.set_observer([&](const isa::Command& command) { last = command; });

    // One channel of five elements in lane 0: operands at 128 and 256, result at 0.
    const dim4 shape{1, 1, 1, 5};
    for (int i = 0; i < 5; ++i) {
        *port.local_memory().floats(0, 128 + 4 * i) = static_cast<float>(i);
        *port.local_memory().floats(0, 256 + 4 * i) = 2.5f;
    }
    okk_bdc_absolute_difference(0, 128, 256, &shape, nullptr, nullptr, nullptr);
    for (int i = 0; i < 5; ++i) {
        const float want = std::fabs(static_cast<float>(i) - 2.5f);
        const float got = *port.local_memory().floats(0, 4 * i);
        if (got == want) continue;
        std::printf("element %d: %g instead of %g\n", i, got, want);
        return 1;
    }

    // Timing class kArithmetic: 5 elements are one group of 16 units at 2 cycles, after 3 to start.
    models::BdcParams params;
    params.clock_mhz = 550;
    params.execution_units = 16;
    params.startup_cycles = 3;
    params.tensor_cycles = 2;
    const auto cycles = models::bdc_cost(last, machine, params).work();
    if (cycles.value != 5)
        return std::printf("%lld cycles\n", static_cast<long long>(cycles.value));
    const std::string manual = isa::isa_markdown();
    return manual.find("bdc.absolute_difference") == std::string::npos ? 1 : 0;
}
