// SPDX-License-Identifier: Apache-2.0
// Shapes of inputs that a file leaves open, as the readers of .onnx and .tflite files bind them.
#include "sim/graph/open_dimensions.h"

#include <map>

#include "isa/base/errors.h"
#include "tests/support/catch.h"

namespace okksim::sim::graph {
namespace {

using Catch::Contains;

struct Bound {
    std::vector<Shape> shapes;
    std::vector<std::string> warnings;
};

Bound bind(const std::vector<DeclaredInput>& inputs, const std::map<std::string, Shape>& given) {
    ReadOptions options;
    for (const auto& [name, shape] : given) options.given_inputs.push_back(name);
    options.input_shape = [&given](const std::string& name) -> std::optional<Shape> {
        const auto shape = given.find(name);
        if (shape == given.end()) return std::nullopt;
        return shape->second;
    };
    Bound bound;
    bound.shapes = bind_input_shapes(inputs, options, bound.warnings);
    return bound;
}

constexpr std::int64_t kOpen = kOpenDimension;

TEST_CASE("a given shape binds open dimensions, and a complete shape needs none") {
    const Bound bound = bind({{"x", {kOpen, 3, kOpen}, {"batch", "", "width"}}, {"y", {4}, {}}},
                             {{"x", {2, 3, 9}}});
    CHECK(bound.shapes == std::vector<Shape>{{2, 3, 9}, {4}});
    CHECK(bound.warnings.empty());
    DeclaredInput unranked{"x", {}, {}};
    unranked.has_rank = false;
    CHECK(bind({unranked}, {{"x", {7, 7}}}).shapes == std::vector<Shape>{{7, 7}});
}

TEST_CASE("a dimension name has one size in all inputs") {
    const Bound bound = bind({{"mask", {kOpen, kOpen}, {"batch", "tokens"}},
                              {"ids", {kOpen, kOpen}, {"batch", "tokens"}}},
                             {{"ids", {2, 16}}});
    CHECK(bound.shapes == std::vector<Shape>{{2, 16}, {2, 16}});
    CHECK(bound.warnings.empty());
}

TEST_CASE("an open batch that nobody binds is 1, with a note") {
    for (const char* name : {"", "N", "n", "batch", "batch_size", "DynamicBatch", "unk__314",
                             "p2o.DynamicDimension.0", "dim_0", "?"}) {
        const Bound bound = bind({{"x", {kOpen, 3}, {name}}}, {});
        CHECK(bound.shapes == std::vector<Shape>{{1, 3}});
        REQUIRE(bound.warnings.size() == 1);
        CHECK_THAT(bound.warnings[0], Contains("input x is [1,3]") && Contains("--shape x=SHAPE"));
    }
}

TEST_CASE("an open dimension that is no batch needs a size") {
    CHECK_THROWS_WITH(bind({{"x", {kOpen, 3, kOpen}, {"batch", "", "width"}}}, {}),
                      Contains("input x: the file leaves dimension 2 open ([batch,3,width])") &&
                          Contains("--shape x=SHAPE, such as 1x3x224"));
    // Without a name, only the first dimension looks like a batch.
    CHECK_THROWS_AS(bind({{"x", {3, kOpen}, {}}}, {}), ConfigError);
    DeclaredInput unranked{"x", {}, {}};
    unranked.has_rank = false;
    CHECK_THROWS_WITH(bind({unranked}, {}), Contains("gives no rank"));
    // The given shape has a misspelt name.
    CHECK_THROWS_WITH(bind({{"pixels", {3, kOpen}, {}}}, {{"pixel", {3, 4}}}),
                      Contains("did you mean \"pixels\""));
}

TEST_CASE("a given shape cannot change a dimension of the file") {
    CHECK_THROWS_WITH(bind({{"x", {kOpen, 3}, {}}}, {{"x", {2, 4}}}),
                      Contains("[2,4] does not fit the model's input, [?,3]") &&
                          Contains("only open dimensions can change"));
    CHECK_THROWS_WITH(bind({{"x", {kOpen, 3}, {}}}, {{"x", {2, 3, 1}}}),
                      Contains("give a size for each of its dimensions"));
}

}  // namespace
}  // namespace okksim::sim::graph
