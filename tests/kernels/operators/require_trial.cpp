// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/operators/require_trial.h"

#include <optional>

#include "tests/kernels/operators/operator_run.h"
#include "tests/support/catch.h"

namespace okksim::tests {

using kernels::DeviceTensor;
using tosa::Attributes;
using tosa::DType;
using tosa::NoAttributes;
using tosa::OpCode;

namespace {

std::int64_t sign_extended(DType type, std::int64_t bits) {
    const int unused = 64 - 8 * kernels::stored_bytes(type);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(bits) << unused) >> unused;
}

/// The output's values, or std::nullopt if the operator reported them unpredictable.
std::optional<Values> outcome(const Trial& trial, int lanes, int local_bytes) {
    KernelMachine machine(lanes, local_bytes, 64 * 1024 * 1024);
    OperatorRun run(machine);
    std::vector<DeviceTensor> inputs;
    for (const Operand& operand : trial.inputs) {
        inputs.push_back(run.tensor(operand.type, operand.dims));
        run.write(inputs.back(), operand.values);
    }
    const DeviceTensor output = run.tensor(trial.out, trial.dims);
    try {
        run.run(trial.op, trial.attributes, inputs, {output});
    } catch (const std::exception& fault) {
        CHECK_THAT(fault.what(), Catch::Contains("REQUIRE(") && Catch::Contains("unpredictable"));
        return std::nullopt;
    }
    Values values = run.read(output);
    for (auto& value : values) value = sign_extended(trial.out, value);
    return values;
}

}  // namespace

Operand vector(DType type, const Values& values) {
    return {type, {static_cast<std::int32_t>(values.size())}, values};
}
Operand scalar(DType type, std::int64_t value) { return {type, {1}, {value}}; }

void check_unpredictable(const Trial& trial) {
    INFO(tosa::op_name(trial.op));
    CHECK(!outcome(trial, 64, 512 * 1024));
    CHECK(!outcome(trial, 8, 32 * 1024));
}
void check_result(const Trial& trial, const Values& expected) {
    INFO(tosa::op_name(trial.op));
    CHECK(outcome(trial, 64, 512 * 1024) == expected);
    CHECK(outcome(trial, 8, 32 * 1024) == expected);
}

Trial binary(OpCode op, DType type, std::int64_t a, std::int64_t b, DType out,
             const Attributes& attributes) {
    return {op, attributes, {scalar(type, a), scalar(type, b)}, out, {1}};
}
Trial unary(OpCode op, DType type, std::int64_t a, DType out) {
    return {op, NoAttributes{}, {scalar(type, a)}, out, {1}};
}

}  // namespace okksim::tests
