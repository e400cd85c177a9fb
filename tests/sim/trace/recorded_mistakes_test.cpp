// SPDX-License-Identifier: Apache-2.0
// Ordering mistakes and rule violations in recorded kernels.
#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "models/chip/order_check.h"
#include "models/chip/value_check.h"
#include "sim/device/chip_device.h"
#include "sim/trace/call_replay.h"
#include "tests/firmware/recording_port.h"
#include "tests/support/catch.h"
#include "tests/support/golden_dir.h"

namespace okksim::tests {
namespace {

namespace fs = std::filesystem;

/// Returns the mistakes in a recorded kernel, except sizes beyond the API reference.
std::vector<std::string> mistakes_in(const fs::path& path, const sim::Machine& machine) {
    std::vector<std::string> mistakes;
    const isa::MachineShape shape = machine.params.shape();
    models::OrderCheck order(shape, 2);
    RecordingPort port(shape);
    port.on_submit = [&](const isa::Command& command) {
        if (order.submitted(command)) mistakes.emplace_back("hazard");
        const auto overlap =
            models::find_overlap(command, isa::tensor_views(command, shape), shape);
        if (overlap) mistakes.push_back(*overlap);
    };
    firmware::ContextOptions options = sim::context_options(machine);
    options.call_stacks = false;
    options.report = [&](Finding finding) {
        if (is_mistake(finding)) mistakes.push_back(std::move(finding.message));
    };
    sim::trace::CallTraceReader trace(path, shape);
    firmware::Context context(port, options);
    context.begin_launch();
    sim::trace::make_calls(context, trace);
    context.checks()->returned(context.parallel());
    return mistakes;
}

/// Recorded kernels that have mistakes although their results are right, and the texts of their
/// findings.
const std::map<std::string, std::vector<std::string>>& wrong_kernels() {
    static const std::map<std::string, std::vector<std::string>> kernels{
        // One buffer holds both the multiplied rows and those loaded meanwhile.
        {"matmul_12_A.jsonl.xz", {"hazard"}},
        {"softmax_00_B.jsonl.xz", {"dst_addr = 22036240 with dst_stride = NULL"}},
        {"softmax_00_E.jsonl.xz", {"before okk_initialize()"}},
        {"softmax_02_D.jsonl.xz",
         {"dst_addr = 1596 with dst_stride = NULL", "src0_addr = 9788 with src0_stride = NULL"}},
        // The second of two batches adds the results that the first one has stored.
        {"softmax_02_E.jsonl.xz", {"before okk_initialize()", "dst_addr and src1_addr share"}},
        {"softmax_04_E.jsonl.xz", {"before okk_initialize()"}},
    };
    return kernels;
}

/// True if all expected texts occur and every mistake has one of them.
bool are_expected(const std::vector<std::string>& mistakes,
                  const std::vector<std::string>& expected) {
    const auto says = [](const std::string& text) {
        return
            [&text](const std::string& mistake) { return mistake.find(text) != std::string::npos; };
    };
    return std::all_of(expected.begin(), expected.end(),
                       [&](const std::string& text) {
                           return std::any_of(mistakes.begin(), mistakes.end(), says(text));
                       }) &&
           std::all_of(mistakes.begin(), mistakes.end(), [&](const std::string& mistake) {
               return std::any_of(expected.begin(), expected.end(),
                                  [&](const std::string& text) { return says(text)(mistake); });
           });
}

}  // namespace

TEST_CASE("Nothing is found wrong with recorded kernels, save with six that are wrong",
          "[golden]") {
    const auto golden = golden_dir();
    const fs::path traces = golden ? *golden / ".." / "timing" / "traces" : fs::path();
    if (!fs::is_directory(traces))
        return skip_without("folder \"timing\" beside the golden vectors");
    const sim::Machine machine = sim::load_machine("bm1684");
    std::size_t count = 0;
    for (const fs::directory_entry& file : fs::directory_iterator(traces)) {
        if (file.path().extension() != ".xz") continue;
        INFO(file.path().filename());
        ++count;
        const std::vector<std::string> mistakes = mistakes_in(file.path(), machine);
        const auto wrong = wrong_kernels().find(file.path().filename());
        if (wrong == wrong_kernels().end()) {
            CHECK(mistakes == std::vector<std::string>());
        } else {
            CHECK(are_expected(mistakes, wrong->second));
        }
    }
    CHECK(count > 100);
}

}  // namespace okksim::tests
