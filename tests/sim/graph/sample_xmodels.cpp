// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/graph/sample_xmodels.h"

namespace okksim::tests {

using namespace sim::graph;

std::vector<std::vector<std::uint8_t>> sample_xmodels() {
    using xmodel::ElementKind;
    const std::vector<std::byte> weights(2 * 3 * 3 * 3, std::byte{1});
    std::vector<std::vector<std::uint8_t>> files;
    for (const ElementKind kind : {ElementKind::kInt, ElementKind::kFixed}) {
        const xmodel::ElementType type{kind, 8};
        XmodelWriter file;
        file.node("Input", "x", {}, {}, {type, {1, 3, 6, 6}, 4});
        file.constant("Const", "w", {type, {2, 3, 3, 3}, 3}, weights);
        file.node("Conv2d", "c", {{"input", {"x"}}, {"weights", {"w"}}},
                  {{"strides", Shape{2, 2}}, {"pad_mode", std::string("SAME")}},
                  {type, {1, 2, 3, 3}, 2});
        file.node("Pad", "p", {{"input", {"c"}}},
                  {{"pad_with", Shape{0, 0, 0, 0, 1, 2, 2, 1}}, {"mode", std::string("SYMMETRIC")}},
                  {type, {1, 2, 6, 6}, 2});
        file.node("Output", "out", {{"input", {"p"}}}, {}, {type, {1, 2, 6, 6}, 2});
        files.push_back(file.bytes());
    }
    XmodelWriter file;
    file.node("data", "x", {}, {}, {{ElementKind::kFloat, 32}, {1, 6, 6, 3}});
    file.node("avgpool2d", "a", {{"input", {"x"}}},
              {{"kernel", Shape{3, 3}}, {"stride", Shape{2, 2}}, {"pad_mode", std::string("CEIL")}},
              {{ElementKind::kFloat, 32}, {1, 3, 3, 3}});
    file.node("reduction_mean", "m", {{"input", {"a"}}}, {{"axis", Shape{1, 2}}},
              {{ElementKind::kFloat, 32}, {1, 3}});
    files.push_back(file.bytes());
    return files;
}

}  // namespace okksim::tests
