// SPDX-License-Identifier: Apache-2.0
#include "sim/library/environment_device.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "firmware/host/environment_variables.h"
#include "firmware/launch/call_stack.h"
#include "isa/base/errors.h"
#include "isa/base/text_stream.h"
#include "models/chip/chip.h"
#include "sim/device/chip_device.h"
#include "sim/device/debugger_hooks.h"
#include "sim/machine/machine_text.h"
#include "sim/trace/run_observers.h"

namespace okksim::sim {
namespace {

using firmware::host::environment_switch;
using firmware::host::environment_text;

constexpr int kMostThreads = 256;
constexpr double kMostIdleSeconds = 1e6;

/// Returns a number in (0, `most`] from the environment. Throws ConfigError with the variable's
/// name for other texts.
template <typename Number>
std::optional<Number> number_from(const char* name, Number most) {
    const std::string text = environment_text(name);
    if (text.empty()) return std::nullopt;
    Number number{};
    const char* const end = text.data() + text.size();
    const auto [read_to, problem] = std::from_chars(text.data(), end, number);
    if (problem != std::errc{} || read_to != end || !(number > Number{0} && number <= most)) {
        throw ConfigError(name,
                          fmt::format("\"{}\" is not a number above 0 and at most {}", text, most));
    }
    return number;
}

/// Returns bytes, given as a number or a text such as "64MiB", or no value if the variable is not
/// set.
std::optional<std::uint64_t> bytes_from_environment(const char* name) {
    const std::string text = environment_text(name);
    if (text.empty()) return std::nullopt;
    if (const auto bytes = bytes_from(text)) return *bytes;
    std::uint64_t bytes = 0;
    const char* const end = text.data() + text.size();
    const auto [read_to, problem] = std::from_chars(text.data(), end, bytes);
    if (problem == std::errc{} && read_to == end) return bytes;
    throw ConfigError(name, "\"" + text + "\" is neither a number of bytes nor a size as 64MiB");
}

trace::ObserverOptions observers_from_environment() {
    trace::ObserverOptions options;
    options.record = environment_text("OKKSIM_RECORD");
    options.timeline = environment_text("OKKSIM_TIMELINE");
    options.commands = environment_text("OKKSIM_COMMANDS");
    options.lines = environment_text("OKKSIM_LINES");
    if (options.lines == "1") options.lines = trace::kToTerminal;
    options.record_data = environment_switch("OKKSIM_RECORD_DATA");
    options.sees_stores = true;
    return options;
}

/// A chip whose runs are recorded until the program ends.
class ObservedDevice final : public ChipDevice {
 public:
    ObservedDevice(Machine machine, const models::ChipOptions& options, const LaunchLimits& limits,
                   const trace::ObserverOptions& wanted, bool whole_stacks)
        : ChipDevice(std::move(machine), options, limits),
          observers_(trace::observed(simulation()), wanted, &remember_calls(whole_stacks)),
          prints_lines_(wanted.lines == trace::kToTerminal),
          names_writes_(wanted.record_data) {
        observers_.name_library("/proc/self/exe");
        set_copy_observer([this](const HostCopy& copy) { host_copied(copy); });
        set_store_observer(observers_.store_observer());
        // The runtime never destroys its device.
        static ObservedDevice* the_device = nullptr;
        the_device = this;
        std::atexit([] {
            // A child of the host program has a copy of the observers and must not write the files.
            if (getpid() != the_device->process_ || the_device->complete_files()) return;
            constexpr int kWrongFiles = 2;  // exit code of okksim
            std::fflush(nullptr);
            std::_Exit(kWrongFiles);
        });
    }
    std::vector<std::function<void()>> endings() override {
        std::vector<std::function<void()>> endings = observers_.endings();
        endings.emplace_back([this] { print_lines(); });
        return endings;
    }
    void forget(std::uint64_t address, std::uint64_t bytes) override {
        ChipDevice::forget(address, bytes);
        observers_.host_forgot(address, bytes);
    }
    void launch(firmware::host::LaunchRequest request) override {
        observers_.name_launch(request.name);
        ChipDevice::launch(std::move(request));
    }

 private:
    /// Returns false and prints the reason if the files cannot be written.
    bool complete_files() {
        try {
            observers_.finish();
            print_lines();
        } catch (const ConfigError& error) {
            std::fprintf(stderr, "okksim: %s\n", error.what());
            return false;
        }
        return true;
    }
    void host_copied(const HostCopy& copy) {
        observers_.host_copied(copy);
        if (copy.to_chip) return name_write(copy);
        // Names the buffers that the host reads, so that a user can ask about "read1[5]".
        observers_.name_buffer(fmt::format("read{}:<f4[{}]", ++reads_, copy.bytes / sizeof(float)),
                               copy.address, copy.bytes);
    }
    /// Names the buffers that the host writes, such as "write1 (main at host.cpp:12)[5]".
    void name_write(const HostCopy& copy) {
        if (!names_writes_) return;
        const void* const site = firmware::calling_code();
        const std::string place =
            site == nullptr ? "" : fmt::format(" ({})", firmware::locate(site).front().text());
        observers_.name_buffer(
            fmt::format("write{}{}:<f4[{}]", ++writes_, place, copy.bytes / sizeof(float)),
            copy.address, copy.bytes);
    }
    void print_lines() {
        if (!prints_lines_) return;
        std::fputs(line_text(*observers_.lines()).c_str(), stderr);
    }

    trace::RunObservers observers_;
    bool prints_lines_;
    bool names_writes_;
    pid_t process_ = getpid();
    std::uint64_t reads_ = 0, writes_ = 0;
};

/// A chip for debuggers, whose commands take effect when they are issued.
class ImmediateDevice final : public ChipDevice {
 public:
    ImmediateDevice(Machine machine, const models::ChipOptions& options, const LaunchLimits& limits)
        : ChipDevice(std::move(machine), options, limits),
          hooks_(simulation().chip(), simulation().machine().params.shape()) {
        simulation().add_observer(hooks_);
    }

 private:
    DebuggerHooks hooks_;
};

}  // namespace

std::unique_ptr<firmware::host::Device> make_device_from_environment() {
    const std::string name = environment_text("OKKSIM_MACHINE");
    std::vector<std::string> settings;
    TextReader stream(environment_text("OKKSIM_SET"));
    for (std::string setting; std::getline(stream, setting, ',');) {
        if (!setting.empty()) settings.push_back(setting);
    }
    models::ChipOptions options;
    options.threads = number_from("OKKSIM_THREADS", kMostThreads).value_or(1);
    const std::string sanitize = environment_text("OKKSIM_SANITIZE");
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
    limits.call_seconds =
        number_from("OKKSIM_CALL_SECONDS", kMostIdleSeconds).value_or(LaunchLimits::kCallSeconds);
    limits.pointer_share = number_from("OKKSIM_POINTER_SHARE", 1.0).value_or(limits.pointer_share);
    limits.resting_bytes =
        bytes_from_environment("OKKSIM_QUARANTINE").value_or(limits.resting_bytes);
    const bool immediate = environment_switch("OKKSIM_IMMEDIATE");
    if (immediate) options.with_data = false;  // the hooks execute commands
    Machine machine = load_machine(name.empty() ? "bm1684" : name, settings);
    const trace::ObserverOptions observers = observers_from_environment();
    if (immediate) {
        if (observers.record_data) {
            throw ConfigError("OKKSIM_IMMEDIATE", "records no data; unset OKKSIM_RECORD_DATA");
        }
        return std::make_unique<ImmediateDevice>(std::move(machine), options, limits);
    }
    const bool whole_stacks = sanitize == "full" || !observers.lines.empty();
    std::unique_ptr<ChipDevice> device;
    if (observers.any()) {
        device = std::make_unique<ObservedDevice>(std::move(machine), options, limits, observers,
                                                  whole_stacks);
    } else {
        device = std::make_unique<ChipDevice>(std::move(machine), options, limits);
        if (whole_stacks) device->remember_calls(true);
    }
    if (environment_switch("OKKSIM_KEEP_LOCAL")) device->simulation().chip().keep_local_memory();
    return device;
}

}  // namespace okksim::sim
