// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/bandwidth.h"

#include <cmath>
#include <functional>

#include "firmware/okk.h"
#include "isa/layout.h"
#include "models/bdc/bdc_params.h"
#include "models/bdc/bdc_timing.h"
#include "models/chip/chip_params.h"
#include "models/chip/in_order_machine.h"
#include "models/mcu/host_params.h"
#include "sim/device/chip_device.h"

namespace okksim::sim::fidelity {
namespace {

constexpr std::uint64_t kFarApart = std::uint64_t{1} << 30;

/// Returns the microseconds of a kernel on an idle machine, from its first instruction until all
/// engines are idle.
double run(const Machine& machine, const std::function<void(std::uint64_t global)>& kernel) {
    models::InOrderMachine port(machine.params);
    firmware::Context context(port, context_options(machine));
    context.begin_launch();
    const firmware::Context::Binding binding(context);
    port.begin_launch();
    okk_initialize();
    kernel(port.machine().global_start);
    okk_poll();
    return port.end_launch().microseconds();
}

/// Copies 8 MiB within global memory. Each copied byte counts once.
double plain_copy(const Machine& machine) {
    const dim4 shape{1, 1, 2048, 1024};
    const double us = run(machine, [&](std::uint64_t global) {
        okk_gdma_32bit_cpy_S2S(global + kFarApart, global, &shape, nullptr, nullptr);
    });
    return 4.0 * shape.h * shape.w / us * 1e-3;
}

/// Loads large contiguous pieces, one line per lane, into local memory.
double streaming(const Machine& machine) {
    const dim4 shape{1, 64, 1, 32768};
    const double us = run(machine, [&](std::uint64_t global) {
        okk_gdma_32bit_cpy_S2L(0, global, &shape, nullptr, nullptr);
    });
    return 4.0 * shape.c * shape.h * shape.w / us * 1e-3;
}

/// Loads a large feature map, applies one element-wise command, and stores it, tile by tile with
/// three buffers. Both bytes read and bytes written count.
double element_wise(const Machine& machine) {
    constexpr int kTiles = 24;
    const dim4 shape{1, 64, 128, 128};
    const std::uint64_t tile_bytes = 4ull * 64 * 128 * 128;
    const auto buffer = [](int tile) { return static_cast<local_addr_t>(tile % 3) * 128u * 1024u; };
    const double us = run(machine, [&](std::uint64_t global) {
        for (int step = 0; step < kTiles + 2; ++step) {
            okk_parallel_start();
            if (step < kTiles) {
                okk_gdma_32bit_cpy_S2L(buffer(step),
                                       global + static_cast<std::uint64_t>(step) * tile_bytes,
                                       &shape, nullptr, nullptr);
            }
            if (step >= 1 && step <= kTiles) {
                okk_bdc_add_C(buffer(step - 1), buffer(step - 1), 1.0f, &shape, nullptr, nullptr);
            }
            if (step >= 2) {
                okk_gdma_32bit_cpy_L2S(
                    global + kFarApart + static_cast<std::uint64_t>(step - 2) * tile_bytes,
                    buffer(step - 2), &shape, nullptr, nullptr);
            }
            okk_parallel_end();
        }
    });
    return 2.0 * kTiles * static_cast<double>(tile_bytes) / us * 1e-3;
}

/// Issues one command per row of weights, like the kernels of the largest matrix products.
double small_matmul(const Machine& machine) {
    constexpr int kCommands = 1000;
    const double us = run(machine, [&](std::uint64_t) {
        for (int i = 0; i < kCommands; ++i) {
            okk_bdc_matmul(128u * 1024u, 0, 64u * 1024u, 0, 2, 1, 2048, 1, 32, false, i > 0);
        }
    });
    return us / kCommands;
}

/// Loads a matrix of 6 MiB. Each of its rows has 64 bytes per lane.
double matrix_load(const Machine& machine) {
    constexpr int kRows = 1536;
    constexpr int kColumns = 1024;
    const double us = run(machine, [&](std::uint64_t global) {
        okk_gdma_32bit_matrix_S2L(0, global, kRows, kColumns, 16, kColumns);
    });
    return 4.0 * kRows * kColumns / us * 1e-3;
}

/// Returns ns per element of a transposition from channel-last to channel-first within global
/// memory, in pieces of 4 bytes. The W stride must be 1, so each pixel is a row of one element.
double transposed_copy(const Machine& machine, int channels) {
    const dim4 pixels{1, channels, 32768, 1};
    const dim4 to{channels * pixels.h, pixels.h, 1, 1};
    const dim4 from{channels * pixels.h, 1, channels, 1};
    const double us = run(machine, [&](std::uint64_t global) {
        okk_gdma_32bit_cpy_S2S(global + kFarApart, global, &pixels, &to, &from);
    });
    return us * 1e3 / (static_cast<double>(channels) * pixels.h);
}

/// Returns the host's time for a launch of a minimal kernel.
double launch(const Machine& machine) {
    const dim4 shape{1, 64, 1, 32};
    const double us = run(machine, [&](std::uint64_t global) {
        okk_gdma_32bit_cpy_S2L(0, global, &shape, nullptr, nullptr);
        okk_bdc_add_C(0, 0, 1.0f, &shape, nullptr, nullptr);
        okk_gdma_32bit_cpy_L2S(global, 0, &shape, nullptr, nullptr);
    });
    const models::HostParams& host = *machine.params.host;
    return us + (host.launch_nanoseconds + host.sync_nanoseconds) * 1e-3;
}

/// Compares a convolution with three input channels with the estimator's formula. The formula has
/// five cycles per kernel position and stride: kh * kw * max(5, 5 * (stride + 1) / 3) + 5 per group
/// of 16 pixels.
double three_channels(const Machine& machine) {
    isa::Convolution form{};
    form.input_shape = {1, 3, 129, 129};
    form.output_c = 64;
    form.kernel_h = form.kernel_w = 3;
    form.stride = {2, 2};
    form.dilation = {1, 1};
    const auto cost = models::bdc_cost(isa::Command::make(isa::Opcode::bdc_conv2d, form),
                                       machine.params.shape(), *machine.params.bdc);
    const double groups = 64.0 * 64 / 16;
    const double law = groups * (9 * 5 + 5) * 64 / static_cast<double>(machine.params.chip->lanes);
    return static_cast<double>(cost.execute.value) / law;
}

}  // namespace

double RateFigure::error() const {
    if (simulated < low) return simulated / low - 1;
    if (simulated > high) return simulated / high - 1;
    return 0;
}

bool RateFigure::met() const { return std::abs(error()) <= kRateBar; }

std::vector<RateFigure> measure_rates(const Machine& machine) {
    return {
        {"plain copy in DRAM", "GB/s", 13.25, 13.25, plain_copy(machine), "8 MiB, one command"},
        {"streaming DRAM to local", "GB/s", 26.9, 27.3, streaming(machine), "8 MiB, one command"},
        {"element-wise traffic", "GB/s", 22.5, 25.8, element_wise(machine),
         "24 tiles of 4 MiB in, add a constant, out"},
        {"one small matmul command", "us", 3.5, 3.5, small_matmul(machine),
         "1000 products of 2x1 with 1x2048"},
        {"matrix load, 64 bytes per lane and row", "GB/s", 24.0, 25.2, matrix_load(machine),
         "6 MiB, 1536 rows of 1024"},
        {"layout-changing copy, few channels", "ns/element", 3.7, 6.6, transposed_copy(machine, 3),
         "3 channels, last to first, 4-byte pieces"},
        {"layout-changing copy, many channels", "ns/element", 3.7, 6.6,
         transposed_copy(machine, 64), "64 channels, last to first, 4-byte pieces"},
        {"launch and synchronise", "us", 40, 47, launch(machine), "load, add a constant, store"},
        {"convolution with 3 channels over the estimator", "ratio", 1.4, 1.9,
         three_channels(machine), "3x3, stride 2"},
    };
}

}  // namespace okksim::sim::fidelity
