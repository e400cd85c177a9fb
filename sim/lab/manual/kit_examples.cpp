// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/manual/kit_examples.h"

#include <bit>

namespace okksim::sim::manual {

ApiExample kit_example(const ApiFunction& function) {
    constexpr std::int64_t kTensor = std::int64_t{1} << 32;
    constexpr std::int64_t kHalf = std::bit_cast<std::uint32_t>(0.5f);
    const isa::Dim4 shape{1, 64, 4, 8};
    ApiExample example;
    if (function.name.ends_with("_select")) {
        example.before =
            "    const dim4 shape = {1, 64, 4, 8};\n"
            "    fp32_or_addr_t first = {true, {0}}, half = {false, {0.5f}};\n"
            "    x32_or_addr_t second = {true, {{0}}}, zero = {false, {{0}}};\n"
            "    first.context.addr = FIRST;\n"
            "    second.context.addr = SECOND;\n";
        example.call = function.name + "(RESULT, &first, &half, &second, &zero, &shape);";
        example.values = {std::int64_t{0},     kTensor | kRoom, kHalf,
                          kTensor | 2 * kRoom, std::int64_t{0}, shape};
        example.fill = "real(0.5f)";
        return example;
    }
    const isa::Dim4 packed{4, 64, 4, 8};
    example.before = "    const dim4 shape = {4, 64, 4, 8};\n";
    example.call = function.name +
                   "(RESULT, FIRST, SECOND, THIRD, FOURTH, FOURTH + 4096, &shape, NULL, NULL,\n"
                   "                                                 NULL, NULL, NULL, NULL, 1);";
    for (const std::int64_t place : {0, 2, 4, 6, 8, 9}) {
        example.values.emplace_back(place * kRoom / 2);
    }
    example.values.emplace_back(packed);
    example.values.insert(example.values.end(), 6, nullptr);
    example.values.emplace_back(std::int64_t{1});
    example.fill = "bits(0x02020202)";
    return example;
}

}  // namespace okksim::sim::manual
