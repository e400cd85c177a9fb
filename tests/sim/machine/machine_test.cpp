// SPDX-License-Identifier: Apache-2.0
// Machine files: standard values, and sections [memory.NAME] that add system memories.
#include "sim/machine/machine.h"

#include "isa/base/errors.h"
#include "isa/base/temporary_folder.h"
#include "isa/features.h"
#include "models/bdc/bdc_params.h"
#include "models/chip/chip_params.h"
#include "models/chip/energy_params.h"
#include "models/chip/memory_params.h"
#include "models/gdma/gdma_params.h"
#include "models/mcu/mcu_params.h"
#include "tests/sim/trace/temporary_file.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using Catch::Contains;
using sim::load_machine;
using sim::Machine;

constexpr const char* kScratch = R"(base = "bm1684"

[memory.scratch]
start = 0x40000000                 # made up
bytes = 65536
read_bytes_per_nanosecond = 10
write_bytes_per_nanosecond = 5.0
read_latency_nanoseconds = 20
write_latency_nanoseconds = 30
burst_bytes = 32
)";

const sim::ParameterRecord* find(const Machine& machine, const std::string& path) {
    for (const sim::ParameterRecord& parameter : machine.parameters) {
        if (parameter.path == path) return &parameter;
    }
    return nullptr;
}

Machine load_text(const std::string& text) {
    const tests::TemporaryFile file(text, ".toml");
    return load_machine(file.path().string());
}

}  // namespace

TEST_CASE("a standard value needs no line and does not change what a machine is") {
    const Machine plain = load_machine("bm1684");
    const sim::ParameterRecord* engines = find(plain, "chip.compute_engines");
    REQUIRE(engines != nullptr);
    CHECK(engines->value == "1");
    CHECK(engines->is_standard);
    CHECK(load_machine("bm1684", {"chip.compute_engines=1"}).hash() == plain.hash());
    const Machine two = load_machine("bm1684", {"chip.compute_engines=2"});
    CHECK(two.params.chip->compute_engines == 2);
    CHECK(two.hash() != plain.hash());
    CHECK_THROWS_WITH(load_machine("bm1684", {"chip.compute_engines=0"}),
                      Contains("chip.compute_engines") && Contains("[1, 64]"));
}

TEST_CASE("figures of a technology are the reference machine's where a file gives none") {
    const Machine plain = load_machine("bm1684");
    const sim::ParameterRecord* leakage = find(plain, "energy.leakage_milliwatts_per_mm2");
    REQUIRE(leakage != nullptr);
    CHECK(leakage->is_standard);
    CHECK(plain.params.energy->leakage_milliwatts_per_mm2 > 0);
    // Equal values give the same machine, however they are set; another value gives another
    // machine.
    const std::string setting = leakage->path + "=" + leakage->value;
    CHECK(load_machine("bm1684", {setting}).hash() == plain.hash());
    const Machine other = load_machine("bm1684", {"energy.leakage_milliwatts_per_mm2=0"});
    CHECK(other.params.energy->leakage_milliwatts_per_mm2 == 0);
    CHECK(other.hash() != plain.hash());
    // A complete file with all other values of the reference machine.
    std::string text = sim::dump_machine(plain);
    text = text.substr(0, text.find("[energy]"));
    const Machine alone = load_text(text);
    CHECK(alone.hash() == plain.hash());
    CHECK(alone.params.energy->leakage_milliwatts_per_mm2 ==
          plain.params.energy->leakage_milliwatts_per_mm2);
    CHECK(find(alone, leakage->path)->source == leakage->source);
}

TEST_CASE("a section adds a memory") {
    const Machine machine = load_text(kScratch);
    REQUIRE(machine.params.memories->size() == 1);
    const models::NamedMemoryParams& scratch = machine.params.memories->front();
    CHECK(scratch.name == "scratch");
    CHECK(scratch.start == 0x40000000);
    CHECK(scratch.port.write_bytes_per_nanosecond == 5);
    const isa::MachineShape shape = machine.params.shape();
    CHECK(shape.in_one_memory(0x40000000, 65536));
    CHECK_FALSE(shape.in_one_memory(0x40000000, 65537));
    CHECK(machine.hash() != load_machine("bm1684").hash());
}

TEST_CASE("a machine with more memories is written and read again, and recorded as settings") {
    const Machine machine = load_text(kScratch);
    CHECK(load_text(dump_machine(machine)).hash() == machine.hash());
    std::vector<std::string> settings;
    for (const sim::ParameterRecord& parameter : machine.parameters) {
        settings.push_back(parameter.path + "=" + parameter.value);
    }
    CHECK(load_machine("bm1684", settings).hash() == machine.hash());
}

TEST_CASE("wrong memories are refused by section") {
    const std::string text = kScratch;
    CHECK_THROWS_WITH(load_text(text.substr(0, text.find("burst_bytes"))),
                      Contains("memory.scratch.burst_bytes") && Contains("is missing"));
    CHECK_THROWS_WITH(load_text(text + "rows = 3\n"),
                      Contains("memory.scratch.rows") && Contains("is not a parameter"));
    CHECK_THROWS_WITH(load_text("base = \"bm1684\"\n[memory]\nstart = 0\n"),
                      Contains("memory.start") && Contains("[memory.NAME]"));
    std::string overlapping = text;
    overlapping.replace(overlapping.find("0x40000000"), 10, "0x100A3000");
    CHECK_THROWS_WITH(load_text(overlapping), Contains("overlaps memory.scratch"));
}

TEST_CASE("every machine has the functions of the API reference") {
    CHECK_THROWS_WITH(load_machine("okk-next", {"features.base=false"}),
                      Contains("features.base") && Contains("set it to true"));
}

TEST_CASE("groups of instructions come with the groups that they need") {
    // fused_rescale scales sums on their way to memory, so it needs sums and scaling.
    CHECK_THROWS_WITH(
        load_machine("okk-next", {"features.requantise=false"}),
        Contains("features.fused_rescale") && Contains("true needs features.requantise"));
    CHECK_THROWS_WITH(
        load_machine("bm1684", {"features.fused_rescale=true"}),
        Contains("features.fused_rescale") && Contains("true needs features.int8_mac"));
    CHECK_NOTHROW(
        load_machine("okk-next", {"features.requantise=false", "features.fused_rescale=false"}));
    for (const isa::FeatureInfo& group : isa::kFeatures) {
        INFO(group.key);
        const bool is_base = group.feature == isa::Feature::kBase;
        CHECK(isa::has_feature(load_machine("bm1684").params.shape(), group.feature) == is_base);
        CHECK(isa::has_feature(load_machine("okk-next").params.shape(), group.feature));
    }
}

TEST_CASE("keys nested beyond reason are refused, not followed") {
    std::string parts = "a";
    for (int i = 0; i < 50000; ++i) parts += ".a";
    const std::string base = "base = \"bm1684\"\n";
    CHECK_THROWS_WITH(load_text(base + parts + " = 1\n"), Contains(":2") && Contains("too deep"));
    CHECK_THROWS_WITH(load_text(base + "[" + parts + "]\nx = 1\n"), Contains("too deep"));
    CHECK_THROWS_WITH(load_text(base + "[chip]\nlanes = {" + parts + " = 1}\n"),
                      Contains("too deep"));
    CHECK_THROWS_WITH(load_machine("bm1684", {"chip.lanes={" + parts + "=1}"}),
                      Contains("too deep"));
    const std::string open(50000, '['), close(50000, ']');
    CHECK_THROWS_AS(load_text(base + "[chip]\nlanes = " + open + close + "\n"), ConfigError);
    CHECK_THROWS_WITH(load_text(base + "#" + std::string(2 << 20, '.') + "\n"),
                      Contains("larger than 1048576 bytes"));
    CHECK_NOTHROW(load_text(base + "# a comment ... may have ........................ dots\n"));
    CHECK_THROWS_WITH(load_machine("/"), Contains("not a regular file"));
}

TEST_CASE("sizes may be given with a unit, where bytes are counted") {
    // 512 MiB = 536870912 bytes, 0.5 MiB = 524288.
    CHECK(load_machine("bm1684", {"global.bytes=512MiB"}).hash() ==
          load_machine("bm1684", {"global.bytes=536870912"}).hash());
    CHECK(load_machine("bm1684", {"chip.local_memory_bytes=0.5 MiB"})
              .params.chip->local_memory_bytes == 524288);
    CHECK(load_text("base = \"bm1684\"\n[chip]\nlocal_memory_bytes = \"256 KiB\"\n")
              .params.chip->local_memory_bytes == 262144);
    CHECK_THROWS_WITH(load_machine("bm1684", {"chip.lanes=64KiB"}), Contains("given in bytes"));
    CHECK(load_machine("bm1684", {"global.bytes=1024MB"}).params.global->bytes == 1024000000);
    CHECK(load_machine("bm1684", {"global.bytes=4.096 GB"}).params.global->bytes == 4096000000);
    CHECK(load_machine("bm1684", {"l2.bytes=4096kB"}).params.l2->bytes == 4096000);
    CHECK_THROWS_WITH(load_machine("bm1684", {"l2.bytes=4MBit"}), Contains("64KiB"));
    CHECK_THROWS_AS(load_machine("bm1684", {"global.bytes=0.3KiB"}), ConfigError);  // 307.2
    CHECK_THROWS_AS(load_machine("bm1684", {"global.bytes=-1KiB"}), ConfigError);
    CHECK_THROWS_AS(load_machine("bm1684", {"global.bytes=99999999999GiB"}), ConfigError);
}

TEST_CASE("an enumerated value is one of its words") {
    CHECK(load_machine("bm1684").params.mcu->issue == 0);
    CHECK(load_machine("bm1684", {"mcu.issue=lists"}).params.mcu->issue == 1);
    const Machine lists = load_text("base = \"bm1684\"\n[mcu]\nissue = \"lists\"\n");
    CHECK(lists.params.mcu->fetches_lists());
    // A dumped machine file reads back as the same machine.
    CHECK(load_text(dump_machine(lists)).hash() == lists.hash());
    CHECK(lists.hash() != load_machine("bm1684").hash());
    CHECK_THROWS_WITH(load_machine("bm1684", {"mcu.issue=list"}), Contains("calls lists"));
    CHECK_THROWS_WITH(load_machine("bm1684", {"mcu.issue=1"}), Contains("calls lists"));
    CHECK_THROWS_WITH(load_machine("bm1684", {"chip.lanes=many"}), Contains("must be a number"));
    CHECK_THROWS_WITH(load_machine("bm1684", {"compat.sdk_quirks=yes"}), Contains("true or false"));
}

TEST_CASE("what a group's unit does is a key of [features], and its former name is understood") {
    const Machine plain = load_machine("okk-next");
    const sim::ParameterRecord* multipliers = find(plain, "features.rescale_multipliers");
    REQUIRE(multipliers != nullptr);
    CHECK(multipliers->group == "requantise");
    CHECK(find(plain, "bdc.rescale_multipliers") == nullptr);
    const Machine today = load_machine("okk-next", {"features.rescale_multipliers=3"});
    CHECK(today.params.bdc->rescale_multipliers == 3);
    CHECK(load_machine("okk-next", {"bdc.rescale_multipliers=3"}).hash() == today.hash());
    const Machine moved = load_machine("okk-next", {"gdma.transpose_bytes_per_cycle=5"});
    CHECK(moved.params.gdma->transpose_bytes_per_cycle == 5);
    CHECK(load_machine("okk-next", {"bdc.int_packing=batch"}).hash() ==
          load_machine("okk-next", {"features.mac_packing=batch"}).hash());
    // Machine files follow the same rule; a value given twice there is an error.
    CHECK(load_text("base = \"okk-next\"\n[bdc]\nrescale_multipliers = 3\n").hash() ==
          today.hash());
    CHECK_THROWS_WITH(load_text("base = \"okk-next\"\n[bdc]\nrescale_multipliers = 3\n"
                                "[features]\nrescale_multipliers = 3\n"),
                      Contains("features.rescale_multipliers") && Contains("given twice"));
    CHECK(load_text(dump_machine(today)).hash() == today.hash());
    CHECK_THROWS_WITH(load_machine("okk-next", {"features.rescale_multipliers=0"}),
                      Contains("features.rescale_multipliers") && Contains("[1, 4096]"));
}

TEST_CASE("a refresh is shorter than the interval between two refreshes") {
    const auto refresh = [](const char* duration, const char* interval) {
        return load_machine("bm1684",
                            {std::string("dram.refresh_nanoseconds=") + duration,
                             std::string("dram.refresh_interval_nanoseconds=") + interval});
    };
    CHECK_NOTHROW(refresh("280", "281"));
    CHECK_NOTHROW(refresh("999", "1000"));
    CHECK_NOTHROW(refresh("0", "1"));
    for (const char* interval : {"100", "200", "280", "280.1"}) {
        CHECK_THROWS_WITH(refresh("280", interval),
                          Contains("dram.refresh_nanoseconds") &&
                              Contains("shorter than dram.refresh_interval_nanoseconds"));
    }
}

TEST_CASE("an error of a machine file names the file, one of a setting does not") {
    const TemporaryFolder folder;
    const std::string file = (folder.path() / "m.toml").string();
    std::ofstream(file) << "[chip]\nlanes = 8\n";
    CHECK_THROWS_WITH(load_machine(file), Contains("m.toml: ") && Contains("is missing"));
    std::ofstream(file) << "base = \"bm1684\"\n[global]\nreserved_bytes = 6\n";
    CHECK_THROWS_WITH(load_machine(file),
                      Contains("m.toml: global.reserved_bytes") && Contains("multiple of 4"));
    std::ofstream(file) << "base = \"bm1684\"\n";
    CHECK_THROWS_WITH(load_machine(file, {"global.reserved_bytes=6"}),
                      !Contains("m.toml") && Contains("global.reserved_bytes"));
}

TEST_CASE("a decimal comma is answered with its rule") {
    for (const char* comma : {"32,5", "0,5", "1,5e3", "-1,5", "1,5MiB", "1.000,5", ",5", " 32,5"}) {
        CAPTURE(comma);
        CHECK_THROWS_WITH(load_machine("bm1684", {std::string("bdc.clock_mhz=") + comma}),
                          Contains("--set bdc.clock_mhz=") && Contains("decimal point"));
    }
}

TEST_CASE("a key with a slip of the pen gets a suggestion") {
    CHECK_THROWS_WITH(load_machine("bm1684", {"bdc.clock_mzh=700"}),
                      Contains("did you mean \"bdc.clock_mhz\"?"));
    CHECK_THROWS_WITH(load_machine("bm1684", {"dma.colour=3"}),
                      !Contains("did you mean") && Contains("okksim machine --dump"));
}

TEST_CASE("local addresses reach 4 GiB, and host memory must be left") {
    // 256 lanes of 16 MiB are 4 GiB.
    CHECK_NOTHROW(load_machine("bm1684", {"chip.lanes=256", "chip.local_memory_bytes=16MiB"}));
    CHECK_THROWS_WITH(load_machine("bm1684", {"chip.lanes=257", "chip.local_memory_bytes=16MiB"}),
                      Contains("chip.local_memory_bytes") && Contains("4 GiB"));
    CHECK_THROWS_WITH(
        load_machine("bm1684", {"global.bytes=512MiB", "global.reserved_bytes=512MiB"}),
        Contains("global.reserved_bytes") && Contains("leaves nothing"));
    CHECK_NOTHROW(
        load_machine("bm1684", {"global.bytes=512MiB", "global.reserved_bytes=536870908"}));
    // The first tensor of a graph follows the reserved bytes; unless it is word aligned, every copy
    // of it would fault.
    for (const char* odd : {"global.reserved_bytes=1", "global.reserved_bytes=536870911"}) {
        CHECK_THROWS_WITH(load_machine("bm1684", {"global.bytes=512MiB", odd}),
                          Contains("global.reserved_bytes") && Contains("multiple of 4"));
    }
}
