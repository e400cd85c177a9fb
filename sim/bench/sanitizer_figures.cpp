// SPDX-License-Identifier: Apache-2.0
#include "sim/bench/sanitizer_figures.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "firmware/okk.h"
#include "isa/errors.h"
#include "sim/bench/host_limits.h"
#include "sim/bench/median.h"
#include "sim/device/chip_device.h"

namespace okksim::sim::bench {
namespace {

/// Bars of the project.
constexpr double kDefaultPercent = 25;
constexpr double kFullPercent = 150;  // 2.5 times

constexpr int kCommands = 4000;

/// Additions of small tensors, over and over.
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

/// A device that runs the kernel.
class Bench {
 public:
    Bench(const Machine& machine, bool looks, bool whole_stacks)
        : device_(machine, options(looks, whole_stacks), {}) {
        if (whole_stacks) device_.remember_calls(true);
    }
    /// Processor time of one launch.
    double run() {
        device_.launch({"adds", adds, {}});
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
};

}  // namespace

void measure_sanitizer(const BenchOptions& options, const std::function<void(Figure)>& done) {
    const Machine machine = load_machine("bm1684");
    Bench off(machine, false, false);
    Bench fast(machine, true, false);
    Bench full(machine, true, true);
    std::vector<double> plain, fast_percent, full_percent;
    // Many short runs in turns: what else the host does hits all alike.
    for (int round = 0; round < (options.quick ? 51 : 201); ++round) {
        plain.push_back(off.run());
        fast_percent.push_back(100 * (fast.run() / plain.back() - 1));
        full_percent.push_back(100 * (full.run() / plain.back() - 1));
    }
    const std::string note = fmt::format("{:.2f} us each without", median(plain) / kCommands * 1e6);
    done({"small commands, --sanitize=fast on top of off", median(fast_percent), "%",
          kDefaultPercent, true, note});
    done({"small commands, --sanitize=full on top of off", median(full_percent), "%", kFullPercent,
          true, note});
}

}  // namespace okksim::sim::bench
