// SPDX-License-Identifier: Apache-2.0
// A finding tells when the vendor's kit gives another result than the API reference, and only then.
#include "firmware/calls/context.h"
#include "firmware/okk.h"
#include "tests/firmware/recording_port.h"
#include "tests/support/catch.h"
#include "tests/support/small_machine.h"

namespace okksim::tests {

namespace {

struct Reporting {
    explicit Reporting(bool sdk_quirks = false) : context(port, options(sdk_quirks)) {
        context.begin_launch();
        okk_initialize();
    }
    firmware::ContextOptions options(bool sdk_quirks) {
        firmware::ContextOptions options;
        options.sdk_quirks = sdk_quirks;
        options.report = [this](Finding finding) { findings.push_back(std::move(finding)); };
        return options;
    }
    /// Number of findings of the call.
    template <typename Call>
    std::size_t told(const Call& call) {
        context.begin_launch();
        okk_initialize();
        findings.clear();
        call();
        for (const Finding& finding : findings) CHECK(finding.kind == FindingKind::kVendor);
        return findings.size();
    }

    std::vector<Finding> findings;
    RecordingPort port{small_machine(4, 65536)};
    firmware::Context context;
    firmware::Context::Binding binding{context};
};

}  // namespace

TEST_CASE("a deviation of the kit is told once per launch, with function and parameter") {
    for (const bool quirks : {false, true}) {
        Reporting f(quirks);
        const dim4 shape{2, 1, 1, 1};
        const auto twice = [&] {
            okk_gdma_8bit_set_C_local(0, x8{}, &shape, nullptr);
            okk_gdma_8bit_set_C_local(0, x8{}, &shape, nullptr);
        };
        REQUIRE(f.told(twice) == 1);
        CHECK_FALSE(is_mistake(f.findings[0]));
        CHECK(finding_kind_name(f.findings[0].kind) == "vendor");
        const std::string message = f.findings[0].message;
        CHECK_THAT(message, Catch::Contains("okk_gdma_8bit_set_C_local: the vendor's kit takes "
                                            "the layout of 32-bit elements"));
        CHECK_THAT(message, Catch::Contains(quirks ? "compat.sdk_quirks = false"
                                                   : "compat.sdk_quirks = true"));
        CHECK(f.told(twice) == 1);  // in the next launch again
    }
}

TEST_CASE("fills deviate where their layouts differ") {
    Reporting f;
    const auto fill = [&](const dim4& shape, const dim4* stride, bool bytes) {
        return f.told([&] {
            if (bytes) {
                okk_gdma_8bit_set_C_local(0, x8{}, &shape, stride);
            } else {
                okk_gdma_16bit_set_C_local(0, x16{}, &shape, stride);
            }
        });
    };
    const dim4 close{1, 1, 1, 1};
    CHECK(fill({1, 4, 1, 1}, nullptr, true) == 0);    // one slot in each of 4 lanes
    CHECK(fill({1, 5, 1, 1}, nullptr, true) == 1);    // two slots in lane 0
    CHECK(fill({2, 4, 1, 1}, &close, true) == 0);     // strides are given
    CHECK(fill({2, 1, 1, 128}, nullptr, true) == 0);  // 128 elements in both layouts
    CHECK(fill({2, 1, 1, 96}, nullptr, true) == 1);   // 96 of 32 bits, padded to 128 of 8 bits
    CHECK(fill({2, 1, 1, 33}, nullptr, false) == 0);  // 64 elements in both layouts
    CHECK(fill({2, 1, 1, 65}, nullptr, false) == 1);  // 96 or 128
}

TEST_CASE("copies deviate where their strides differ in a dimension that counts") {
    Reporting f;
    const auto copy = [&](const dim4& shape, const dim4* dst, const dim4* src) {
        return f.told([&] { okk_bdc_32bit_cpy(0, 16384, &shape, dst, src); });
    };
    const dim4 aligned{32, 32, 2, 1};
    const dim4 wide{64, 64, 4, 1};
    CHECK(copy({2, 1, 2, 2}, nullptr, nullptr) == 0);
    CHECK(copy({2, 1, 2, 2}, &wide, &wide) == 0);
    CHECK(copy({2, 1, 2, 2}, &wide, nullptr) == 1);
    CHECK(copy({2, 1, 2, 2}, nullptr, &wide) == 1);
    CHECK(copy({2, 1, 2, 2}, &aligned, nullptr) == 0);  // it is the default layout
    CHECK(copy({1, 4, 1, 2}, &wide, nullptr) == 0);     // only w counts, with stride 1 in both
    CHECK(copy({1, 5, 1, 2}, &wide, nullptr) == 1);     // two slots
    CHECK(f.told([] {}) == 0);
}

TEST_CASE("multiply-adds deviate where the sign of the old result counts") {
    Reporting f;
    const dim4 shape{1, 1, 1, 1};
    const auto mac = [&](bool is_signed, op_type_t type, int lshift) {
        return f.told([&] {
            okk_bdc_fixed_point_packed_mac_C(0, 16384, 1, &shape, nullptr, nullptr, is_signed, type,
                                             lshift, 0);
        });
    };
    CHECK(mac(true, S8_OP_S8_TO_S16, 0) == 0);
    CHECK(mac(false, U8_OP_U8_TO_U16, 0) == 0);
    CHECK(mac(false, S8_OP_S8_TO_S16, 0) == 1);
    CHECK(mac(false, S8_OP_S8_TO_S16, 15) == 1);
    CHECK(mac(false, S8_OP_S8_TO_S16, 16) == 0);  // 16 bits shifted by 16 keep no sign
    CHECK(f.told([&] {
        okk_bdc_fixed_point_packed_mac(0, 16384, 32768, &shape, nullptr, nullptr, nullptr, false,
                                       S8_OP_U8_TO_S16, 0, 0);
    }) == 1);
}

}  // namespace okksim::tests
