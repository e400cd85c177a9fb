// SPDX-License-Identifier: Apache-2.0
#include "sim/library/environment_device.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "isa/errors.h"
#include "sim/device/chip_device.h"
#include "sim/device/debugger_hooks.h"
#include "sim/trace/run_observers.h"

namespace okksim::sim {
namespace {

constexpr int kMostThreads = 256;
constexpr double kMostIdleSeconds = 1e6;

std::string text_from(const char* name) {
    const char* text = std::getenv(name);
    return text == nullptr ? "" : text;
}

/// A number above zero, at most `most`, from the environment; ConfigError names the variable when
/// it is not one.
template <typename Number>
std::optional<Number> number_from(const char* name, Number most) {
    const char* text = std::getenv(name);
    if (text == nullptr || *text == '\0') return std::nullopt;
    Number number{};
    const char* end = text + std::strlen(text);
    const auto [read_to, problem] = std::from_chars(text, end, number);
    if (problem != std::errc{} || read_to != end || !(number > Number{0} && number <= most)) {
        throw ConfigError(name,
                          fmt::format("\"{}\" is not a number above 0 and at most {}", text, most));
    }
    return number;
}

/// "1" or, as without it, "0". ConfigError otherwise.
bool switch_from(const char* name) {
    const std::string text = text_from(name);
    if (text.empty() || text == "0" || text == "1") return text == "1";
    throw ConfigError(name, "\"" + text + "\" is neither \"0\" nor \"1\"");
}

trace::ObserverOptions observers_from_environment() {
    trace::ObserverOptions options;
    options.record = text_from("OKKSIM_RECORD");
    options.timeline = text_from("OKKSIM_TIMELINE");
    options.commands = text_from("OKKSIM_COMMANDS");
    options.lines = text_from("OKKSIM_LINES");
    if (options.lines == "1") options.lines = trace::kToTerminal;
    options.record_data = switch_from("OKKSIM_RECORD_DATA");
    return options;
}

/// A chip whose runs are written down until the program ends.
class ObservedDevice final : public ChipDevice {
 public:
    ObservedDevice(Machine machine, const models::ChipOptions& options, const LaunchLimits& limits,
                   const trace::ObserverOptions& wanted, bool whole_stacks)
        : ChipDevice(std::move(machine), options, limits),
          observers_(simulation(), wanted, &remember_calls(whole_stacks)),
          prints_lines_(wanted.lines == trace::kToTerminal) {
        observers_.name_library("/proc/self/exe");
        set_copy_observer([this](const HostCopy& copy) { host_copied(copy); });
        // The runtime never destroys its device.
        static ObservedDevice* the_device = nullptr;
        the_device = this;
        std::atexit([] {
            try {
                the_device->observers_.finish();
                the_device->print_lines();
            } catch (const ConfigError& error) {
                constexpr int kWrongFiles = 2;  // as the program okksim ends
                std::fprintf(stderr, "okksim: %s\n", error.what());
                std::fflush(nullptr);
                std::_Exit(kWrongFiles);
            }
        });
    }
    void launch(firmware::host::LaunchRequest request) override {
        observers_.name_launch(request.name);
        ChipDevice::launch(std::move(request));
    }

 private:
    void host_copied(const HostCopy& copy) {
        observers_.host_copied(copy);
        if (copy.to_chip) return;
        // What the host reads is what it may ask about: "read1[5]".
        observers_.name_buffer(fmt::format("read{}:<f4[{}]", ++reads_, copy.bytes / sizeof(float)),
                               copy.address, copy.bytes);
    }
    void print_lines() {
        if (!prints_lines_) return;
        std::fputs(line_text(*observers_.lines()).c_str(), stderr);
    }

    trace::RunObservers observers_;
    bool prints_lines_;
    std::uint64_t reads_ = 0;
};

/// A chip whose commands take effect when they are issued: for debuggers.
class ImmediateDevice final : public ChipDevice {
 public:
    ImmediateDevice(Machine machine, const models::ChipOptions& options, const LaunchLimits& limits)
        : ChipDevice(std::move(machine), options, limits),
          hooks_(simulation().chip(), simulation().machine().params.shape()) {
        simulation().chip().add_observer(hooks_);
    }

 private:
    DebuggerHooks hooks_;
};

}  // namespace

std::unique_ptr<firmware::host::Device> make_device_from_environment() {
    const char* name = std::getenv("OKKSIM_MACHINE");
    std::vector<std::string> settings;
    if (const char* text = std::getenv("OKKSIM_SET")) {
        std::istringstream stream(text);
        for (std::string setting; std::getline(stream, setting, ',');) {
            if (!setting.empty()) settings.push_back(setting);
        }
    }
    models::ChipOptions options;
    options.threads = number_from("OKKSIM_THREADS", kMostThreads).value_or(1);
    const std::string sanitize = text_from("OKKSIM_SANITIZE");
    if (!sanitize.empty() && sanitize != "fast" && sanitize != "full" && sanitize != "off") {
        throw ConfigError("OKKSIM_SANITIZE", "\"" + sanitize + "\" is neither off, fast nor full");
    }
    options.with_diagnostics = sanitize != "off";
    options.exact_bytes = sanitize == "full";
    LaunchLimits limits;
    limits.command_budget =
        number_from("OKKSIM_COMMAND_BUDGET", UINT64_MAX).value_or(LaunchLimits::kKernelCommands);
    limits.call_budget =
        number_from("OKKSIM_CALL_BUDGET", UINT64_MAX).value_or(LaunchLimits::kKernelCalls);
    limits.idle_seconds =
        number_from("OKKSIM_IDLE_SECONDS", kMostIdleSeconds).value_or(LaunchLimits::kIdleSeconds);
    const bool immediate = switch_from("OKKSIM_IMMEDIATE");
    if (immediate) options.with_data = false;  // the hooks carry commands out
    Machine machine = load_machine(name == nullptr ? "bm1684" : name, settings);
    const trace::ObserverOptions observers = observers_from_environment();
    if (immediate) {
        if (observers.record_data) {
            throw ConfigError("OKKSIM_IMMEDIATE",
                              "gives recordings no data; leave OKKSIM_RECORD_DATA away");
        }
        return std::make_unique<ImmediateDevice>(std::move(machine), options, limits);
    }
    const bool whole_stacks = sanitize == "full" || !observers.lines.empty();
    if (observers.any()) {
        return std::make_unique<ObservedDevice>(std::move(machine), options, limits, observers,
                                                whole_stacks);
    }
    auto device = std::make_unique<ChipDevice>(std::move(machine), options, limits);
    if (whole_stacks) device->remember_calls(true);
    return device;
}

}  // namespace okksim::sim
