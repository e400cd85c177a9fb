// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "firmware/leave/kernel_runner.h"
#include "firmware/okk.h"
#include "kernels/call/tensor.h"
#include "kernels/prepared_constants.h"
#include "models/chip/chip.h"
#include "models/chip/memory_params.h"
#include "sim/device/chip_device.h"
#include "sim/platform/simulation.h"
#include "tests/support/catch.h"
#include "tests/support/packing_memory.h"
#include "tests/support/planned_kernel.h"
#include "tests/support/stored_tensor.h"

namespace okksim::tests {

/// Runs single operators on the timed reference machine and measures host and simulated time.
class OperatorBench {
 public:
    OperatorBench() : simulation_(sim::load_machine("bm1684"), {}) {
        const auto& params = simulation_.machine().params;
        start_ =
            params.shape().global_start + static_cast<std::uint64_t>(params.global->reserved_bytes);
        next_ = start_;
    }

    /// The shortest host time of several runs.
    template <typename Run>
    static auto best(const Run& run) {
        auto times = run();
        for (int i = 0; i < 8; ++i) times.host_ms = std::min(times.host_ms, run().host_ms);
        return times;
    }

    /// A tensor of random numbers (int32: of 20 bits; zero when it has one element) stored in
    /// `order`.
    kernels::DeviceTensor tensor(tosa::DType type, const std::vector<std::int32_t>& dims,
                                 const std::vector<int>& order) {
        const kernels::DeviceTensor value = stored_tensor(type, dims, order, next_);
        const std::uint64_t bytes = tensor_bytes(value);
        next_ += (bytes + 127) / 128 * 128;
        fill(value, bytes);
        return value;
    }
    /// A tensor like tensor(), whose values are known before the operator runs.
    kernels::DeviceTensor constant(tosa::DType type, const std::vector<std::int32_t>& dims,
                                   const std::vector<int>& order) {
        kernels::DeviceTensor value = tensor(type, dims, order);
        value.constant = true;
        return value;
    }
    /// Frees all tensors: the next one reuses their memory.
    void clear() { next_ = start_; }

    struct Times {
        double host_ms = 0, simulated_us = 0;
        std::uint64_t commands = 0;
    };
    Times run(tosa::OpCode op, const tosa::Attributes& attributes,
              const std::vector<kernels::DeviceTensor>& inputs,
              const std::vector<kernels::DeviceTensor>& outputs) {
        kernels::OperatorCall call{op, &attributes, inputs, outputs};
        if (kernels::can_prepare(call)) call.prepared = next_;
        KernelPlanner planner(simulation_.machine().params, simulation_.chip().system_memory());
        const kernels::OperatorKernel kernel = kernels::find_operator_kernel(op);
        const kernels::DecisionList decisions = planner.plan(kernel, call);
        if (kernels::prepared_bytes(call, decisions) > 0) {
            kernels::prepare_constants(call, decisions,
                                       packing_memory(simulation_.chip().system_memory()));
        }
        return launch([&] { KernelPlanner::run(kernel, call, decisions); });
    }

 private:
    Times launch(const std::function<void()>& firmware) {
        Times times;
        const auto kernel = [](const void* argument) {
            okk_initialize();
            (*static_cast<const std::function<void()>*>(argument))();
            okk_poll();
        };
        const auto body = [&](isa::CommandPort& port) {
            firmware::Context context(port, sim::context_options(simulation_.machine()));
            const auto fault =
                firmware::run_kernel(context, kernel, &firmware, firmware::DeliveryMode::kThrow);
            REQUIRE_FALSE(fault);
            times.commands = context.counts().commands.total();
        };
        simulation_.launch({body, [&](models::Picoseconds from, models::Picoseconds to) {
                                times.simulated_us = (to - from).microseconds();
                            }});
        const auto before = std::chrono::steady_clock::now();
        simulation_.run();
        const std::chrono::duration<double, std::milli> host =
            std::chrono::steady_clock::now() - before;
        times.host_ms = host.count();
        return times;
    }

    void fill(const kernels::DeviceTensor& value, std::uint64_t bytes) {
        std::byte* target = simulation_.chip().system_memory().pointer(value.address, bytes);
        std::uniform_real_distribution<float> real(-1.0f, 1.0f);
        for (std::uint64_t i = 0; i < bytes; i += 4) {
            auto word = static_cast<std::uint32_t>(random_());
            const float number = real(random_);
            if (value.type == tosa::DType::kFp32) std::memcpy(&word, &number, 4);
            if (value.type == tosa::DType::kI32) word &= 0xFFFFFu;  // sums stay in range
            std::memcpy(target + i, &word, std::min<std::uint64_t>(4, bytes - i));
        }
        if (value.count() == 1) std::memset(target, 0, bytes);
    }

    sim::Simulation simulation_;
    std::uint64_t start_ = 0;
    std::uint64_t next_ = 0;
    std::mt19937 random_{1};
};

}  // namespace okksim::tests
