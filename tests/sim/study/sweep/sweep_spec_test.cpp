// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/sweep_spec.h"

#include "isa/base/errors.h"
#include "tests/sim/study/sweep/spec_text.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using sim::sweep::Axis;
using tests::spec_of;

std::vector<std::string> values_of(const std::string& axis) {
    const auto spec = spec_of("[[axis]]\n" + axis);
    std::vector<std::string> texts;
    for (const auto& value : spec.axes.at(0).values) texts.push_back(value.settings.at(0).second);
    return texts;
}

std::string refusal(const std::string& text) {
    try {
        (void)spec_of(text);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "";
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("values of axes: lists, factors, ranges, logarithms, words") {
    // bm1684 has 64 lanes and clocks of 550 MHz.
    CHECK(values_of("parameter = \"chip.lanes\"\nvalues = [16, \"x1\", \"x2\"]") ==
          Texts{"16", "64", "128"});
    CHECK(values_of("parameter = \"bdc.clock_mhz\"\nvalues = [\"x0.5\"]") == Texts{"275"});
    CHECK(values_of("parameter = \"bdc.clock_mhz\"\nrange = {from = 500, to = 700, step = 100}") ==
          Texts{"500", "600", "700"});
    CHECK(values_of("parameter = \"chip.local_memory_bytes\"\n"
                    "log = {from = \"256KiB\", to = \"1MiB\", factor = 2}") ==
          Texts{"262144", "524288", "1048576"});
    CHECK(values_of("parameter = \"bdc.clock_mhz\"\nlog = {from = 100, to = 400, count = 3}") ==
          Texts{"100", "200", "400"});
    CHECK(values_of("parameter = \"mcu.issue\"\nvalues = [\"calls\", \"lists\"]") ==
          Texts{"calls", "lists"});
    // Former names of parameters are accepted.
    CHECK(values_of("parameter = \"bdc.table_cycles\"\nvalues = [1, \"x1\"]") == Texts{"1", "24"});
    CHECK(values_of("parameter = \"features.table_cycles\"\nvalues = [\"x1\"]") == Texts{"24"});
}

TEST_CASE("an axis of a property of networks makes variants of networks of the zoo") {
    const std::string network = "[[workload]]\nzoo = \"mobilenet_v2\"\n[[axis]]\n";
    const auto spec = spec_of(network +
                              "parameter = \"zoo.batch\"\nvalues = [1, 4]\n"
                              "[[axis]]\nparameter = \"chip.lanes\"\nvalues = [16]");
    Texts names;
    for (const auto& workload : spec.workloads) names.push_back(workload.name);
    CHECK(names == Texts{"mobilenet_v2 batch=1", "mobilenet_v2 batch=4", "none"});
    CHECK(spec.axes.size() == 1);
    CHECK(refusal("[[axis]]\nparameter = \"zoo.batch\"\nvalues = [1]")
              .find("no workload has zoo = ") != std::string::npos);
    CHECK(refusal(network + "bundle = \"b\"\nvalues = [{\"zoo.batch\" = 1, \"chip.lanes\" = 16}]")
              .find("give each of them a separate axis") != std::string::npos);
    CHECK(refusal("mode = \"random\"\npoints = 3\n" + network +
                  "parameter = \"zoo.batch\"\nrange = {from = 1, to = 8}")
              .find("give a list: values = [...]") != std::string::npos);
}

TEST_CASE("a bundle sets several parameters at once") {
    const auto spec = spec_of(
        "[[axis]]\nbundle = \"node\"\n"
        "values = [{name = \"slow\", \"bdc.clock_mhz\" = 500, \"gdma.clock_mhz\" = \"x2\"}]");
    const auto& value = spec.axes.at(0).values.at(0);
    CHECK(value.text == "slow");
    CHECK(value.settings == std::vector<std::pair<std::string, std::string>>{
                                {"bdc.clock_mhz", "500"}, {"gdma.clock_mhz", "1150"}});
}

TEST_CASE("paths of a text that is in no file are relative to the folder that is told") {
    const auto spec =
        sim::sweep::read_sweep_text("[[workload]]\ntrace = \"runs/a.trace\"\n", "/data");
    CHECK(spec.name == "sweep");
    CHECK(spec.workloads.at(0).trace == "/data/runs/a.trace");
    CHECK(spec.folder == "/data");
}

TEST_CASE("metrics stand in the order of the file") {
    const auto spec = spec_of("[metrics]\nz = \"us\"\na = \"2 * z\"\n");
    CHECK(spec.metrics ==
          std::vector<std::pair<std::string, std::string>>{{"z", "us"}, {"a", "2 * z"}});
}

TEST_CASE("specifications that are wrong name file, line, key and rule") {
    const std::string axis = "[[axis]]\nparameter = \"chip.lanes\"\n";
    CHECK(refusal("[[axis]]\nparameter = \"chip.lane\"\nvalues = [1]").find("chip.lanes") !=
          std::string::npos);
    CHECK(refusal(axis + "values = []").find("is empty") != std::string::npos);
    CHECK(refusal(axis + "range = {from = 1, to = 2}").find("step") != std::string::npos);
    CHECK(refusal(axis + "range = {from = 2, to = 1, step = 1}").find("no range") !=
          std::string::npos);
    CHECK(refusal(axis + "values = [\"x0.3\"]").find("must be whole") != std::string::npos);
    CHECK(refusal(axis + "values = [1]\n" + axis + "values = [2]").find("two axes") !=
          std::string::npos);
    CHECK(refusal("modes = \"grid\"\n").find("mode") != std::string::npos);
    CHECK(refusal("mode = \"sobol\"\n").find("points") != std::string::npos);
    CHECK(refusal("points = 5\n").find("use the points of their axes") != std::string::npos);
    CHECK(refusal("[[workload]]\nzoo = \"lstm\"\ngraph = \"x\"\n").find("give one of") !=
          std::string::npos);
    CHECK(refusal("[[workload]]\ntrace = \"none.trace\"\n").find("two workloads have the name") !=
          std::string::npos);
    CHECK(refusal(axis + "values = [1]\nvalue = [2]").find("s.toml:4:1: axis.value") !=
          std::string::npos);
}

TEST_CASE("what stands in a cluster's script is a line of it, no more") {
    // The --slurm script runs with the user's rights: no text of the file may end a line in it.
    for (const char* key : {"partition", "time", "memory"}) {
        const std::string slurm = std::string("[slurm]\n") + key + " = ";
        CHECK(refusal(slurm + "\"a\\nrm x\"").find("is not in one line") != std::string::npos);
        CHECK(refusal(slurm + "\"a\"").empty());
    }
    CHECK(refusal("name = \"a\\nb\"").find("is not in one line") != std::string::npos);
}
