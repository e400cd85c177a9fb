// SPDX-License-Identifier: Apache-2.0
#include "sim/check/test_case.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/validate/validate.h"
#include "tests/support/catch.h"
#include "tests/support/golden_dir.h"

namespace okksim::sim::graph {
namespace {

FeatureSet features_of(const check::TestCase& test) {
    FeatureSet features = 0;
    const auto add = [&features](const std::string& name) {
        for (int i = 0; i < kFeatureCount; ++i) {
            // "tosa-ext-bf16" for EXT-BF16
            std::string spelt = "tosa-";
            for (const char c : feature_name(static_cast<Feature>(i))) {
                spelt += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
            }
            if (spelt == name) features |= FeatureSet{1} << i;
        }
    };
    for (const std::string& name : test.profiles) add(name);
    for (const std::string& name : test.extensions) add(name);
    return features;
}

TEST_CASE("golden graphs are accepted or refused as the vectors say", "[golden]") {
    const auto golden = tests::needed_golden_dir();
    if (!golden) return;
    for (const auto& folder : check::find_test_cases(*golden / "tosa")) {
        const check::TestCase test = check::load_test_case(folder);
        INFO(folder);
        const auto validate = [&test] {
            const Graph graph = load_graph(test.graph);
            ValidationOptions options;
            // Checks that the profiles and extensions named by the vector suffice for the graph.
            if (!test.profiles.empty()) options.features = features_of(test);
            // Loops of the vectors count in i32_t even with floating-point data, but name only the
            // profile of the data.
            if (test.op == "WHILE_LOOP") options.features |= feature_bit(Feature::kProInt);
            validate_graph(graph, options);
        };
        if (test.expects_rejection) {
            CHECK_THROWS(validate());
        } else {
            CHECK_NOTHROW(validate());
        }
    }
}

}  // namespace
}  // namespace okksim::sim::graph
