// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/operator_problem.h"

#include "kernels/constant_values.h"
#include "kernels/conv/epilogue.h"
#include "kernels/conv/prepared_layout.h"
#include "kernels/violations.h"

namespace okksim::kernels::conv {

FeatureMaps feature_maps(const DeviceTensor& tensor) {
    const auto last = static_cast<std::size_t>(tensor.rank - 1);
    FeatureMaps maps;
    maps.address = tensor.address;
    maps.type = tensor.type;
    maps.image = tensor.strides[0];
    maps.z = tensor.rank == 5 ? tensor.strides[1] : 0;
    maps.y = tensor.strides[last - 2];
    maps.x = tensor.strides[last - 1];
    maps.channel = tensor.strides[last];
    return maps;
}

namespace {

/// What a bias can be when nobody looked at its values.
std::int64_t largest_bias(const DeviceTensor& bias) {
    if (!tosa::is_integer(bias.type)) return 0;
    constexpr std::int64_t kI48 = std::int64_t{1} << 47;
    constexpr std::int64_t kI32 = std::int64_t{1} << 31;
    return bias.largest.value_or(bias.type == tosa::DType::kI48 ? kI48 : kI32);
}

/// Takes the constants that were prepared in place of the operands.
void use_prepared(Problem& problem, const OperatorCall& call) {
    const PreparedLayout layout = prepared_layout(call);
    if (layout.bias) {
        problem.bias.prepared = true;
        problem.bias.address = call.prepared;
        problem.bias.part_stride = call.inputs[2].count();
    }
    if (layout.weights) {
        problem.weights.prepared = true;
        problem.weights.address = call.prepared + layout.weights_offset;
    }
}

}  // namespace

Problem convolution_problem(const OperatorCall& call) {
    const DeviceTensor& input = call.inputs[0];
    const DeviceTensor& weight = call.inputs[1];
    const DeviceTensor& bias = call.inputs[2];
    const DeviceTensor& output = call.outputs[0];
    Problem problem;
    problem.images = input.dims[0];
    problem.input_channels = input.dims[static_cast<std::size_t>(input.rank - 1)];
    problem.output_channels = output.dims[static_cast<std::size_t>(output.rank - 1)];
    problem.input = feature_maps(input);
    problem.output = feature_maps(output);
    problem.weights.address = weight.address;
    problem.weights.type = weight.type;
    problem.bias = {.present = true,
                    .address = bias.address,
                    .type = bias.type,
                    .stride = bias.dims[0] == 1 ? 0 : bias.strides[0],
                    .largest = largest_bias(bias)};
    problem.input_zero_point = zero_point(call.inputs[3]);
    problem.weight_zero_point = zero_point(call.inputs[4]);
    if (call.prepared != 0) use_prepared(problem, call);
    return problem;
}

void run_all(const OperatorCall& call, std::span<const Problem> problems) {
    const Epilogue epilogue = epilogue_of(call);
    bool violated = false;
    for (Problem problem : problems) {
        if (!call.followers.empty()) problem.epilogue = &epilogue;
        violated |= run(problem);
    }
    if (!violated) return;
    throw_unpredictable(call, "output", "some element",
                        "c >= minimum_s<acc_t>() && c <= maximum_s<acc_t>()");
}

}  // namespace okksim::kernels::conv
