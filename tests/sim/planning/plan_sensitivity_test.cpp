// SPDX-License-Identifier: Apache-2.0
// Plans depend on the machine: every timing parameter affects some plan.
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kernels/prepared_constants.h"
#include "models/bdc/bdc_params.h"
#include "models/chip/feature_params.h"
#include "models/dram/dram_params.h"
#include "models/gdma/gdma_params.h"
#include "models/mcu/mcu_params.h"
#include "sim/machine/machine.h"
#include "sim/pricing/plan_call.h"
#include "tests/support/catch.h"
#include "tests/support/random_machine.h"
#include "tests/support/stored_tensor.h"

namespace okksim {
namespace {

using kernels::DeviceTensor;
using tosa::DType;
using tosa::OpCode;

/// Parameters that no plan of the samples depends on, and why.
const std::map<std::string, std::string> kWithoutEffect{
    {"host.launch_nanoseconds", "passes before the kernel"},
    {"host.sync_nanoseconds", "passes after the kernel"},
    {"host.copy_bytes_per_nanosecond", "passes before and after the launch"},
    {"mcu.initialize_cycles", "once per launch, whatever it does"},
    {"mcu.poll_cycles", "as often in all plans"},
    {"mcu.pointer_cycles", "as often in all plans"},
    {"mcu.line_bytes", "what the processor itself reads is the same in all plans"},
    {"mcu.soft_float_operation_cycles", "firmware computes alike for all plans"},
    {"dram.turnaround_nanoseconds", "a switch per load and store, beside tiles of microseconds"},
    {"mcu.parallel_end_waits_from_id", "no plan has so many commands"},
    {"bdc.convolution_bank_share", "weights of all samples lie in banks of their own"},
    {"bdc.fixed_min_cycles", "a few commands, beside the transfers of the samples"},
    {"bdc.square_root_cycles", "a few commands, beside the transfers of the samples"},
    {"bdc.matmul_term_cycles", "no operator issues it"},
    {"bdc.fixed_mac_cycles", "no operator issues it"},
    {"bdc.fixed_mul_cycles", "no operator issues it"},
    {"bdc.fixed_wide_mul_cycles", "no operator issues it"},
    {"bdc.linear_cycles", "no operator issues it"},
    {"bdc.matmul_row_cycles", "no operator issues it"},
    {"bdc.series_cycles", "no operator issues it"},
    {"bdc.series_cycles_per_term", "no operator issues it"},
};

/// Parameters of copies that the operators of the samples do not use.
const std::set<std::string> kOfOtherOperators{
    "gdma.local_copy_bytes_per_cycle",    "l2_port.burst_bytes",
    "l2_port.read_bytes_per_nanosecond",  "l2_port.read_latency_nanoseconds",
    "l2_port.write_bytes_per_nanosecond", "l2_port.write_latency_nanoseconds"};

/// A call and the memory of its operands.
struct Sample {
    std::string name;
    OpCode op;
    tosa::Attributes attributes;
    std::vector<DeviceTensor> inputs;
    DeviceTensor output;
};

class Samples {
 public:
    explicit Samples(std::uint64_t memory) : next_(memory) {}

    Sample convolution(const std::string& name, DType type, DType sum, std::int32_t inputs,
                       std::int32_t outputs, std::int32_t extent, std::int32_t taps,
                       std::int32_t step, bool row_major = false) {
        tosa::Conv2dAttributes attributes;
        attributes.pad = {taps / 2, taps / 2, taps / 2, taps / 2};
        attributes.stride = {step, step};
        attributes.dilation = {1, 1};
        const std::int32_t output = (extent + taps / 2 * 2 - taps) / step + 1;
        return {
            name,
            OpCode::kConv2d,
            attributes,
            {maps(type, extent, inputs, row_major), constant(type, {outputs, taps, taps, inputs}),
             constant(sum, {outputs}), constant(type, {1}), constant(type, {1})},
            maps(sum, output, outputs, row_major)};
    }
    Sample depthwise(DType type, DType sum, std::int32_t channels, std::int32_t extent) {
        tosa::DepthwiseConv2dAttributes attributes;
        attributes.pad = {1, 1, 1, 1};
        attributes.stride = attributes.dilation = {1, 1};
        return {"depthwise",
                OpCode::kDepthwiseConv2d,
                attributes,
                {maps(type, extent, channels, false), constant(type, {3, 3, channels, 1}),
                 constant(sum, {channels}), constant(type, {1}), constant(type, {1})},
                maps(sum, extent, channels, false)};
    }
    Sample element_wise(const std::string& name, OpCode op, DType type,
                        const std::vector<std::int32_t>& dims, const std::vector<int>& first,
                        const std::vector<int>& second, tosa::Attributes attributes = {}) {
        if (op == OpCode::kArithmeticRightShift)
            attributes = tosa::ArithmeticRightShiftAttributes{};
        return {name,
                op,
                attributes,
                {tensor(type, dims, first), tensor(type, dims, second)},
                tensor(type, dims, first)};
    }
    Sample function(OpCode op, DType type, const std::vector<std::int32_t>& dims,
                    const std::vector<int>& from, const std::vector<int>& to) {
        return {"function",
                op,
                tosa::NoAttributes{},
                {tensor(type, dims, from)},
                tensor(type, dims, to)};
    }
    Sample transpose(DType type, const std::vector<std::int32_t>& dims,
                     const std::vector<std::int32_t>& order) {
        tosa::TransposeAttributes attributes;
        attributes.perms = order;
        std::vector<std::int32_t> moved;
        for (const std::int32_t axis : order) moved.push_back(dims[static_cast<std::size_t>(axis)]);
        std::vector<int> in_order;
        for (std::size_t i = 0; i < dims.size(); ++i) in_order.push_back(static_cast<int>(i));
        return {"transpose",
                OpCode::kTranspose,
                attributes,
                {tensor(type, dims, in_order)},
                tensor(type, moved, in_order)};
    }
    Sample matmul(DType type, DType sum, std::int32_t rows, std::int32_t depth,
                  std::int32_t columns) {
        return {"matmul",
                OpCode::kMatmul,
                tosa::NoAttributes{},
                {tensor(type, {2, rows, depth}, {0, 1, 2}),
                 tensor(type, {2, depth, columns}, {0, 1, 2}), constant(type, {1}),
                 constant(type, {1})},
                tensor(sum, {2, rows, columns}, {0, 1, 2})};
    }

 private:
    DeviceTensor tensor(DType type, const std::vector<std::int32_t>& dims,
                        const std::vector<int>& order) {
        const DeviceTensor value = tests::stored_tensor(type, dims, order, next_);
        next_ += (tests::tensor_bytes(value) + 127) / 128 * 128;
        return value;
    }
    DeviceTensor maps(DType type, std::int32_t extent, std::int32_t channels, bool row_major) {
        return tensor(type, {1, extent, extent, channels},
                      row_major ? std::vector<int>{0, 1, 2, 3} : std::vector<int>{0, 3, 1, 2});
    }
    DeviceTensor constant(DType type, const std::vector<std::int32_t>& dims) {
        std::vector<int> order;
        for (std::size_t i = 0; i < dims.size(); ++i) order.push_back(static_cast<int>(i));
        DeviceTensor value = tensor(type, dims, order);
        value.constant = true;
        value.largest = 1000;
        return value;
    }

    std::uint64_t next_;
};

/// A port that hashes every issued command.
class HashingPort : public sim::pricing::TimingPort {
 public:
    using TimingPort::TimingPort;
    void submit(const isa::Command& command) override {
        TimingPort::submit(command);
        mix(static_cast<std::uint64_t>(command.opcode));
        for (const std::uint32_t word : command.words) mix(word);
    }
    std::uint64_t hash() const { return hash_; }

 private:
    void mix(std::uint64_t value) { hash_ = (hash_ ^ value) * 0x100000001b3u; }
    std::uint64_t hash_ = 0xcbf29ce484222325u;
};

std::uint64_t plan_of(const Sample& sample, const models::MachineParams& params) {
    static const std::vector<std::byte> zeros(1 << 20);
    sim::pricing::KnownMemory known;
    for (const DeviceTensor& input : sample.inputs) {
        const std::uint64_t bytes = tests::tensor_bytes(input);
        if (input.constant && bytes <= zeros.size()) {
            known.add(input.address, std::span(zeros).first(bytes));
        }
    }
    sim::pricing::MachineHost host(params, {}, known);
    HashingPort port(params, host.memory());
    kernels::OperatorCall call;
    call.op = sample.op;
    call.attributes = &sample.attributes;
    call.inputs = sample.inputs;
    call.outputs = {&sample.output, 1};
    if (kernels::can_prepare(call)) call.prepared = params.shape().global_start + (1u << 30);
    const auto planned =
        sim::pricing::plan_call(kernels::find_operator_kernel(sample.op), call, host, port);
    REQUIRE(planned.is_complete);
    return port.hash();
}

std::vector<Sample> samples_in(std::uint64_t memory) {
    Samples make(memory);
    std::vector<Sample> samples{
        make.convolution("1x1", DType::kFp32, DType::kFp32, 256, 64, 28, 1, 1),
        make.convolution("3x3", DType::kFp32, DType::kFp32, 64, 128, 28, 3, 1),
        make.convolution("image", DType::kFp32, DType::kFp32, 3, 64, 112, 7, 2),
        make.convolution("small image", DType::kFp32, DType::kFp32, 3, 32, 64, 3, 1),
        make.convolution("int8", DType::kI8, DType::kI32, 64, 64, 28, 3, 1),
        make.convolution("wide int8", DType::kI8, DType::kI32, 512, 40, 14, 3, 1),
        make.convolution("int16", DType::kI16, DType::kI48, 32, 64, 20, 3, 1),
        make.convolution("fp16", DType::kFp16, DType::kFp16, 96, 64, 30, 3, 1),
        make.convolution("row major", DType::kI8, DType::kI32, 48, 96, 30, 1, 1, true),
        make.depthwise(DType::kFp32, DType::kFp32, 192, 56),
        make.depthwise(DType::kI8, DType::kI32, 192, 28),
        make.matmul(DType::kFp32, DType::kFp32, 100, 96, 130),
        make.matmul(DType::kFp32, DType::kFp32, 500, 64, 500),
        make.matmul(DType::kI8, DType::kI32, 64, 200, 300),
        make.convolution("few channels", DType::kFp32, DType::kFp32, 8, 8, 40, 3, 1),
        make.convolution("wide", DType::kFp32, DType::kFp32, 160, 160, 40, 3, 2),
        make.element_wise("add", OpCode::kAdd, DType::kFp32, {1, 60, 60, 40}, {0, 3, 1, 2},
                          {0, 1, 2, 3}),
        make.element_wise("bytes", OpCode::kAdd, DType::kI32, {1, 30, 30, 40}, {0, 3, 1, 2},
                          {0, 1, 2, 3}),
        make.function(OpCode::kSigmoid, DType::kFp32, {1, 50, 70, 40}, {0, 3, 1, 2}, {0, 3, 1, 2}),
        make.function(OpCode::kSin, DType::kFp16, {1, 50, 70, 40}, {0, 3, 1, 2}, {0, 1, 2, 3}),
        make.function(OpCode::kReciprocal, DType::kFp32, {300, 70}, {0, 1}, {1, 0}),
        make.function(OpCode::kRsqrt, DType::kFp32, {300, 70}, {0, 1}, {0, 1}),
        make.transpose(DType::kFp32, {60, 50, 40}, {2, 0, 1}),
        make.transpose(DType::kI8, {3, 50, 400}, {0, 2, 1}),
    };
    for (const std::int32_t extent : {16, 32, 64, 112}) {
        for (const std::int32_t step : {1, 2, 3}) {
            samples.push_back(make.convolution("three channels", DType::kFp32, DType::kFp32, 3, 64,
                                               extent, 3, step));
        }
    }
    for (const std::int32_t size : {30, 100, 300, 1000, 3000, 10000, 30000}) {
        for (const OpCode op :
             {OpCode::kAdd, OpCode::kMaximum, OpCode::kArithmeticRightShift, OpCode::kIntdiv}) {
            const DType type = op == OpCode::kIntdiv ? DType::kI32 : DType::kI16;
            samples.push_back(make.element_wise("integers", op, type, {size, 70}, {0, 1}, {0, 1}));
        }
        samples.push_back(make.transpose(DType::kFp32, {size, 70}, {1, 0}));
        samples.push_back(make.transpose(DType::kI16, {size, 70}, {1, 0}));
    }
    return samples;
}

/// Parameters that change no plan of the samples when scaled by ten up or down.
std::set<std::string> without_effect(const models::MachineParams& reference) {
    const std::vector<Sample> samples = samples_in(reference.shape().global_start);
    std::vector<std::uint64_t> plans;
    for (const Sample& sample : samples) plans.push_back(plan_of(sample, reference));
    std::set<std::string> without;
    models::MachineParams walked = reference;
    tests::for_each_timing_parameter(walked, [&](const std::string& section, const std::string& key,
                                                 auto& field, const models::ParameterInfo& info) {
        const auto value = field;
        bool changes = false;
        for (const double factor : {10.0, 0.1}) {
            tests::scale_parameter(field, factor, info);
            if (value == 0 && factor > 1) field = 1;  // ten times zero is zero
            for (std::size_t i = 0; i < samples.size() && !changes; ++i) {
                changes = plan_of(samples[i], walked) != plans[i];
            }
            field = value;
        }
        if (!changes) without.insert(section + "." + key);
    });
    return without;
}

/// On the reference machine the issue of commands dominates; on the other machine, engines and
/// memories do.
TEST_CASE("every timing parameter changes a plan when it is ten times as large or as small") {
    const models::MachineParams reference = sim::load_machine("bm1684").params;
    models::MachineParams quick = reference;
    quick.mcu->clock_mhz *= 40;
    quick.bdc->startup_cycles /= 10;
    models::MachineParams near = quick;
    near.dram->read_bytes_per_nanosecond *= 20;
    near.dram->write_bytes_per_nanosecond *= 20;
    near.gdma->plane_bytes_per_cycle *= 20;
    const std::set<std::string> on_quick = without_effect(quick);
    const std::set<std::string> on_near = without_effect(near);
    std::set<std::string> expected = kOfOtherOperators;
    for (const auto& [name, reason] : kWithoutEffect) expected.insert(name);
    for (const std::string& name : without_effect(reference)) {
        if (!on_quick.contains(name) || !on_near.contains(name)) continue;
        INFO(name);
        CHECK(expected.contains(name));
    }
}

TEST_CASE("transposing copies are taken where they are quick, and by machines that have them") {
    models::MachineParams machine = sim::load_machine("okk-next").params;
    Samples make(machine.shape().global_start);
    const Sample sample = make.transpose(DType::kI8, {3, 50, 400}, {0, 2, 1});
    const std::uint64_t quick = plan_of(sample, machine);
    machine.gdma->transpose_bytes_per_cycle /= 1000;
    const std::uint64_t slow = plan_of(sample, machine);
    CHECK(quick != slow);
    // A function too slow to be chosen gives the same plan as a missing one.
    machine.features->dma_layout = false;
    CHECK(plan_of(sample, machine) == slow);
}

}  // namespace
}  // namespace okksim
