// SPDX-License-Identifier: Apache-2.0
// A network whose types the machine does not multiply is reported with a machine that does.
#include "sim/planning/emulated_types.h"

#include "sim/zoo/zoo.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::sim;

graph::Graph network(zoo::Precision precision) {
    zoo::ZooOptions options;
    options.precision = precision;
    return zoo::build_network("mobilenet_v2", options).graph;
}

}  // namespace

TEST_CASE("planning/types that the machine does not multiply are counted") {
    const graph::Graph graph = network(zoo::Precision::kInt8);
    const auto types = planning::emulated_types(graph, load_machine("bm1684"));
    REQUIRE(types.size() == 1);
    CHECK(types[0].type == tosa::DType::kI8);
    CHECK(types[0].missing == isa::Feature::kInt8Mac);
    // MobileNetV2: the first convolution, 16 that widen, 17 depthwise, 17 that narrow, the last one
    // and the classifier.
    CHECK(types[0].operators == 53);
    CHECK(planning::emulated_types(graph, load_machine("bm1684-int8")).empty());
    CHECK(planning::emulated_types(network(zoo::Precision::kFp32), load_machine("bm1684")).empty());
}

TEST_CASE("planning/the text names the flags of a machine with the instructions") {
    const auto text = [](zoo::Precision precision, const char* machine) {
        const Machine loaded = load_machine(machine);
        return planning::emulation_text(planning::emulated_types(network(precision), loaded),
                                        loaded);
    };
    CHECK(text(zoo::Precision::kInt8, "bm1684") ==
          "The machine bm1684 has no products of i8_t (features.int8_mac), and emulates 53 "
          "operators with fp32 instructions, which takes longer; use --machine bm1684-int8 --set "
          "mcu.issue=lists.\n");
    CHECK_THAT(text(zoo::Precision::kFp16, "bm1684"), Catch::Contains("--machine okk-next"));
    CHECK(text(zoo::Precision::kFp16, "okk-next").empty());
}
