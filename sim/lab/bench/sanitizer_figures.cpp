// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/bench/sanitizer_figures.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <memory>

#include "firmware/okk.h"
#include "isa/base/errors.h"
#include "sim/device/chip_device.h"
#include "sim/lab/bench/host_limits.h"
#include "sim/lab/bench/turns.h"

namespace okksim::sim::bench {
namespace {

/// Targets of the project: additional time in percent.
constexpr double kDefaultPercent = 25;
constexpr double kFullPercent = 150;  // 2.5 times

constexpr int kCommands = 4000;

/// Repeats additions of small tensors.
void adds(const void*) {
    const dim4 shape = {1, 64, 7, 7};
    x32 one;
    one.fp32 = 1;
    okk_initialize();
    okk_bdc_32bit_set_C(0, one, &shape, nullptr);
    for (int i = 1; i < kCommands; ++i) {
        okk_bdc_add(4096, 0, 0, &shape, nullptr, nullptr, nullptr);
    }
    okk_poll();
}

/// Loads, computes and copies small tensors in parallel sections, in several buffers.
void sections(const void*) {
    constexpr unsigned kBuffers = 29, kBufferBytes = 8192;
    const dim4 shape = {1, 32, 4, 16};
    const dim4 all = {1, 64, 2, 32768};
    x32 one;
    one.fp32 = 1;
    okk_initialize();
    okk_bdc_32bit_set_C(0, one, &all, nullptr);
    okk_gdma_32bit_cpy_L2S(okk_l2_sram_start_addr(), 0, &shape, nullptr, nullptr);
    okk_poll();
    for (unsigned i = 0; i < kCommands / 5; ++i) {
        const local_addr_t next = i % kBuffers * kBufferBytes;
        const local_addr_t own = (i + kBuffers - 1) % kBuffers * kBufferBytes;
        const local_addr_t last = (i + kBuffers - 2) % kBuffers * kBufferBytes;
        okk_parallel_start();
        okk_gdma_32bit_cpy_S2L(next, okk_l2_sram_start_addr(), &shape, nullptr, nullptr);
        okk_gdma_32bit_cpy_L2L(last + 1024, last + 4096, &shape, nullptr, nullptr);
        okk_bdc_mul_C(own + 2048, own, 2.0f, &shape, nullptr, nullptr);
        okk_bdc_add(own + 4096, own, own + 2048, &shape, nullptr, nullptr, nullptr);
        okk_bdc_relu(own + 4096, own + 4096, &shape, nullptr, nullptr);
        okk_parallel_end();
    }
    okk_poll();
}

/// A device that runs a kernel.
class Bench {
 public:
    Bench(const Machine& machine, void (*kernel)(const void*), bool looks, bool whole_stacks)
        : device_(machine, options(looks, whole_stacks), {}), kernel_(kernel) {
        if (whole_stacks) device_.remember_calls(true);
    }
    /// Returns the processor time of one launch in seconds.
    double run() {
        device_.launch({"bench", kernel_, {}});
        const double start = thread_seconds();
        const auto reports = device_.finish();
        const double seconds = thread_seconds() - start;
        OKKSIM_CHECK(reports.size() == 1 && !reports[0].fault && reports[0].findings.empty());
        return seconds;
    }

 private:
    static models::ChipOptions options(bool looks, bool exact) {
        models::ChipOptions options;
        options.with_diagnostics = looks;
        options.exact_bytes = exact;
        return options;
    }

    ChipDevice device_;
    void (*kernel_)(const void*);
};

void measure(const std::string& name, void (*kernel)(const void*), const BenchOptions& options,
             const std::function<void(Figure)>& done) {
    const Machine machine = load_machine("bm1684");
    Least plain, with_fast, with_full;
    const auto on_top = [&](const Least& with) {
        return 100 * (with.seconds() / plain.seconds() - 1);
    };
    const auto make = [&] {
        const auto device = [&](bool looks, bool whole_stacks) {
            return std::make_unique<Bench>(machine, kernel, looks, whole_stacks);
        };
        return
            [&, off = device(false, false), fast = device(true, false), full = device(true, true)] {
                plain.add(off->run());
                with_fast.add(fast->run());
                with_full.add(full->run());
            };
    };
    take_turns_anew(options.quick ? 51 : 201, make, [&] {
        return on_top(with_fast) <= kDefaultPercent && on_top(with_full) <= kFullPercent;
    });
    const std::string note =
        fmt::format("{:.2f} us each without", plain.seconds() / kCommands * 1e6);
    done({name + ", --sanitize=fast on top of off", on_top(with_fast), "%", kDefaultPercent, true,
          note});
    done({name + ", --sanitize=full on top of off", on_top(with_full), "%", kFullPercent, true,
          note});
}

}  // namespace

void measure_sanitizer(const BenchOptions& options, const std::function<void(Figure)>& done) {
    measure("small commands", adds, options, done);
    measure("commands in sections", sections, options, done);
}

}  // namespace okksim::sim::bench
