// SPDX-License-Identifier: Apache-2.0
// Damaged golden vectors of the okk functions are refused with file and case, and never used.
#include <fstream>
#include <nlohmann/json.hpp>

#include "isa/base/errors.h"
#include "isa/base/temporary_folder.h"
#include "sim/golden/golden_run.h"
#include "sim/golden/okk_golden.h"
#include "tests/support/catch.h"
#include "tests/support/golden_addition.h"

namespace okksim::sim::golden {
namespace {

using Catch::Contains;
using nlohmann::json;

/// Adds two floats of lane 0: 1 + 2 = 3 at bytes 0, 64 and 128. The blob holds 1.0, 2.0, 3.0.
class Vectors {
 public:
    Vectors() {
        const float values[] = {1, 2, 3};
        std::ofstream(folder.path() / "okk_bdc_add.bin", std::ios::binary)
            .write(reinterpret_cast<const char*>(values), sizeof values);
    }

    json& the_case() { return description["cases"][0]; }
    json& before() { return the_case()["before"][0]; }
    void save() const { std::ofstream(folder.path() / "okk_bdc_add.json") << description.dump(); }
    OkkFunction load() const {
        save();
        return load_okk_function(folder.path(), "okk_bdc_add");
    }
    std::vector<GoldenResult> run() const {
        save();
        GoldenOptions options;
        options.dir = folder.path();
        options.machine = okk_machine_shape();
        return run_golden(options, [](std::size_t, std::size_t) {});
    }

    json description = tests::golden_addition();
    TemporaryFolder folder;
};

}  // namespace

TEST_CASE("golden/sound vectors are run") {
    const Vectors vectors;
    const auto results = vectors.run();
    REQUIRE(results.size() == 1);
    INFO(results[0].detail);
    CHECK(results[0].status == GoldenStatus::kPassed);
}

TEST_CASE("golden/regions outside the lanes or the bytes are refused with file and case") {
    const std::pair<const char*, json> wrong[] = {
        {"npu", -1000},
        {"npu", 64},
        {"npu", 1.5},
        {"npus", 65},
        {"npus", 0},
        {"npus", -1},
        {"addr", -1},
        {"addr", INT64_MAX},
        {"addr", "0"},
        {"length", -4},
        {"length", 13},  // the blob has 12 bytes
        {"length", INT64_MAX},
        {"offset", 9},               // 9 + 4 > 12
        {"offset", UINT64_MAX - 2},  // plus 4 wraps to 2
        {"offset", -1},
        {"undefined_offset", 9},
        {"undefined_offset", UINT64_MAX - 2},
        {"space", "nowhere"},
    };
    for (const auto& [key, value] : wrong) {
        CAPTURE(key, value);
        Vectors vectors;
        vectors.before()[key] = value;
        CHECK_THROWS_AS(vectors.load(), ConfigError);
        CHECK_THROWS_WITH(vectors.load(), Contains("okk_bdc_add.json") && Contains("add-07"));
    }
    Vectors vectors;
    vectors.before()["npus"] = 64;
    vectors.before()["npu"] = 1;  // lanes 1 to 64, the last of 64 is 63
    CHECK_THROWS_WITH(vectors.load(), Contains("npus"));
}

TEST_CASE("golden/a region beyond a lane's memory or the system's fails its case") {
    Vectors vectors;
    vectors.before()["addr"] = 512 * 1024 - 3;  // four bytes of a lane of 512 KiB
    CHECK(vectors.run()[0].status == GoldenStatus::kFailed);
    vectors.before()["addr"] = 16 << 20;
    vectors.before()["space"] = "global";
    CHECK(vectors.run()[0].status == GoldenStatus::kFailed);
}

TEST_CASE("golden/a case that compares nothing has not passed") {
    Vectors vectors;
    json& after = vectors.the_case()["after"][0];
    SECTION("no bytes") { after["length"] = 0; }
    SECTION("none of a destination") { after["role"] = "src0"; }
    SECTION("no region") { vectors.the_case().erase("after"); }
    SECTION("all bytes left open") {
        // Bytes with mask value 1 are not compared.
        std::ofstream(vectors.folder.path() / "okk_bdc_add.bin", std::ios::binary)
            << std::string(12, '\1');
        after["undefined_offset"] = 0;
    }
    // A write outside all regions fails; a case that compares no bytes is skipped.
    const GoldenResult result = vectors.run().at(0);
    REQUIRE(result.status != GoldenStatus::kPassed);
    if (result.status == GoldenStatus::kSkipped) {
        CHECK_THAT(result.detail, Contains("compares nothing"));
    }
}

TEST_CASE("golden/a byte that is compared among open ones decides") {
    Vectors vectors;
    // Mask 1, 1, 1, 0: only the highest byte of 3.0 = 0x40400000 is compared, with that of 2.0.
    const std::string blob("\0\0\x80\x3F\0\0\0\x40\1\1\1\0", 12);
    std::ofstream(vectors.folder.path() / "okk_bdc_add.bin", std::ios::binary) << blob;
    json& after = vectors.the_case()["after"][0];
    after["offset"] = 4;
    after["undefined_offset"] = 8;
    CHECK(vectors.run().at(0).status == GoldenStatus::kPassed);
    after["offset"] = 0;  // 0x3F
    CHECK(vectors.run().at(0).status == GoldenStatus::kFailed);
}

TEST_CASE("golden/a call has as many arguments as its function") {
    for (const bool more : {false, true}) {
        Vectors vectors;
        json& arguments = vectors.the_case()["args"];
        more ? arguments.push_back(1) : arguments.erase(6);
        CHECK_THAT(vectors.run().at(0).detail, Contains("arguments and has 7"));
    }
}

TEST_CASE("golden/numbers are what they say, not their lowest bits") {
    constexpr std::int64_t kWraps = std::int64_t{1} << 32;  // and is 0 in 32 bits
    const json wrong[] = {kWraps + 128, -1, 128.0, "128", UINT64_MAX};
    for (const json& value : wrong) {
        CAPTURE(value);
        Vectors vectors;
        vectors.the_case()["args"][0] = value;
        const GoldenResult result = vectors.run().at(0);
        CHECK(result.status == GoldenStatus::kFailed);
        CHECK_THAT(result.detail, Contains("argument 0") && Contains("no whole number"));
    }
    const json shapes[] = {{kWraps + 1, 1, 1, 1}, {1.5, 1, 1, 1}, {1, 1, 1}, {1, 1, 1, 1, 1}};
    for (const json& shape : shapes) {
        CAPTURE(shape);
        Vectors vectors;
        vectors.the_case()["args"][3] = shape;
        CHECK_THAT(vectors.run().at(0).detail, Contains("dim4"));
    }
}

TEST_CASE("golden/a role or a type that nobody knows is refused, not left out") {
    Vectors vectors;
    vectors.the_case()["after"][0]["role"] = "work+dts";
    CHECK_THROWS_WITH(vectors.load(), Contains("unknown role 'dts'"));
    Vectors types;
    types.description["params"][0][0] = "local_adr_t";
    CHECK_THAT(types.run().at(0).detail, Contains("unknown type 'local_adr_t'"));
}

TEST_CASE("golden/files of no function, and bytes without a description, are counted") {
    const Vectors vectors;
    std::ofstream(vectors.folder.path() / "okk_bdc_ad.json") << "{}";
    std::ofstream(vectors.folder.path() / "okk_bdc_mul.bin") << "1234";
    const auto results = vectors.run();
    REQUIRE(results.size() == 3);
    CHECK(results[0].id == "okk_bdc_ad.json");
    CHECK(results[0].status == GoldenStatus::kSkipped);
    CHECK_THAT(results[0].detail, Contains("okk_bdc_add"));
    CHECK(results[1].id == "okk_bdc_mul.bin");
    CHECK(results[1].status == GoldenStatus::kSkipped);
    CHECK(results[2].status == GoldenStatus::kPassed);
}

TEST_CASE("golden/the blob lies beside its description") {
    // Differences are printed, so a description must not name arbitrary files and thereby reveal
    // their bytes.
    for (const char* name :
         {"../okk_bdc_add.bin", "/etc/passwd", "a/../okk_bdc_add.bin", "..", ""}) {
        CAPTURE(name);
        Vectors vectors;
        vectors.description["bin"] = name;
        CHECK_THROWS_WITH(vectors.load(), Contains("okk_bdc_add.json: bin") &&
                                              Contains("plain name of a file in the same folder"));
    }
}

TEST_CASE("golden/the blob has the size that its description states") {
    Vectors vectors;
    vectors.description["bin_size"] = 12;  // three floats
    CHECK(vectors.run().at(0).status == GoldenStatus::kPassed);
    vectors.description["bin_size"] = 13;
    CHECK_THROWS_WITH(vectors.load(), Contains("okk_bdc_add.bin") && Contains("12 bytes") &&
                                          Contains("\"bin_size\" is 13"));
    vectors.description["bin_size"] = "12";
    CHECK_THROWS_WITH(vectors.load(), Contains("bin_size") && Contains("no whole number"));
}

TEST_CASE("golden/messages name keys and types, not functions of a library") {
    Vectors missing;
    missing.the_case().erase("id");
    CHECK_THROWS_WITH(missing.load(),
                      Contains("the key 'id' is missing") && !Contains("json.exception"));
    Vectors type;
    type.the_case()["id"] = 3;
    CHECK_THROWS_WITH(type.load(), Contains("is of type number and must be of type string") &&
                                       !Contains("json.exception"));
    const Vectors syntax;
    std::ofstream(syntax.folder.path() / "okk_bdc_add.json") << "{\"function\": ";
    CHECK_THROWS_WITH(load_okk_function(syntax.folder.path(), "okk_bdc_add"),
                      Contains("it is no JSON at line 1") && !Contains("json.exception"));
}

TEST_CASE("golden/values that are nested without end are refused, not followed") {
    // Arguments are copied, and wrong ones are printed, level by level.
    const std::string deep = std::string(200000, '[') + std::string(200000, ']');
    const TemporaryFolder folder;
    std::string text = tests::golden_addition().dump();
    const std::size_t at = text.find("\"npu\":") + 6;
    REQUIRE(at > 6);
    std::ofstream(folder.path() / "okk_bdc_add.json")
        << text.substr(0, at) << deep << text.substr(text.find_first_of(",}", at));
    CHECK_THROWS_WITH(load_okk_function(folder.path(), "okk_bdc_add"),
                      Contains("okk_bdc_add.json") && Contains("nested"));
}

TEST_CASE("golden/damaged files are refused by name") {
    Vectors vectors;
    vectors.description["fill"] = 256;
    CHECK_THROWS_WITH(vectors.load(), Contains("okk_bdc_add.json") && Contains("fill"));
    vectors.description.erase("cases");
    CHECK_THROWS_WITH(vectors.load(), Contains("okk_bdc_add.json"));
    vectors.description["bin"] = "none.bin";
    vectors.description["fill"] = 1;
    CHECK_THROWS_WITH(vectors.load(), Contains("none.bin"));
    std::ofstream(vectors.folder.path() / "okk_bdc_add.json") << "{\"function\":";
    CHECK_THROWS_WITH(load_okk_function(vectors.folder.path(), "okk_bdc_add"),
                      Contains("okk_bdc_add.json"));
    CHECK_THROWS_AS(load_okk_function(vectors.folder.path(), "okk_bdc_sub"), ConfigError);
}

}  // namespace okksim::sim::golden
