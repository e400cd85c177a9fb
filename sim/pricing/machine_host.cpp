// SPDX-License-Identifier: Apache-2.0
#include "sim/pricing/machine_host.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "firmware/calls/trusted_arguments.h"
#include "kernels/call/computing.h"
#include "kernels/call/constant_values.h"
#include "models/chip/memory_params.h"
#include "models/gdma/gdma_params.h"

namespace okksim::sim::pricing {
namespace {

std::vector<std::int64_t> fp32_bits(std::span<const std::byte> bytes, std::size_t count) {
    std::vector<std::int64_t> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        std::uint32_t word = 0;
        std::memcpy(&word, bytes.data() + i * sizeof word, sizeof word);
        values[i] = word;
    }
    return values;
}

/// Thrown to end a simulation that takes too long.
struct TooSlow {};

class LimitedPort : public TimingPort {
 public:
    LimitedPort(const models::MachineParams& params, PlanningMemory& memory,
                kernels::Duration limit)
        : TimingPort(params, memory), limit_(limit) {
        timing().begin_launch();
        start_ = timing().time();
    }
    void submit(const isa::Command& command) override {
        TimingPort::submit(command);
        if (passed(timing().time() - start_) > limit_) throw TooSlow{};
    }
    std::optional<kernels::Duration> end() {
        const kernels::Duration time = passed(timing().end_launch());
        if (time > limit_) return std::nullopt;
        return time;
    }

 private:
    static kernels::Duration passed(models::Picoseconds time) {
        return kernels::Duration(time.value);
    }

    kernels::Duration limit_;
    models::Picoseconds start_;
};

/// Extends global memory up to the next memory.
models::MachineParams with_room(models::MachineParams params) {
    constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 46;
    const isa::MachineShape shape = params.shape();
    std::uint64_t end = shape.global_start + kMostBytes;
    const auto stop_at = [&](std::uint64_t start) {
        if (start > shape.global_start) end = std::min(end, start);
    };
    stop_at(shape.l2_start);
    stop_at(shape.dtcm_start);
    for (const models::NamedMemoryParams& memory : *params.memories) stop_at(memory.region().start);
    params.global->bytes = static_cast<std::int64_t>(end - shape.global_start);
    return params;
}

/// Switches reports off, because errors of discarded candidates are irrelevant.
firmware::ContextOptions without_reports(firmware::ContextOptions options) {
    options.call_stacks = false;
    options.report = nullptr;
    return options;
}

}  // namespace

MachineHost::MachineHost(const models::MachineParams& params, firmware::ContextOptions options,
                         const KnownMemory& known)
    : params_(with_room(params)),
      options_(without_reports(std::move(options))),
      shape_(params_.shape()),
      memory_(shape_, known),
      work_port_(params_, memory_),
      work_context_(work_port_, options_) {}

std::uint64_t MachineHost::alignment_bytes() const {
    return static_cast<std::uint64_t>(params_.gdma->alignment_bytes);
}

kernels::Work MachineHost::work(const kernels::Firmware& firmware) {
    work_context_.begin_launch();
    const firmware::Context::Binding binding(work_context_);
    const firmware::TrustedArguments trusted;
    kernels::charge_commands();
    firmware();
    return work_port_.take();
}

std::optional<kernels::Duration> MachineHost::time_within(kernels::Duration limit,
                                                          const kernels::Firmware& firmware) {
    LimitedPort port(params_, memory_, limit);
    firmware::Context context(port, options_);
    context.begin_launch();
    const firmware::Context::Binding binding(context);
    const firmware::TrustedArguments trusted;
    try {
        port.charge(isa::FirmwareCall::kListStart);
        kernels::charge_commands();
        firmware();
    } catch (const TooSlow&) {
        return std::nullopt;
    }
    return port.end();
}

std::optional<std::vector<std::int64_t>> MachineHost::values(const kernels::DeviceTensor& tensor) {
    const auto count = static_cast<std::size_t>(tensor.count());
    const auto bytes = memory_.known().find(
        tensor.address, count * static_cast<std::size_t>(kernels::stored_bytes(tensor.type)));
    if (!tensor.constant || !bytes) return std::nullopt;
    if (tensor.type == tosa::DType::kFp32) return fp32_bits(*bytes, count);
    return kernels::integer_values(tensor.type, *bytes, count);
}

}  // namespace okksim::sim::pricing
