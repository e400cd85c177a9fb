// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace okksim::tests {

/// Golden vectors of okk_bdc_add with one case: it adds two floats of lane 0, at bytes 0 and 64,
/// into byte 128. The blob okk_bdc_add.bin in the same folder holds the floats 1, 2 and 3.
inline nlohmann::json golden_addition() {
    using nlohmann::json;
    const auto region = [](int address, int offset, const char* role) {
        return json{{"space", "local"}, {"npu", 0},         {"npus", 1},   {"addr", address},
                    {"length", 4},      {"offset", offset}, {"role", role}};
    };
    json vectors{
        {"function", "okk_bdc_add"}, {"returns", "void"},
        {"params", json::array()},   {"fill", 0xCD},
        {"bin", "okk_bdc_add.bin"},  {"cases", {{{"id", "add-07"}, {"args", json::array()}}}}};
    const std::pair<const char*, const char*> parameters[] = {
        {"local_addr_t", "dst_addr"},   {"local_addr_t", "src0_addr"},
        {"local_addr_t", "src1_addr"},  {"const dim4 *", "shape"},
        {"const dim4 *", "dst_stride"}, {"const dim4 *", "src0_stride"},
        {"const dim4 *", "src1_stride"}};
    for (const auto& [type, name] : parameters) vectors["params"].push_back({type, name});
    json& the_case = vectors["cases"][0];
    // The strides of the API's default layout.
    the_case["args"] = {128, 0, 64, {1, 1, 1, 1}, nullptr, nullptr, nullptr};
    the_case["before"] = {region(0, 0, "src0"), region(64, 4, "src1")};
    the_case["after"] = {region(128, 8, "dst")};
    return vectors;
}

}  // namespace okksim::tests
