// SPDX-License-Identifier: Apache-2.0
// Types, ranks and shapes that operators of .xmodel files accept.
#include <memory>

#include "isa/base/fault.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/graph_errors.h"
#include "sim/graph/validate/validate.h"
#include "tests/sim/graph/sample_xmodels.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

using Catch::Contains;
using namespace sim::graph;
using xmodel::ElementKind;
using xmodel::ElementType;

constexpr ElementType kFloat32{ElementKind::kFloat, 32};
constexpr ElementType kFloat64{ElementKind::kFloat, 64};

Graph read(const XmodelWriter& file) {
    const auto bytes = std::make_shared<const std::vector<std::uint8_t>>(file.bytes());
    Graph graph = read_graph(std::as_bytes(std::span(*bytes)), bytes, "net.xmodel", {});
    validate_graph(graph);
    return graph;
}

std::string refusal(const XmodelWriter& file) {
    try {
        read(file);
    } catch (const ProgramFault& fault) {
        return fault.what();
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("PRelu takes all integers, and inputs of any rank with channels", "[graph][xmodel]") {
    const auto prelu = [](const ElementType& type, const Shape& shape, const Shape& alpha) {
        XmodelWriter file;
        const std::uint64_t bytes = *element_count(alpha) * type.bytes();
        file.node("Input", "x", {}, {}, {type, shape});
        file.constant("Const", "a", {type, alpha}, std::vector<std::byte>(bytes, std::byte{1}));
        file.node("PRelu", "y", {{"input", {"x"}}, {"weight", {"a"}}}, {}, {type, shape});
        return refusal(file);
    };
    for (const int bits : {8, 16, 32, 64}) {
        for (const Shape& alpha : {Shape{1}, Shape{3}}) {
            CAPTURE(bits, alpha.size());
            const ElementType type{ElementKind::kInt, bits};
            CHECK(prelu(type, {2, 3}, alpha) == "accepted");
            CHECK(prelu(type, {2, 3, 5}, alpha) == "accepted");
            CHECK(prelu(type, {2, 3, 4, 5}, alpha) == "accepted");
        }
    }
    CHECK_THAT(prelu(kFloat32, {2, 3, 5}, {5}), Contains("one per channel, 3"));
    CHECK_THAT(prelu(kFloat32, {3}, {3}), Contains("channels"));
}

TEST_CASE("FLOAT64 values are compared, but not added", "[graph][xmodel]") {
    const auto one = [](const char* type, const XmodelAttributes& attributes, const Shape& result) {
        XmodelWriter file;
        file.node("Input", "x", {}, {}, {kFloat64, {1, 2, 4, 4}});
        file.node(type, "y", {{"input", {"x"}}}, attributes, {kFloat64, result});
        return refusal(file);
    };
    CHECK(one("Relu", {}, {1, 2, 4, 4}) == "accepted");
    CHECK(one("Relu6", {}, {1, 2, 4, 4}) == "accepted");
    const XmodelAttributes window{{"kernel_size", Shape{2, 2}}, {"strides", Shape{2, 2}}};
    CHECK(one("MaxPool", window, {1, 2, 2, 2}) == "accepted");
    CHECK_THAT(one("AvgPool", window, {1, 2, 2, 2}), Contains("FLOAT64 arithmetic"));
}

TEST_CASE("the shape of a single value is [] or [1]", "[graph][xmodel]") {
    const auto mean = [](const Shape& declared) {
        XmodelWriter file;
        file.node("Input", "x", {}, {}, {kFloat32, {2, 3}});
        file.node("Mean", "y", {{"input", {"x"}}}, {{"axis", Shape{0, 1}}}, {kFloat32, declared});
        return read(file).main().tensors.back().shape;
    };
    CHECK(mean({}).empty());
    CHECK(mean({1}) == Shape{1});
    CHECK_THROWS_WITH(mean({1, 1}), Contains("[1,1]"));
}

}  // namespace okksim::tests
