// SPDX-License-Identifier: Apache-2.0
// Functions of okk_features.h: defaults of their arguments, and machines that lack their group.
#include "isa/features.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "firmware/calls/call_by_name.h"
#include "firmware/calls/context.h"
#include "firmware/calls/trusted_arguments.h"
#include "firmware/okk_features.h"
#include "isa/base/errors.h"
#include "isa/rules.h"
#include "tests/firmware/recording_port.h"
#include "tests/support/catch.h"
#include "tests/support/small_machine.h"

namespace okksim::tests {
namespace {

using isa::Dim4;
using isa::Feature;

constexpr int kLane = 65536;
const dim4 kShape{2, 5, 3, 11};

isa::MachineShape machine_with(std::uint32_t features) {
    isa::MachineShape machine = small_machine(4, kLane);
    machine.features = features;
    return machine;
}

struct Fixture {
    explicit Fixture(std::uint32_t features = isa::kAllFeatures) : port(machine_with(features)) {}

    template <typename Form>
    Form last() const {
        return port.commands().back().as<Form>();
    }

    RecordingPort port;
    firmware::Context context{port};
    firmware::Context::Binding binding{context};
};

void convolution(bool rescales, okk_element_t type = OKK_INT8) {
    const okk_element_t sums = type == OKK_INT16 ? OKK_INT48 : OKK_INT32;
    okk_bdc_int_conv2d(0, 4096, 8192, 0, 12288, &kShape, 7, 1, 1, false, rescales, false, nullptr,
                       nullptr, nullptr, rescales ? OKK_INT8 : sums, type, 0, 0, 0, -128, 127,
                       false);
}

void half_convolution() {
    okk_bdc_half_conv2d(0, 4096, 8192, 0, &kShape, 7, 2, 3, nullptr, false, false, nullptr, nullptr,
                        nullptr, OKK_FP32, OKK_FP16);
}

/// One call for each group.
struct GroupCall {
    Feature group;
    okk_feature_t feature;
    const char* function;
    std::function<void()> call;
};
const std::vector<GroupCall>& group_calls() {
    static const std::vector<GroupCall> calls{
        {Feature::kBase, OKK_FEATURE_BASE, nullptr, {}},
        {Feature::kInt8Mac, OKK_FEATURE_INT8_MAC, "okk_bdc_int_conv2d", [] { convolution(false); }},
        {Feature::kRequantise, OKK_FEATURE_REQUANTISE, "okk_bdc_rescale_C",
         [] {
             okk_bdc_rescale_C(0, 4096, 5, 3, &kShape, nullptr, nullptr, OKK_INT8, OKK_INT32, 0, 0,
                               -128, 127, false);
         }},
        {Feature::kFusedRescale, OKK_FEATURE_FUSED_RESCALE, "okk_bdc_int_conv2d",
         [] { convolution(true); }},
        {Feature::kIntAlu, OKK_FEATURE_INT_ALU, "okk_bdc_int_add",
         [] {
             okk_bdc_int_add(0, 4096, 8192, &kShape, nullptr, nullptr, nullptr, OKK_INT32,
                             OKK_INT32, OKK_INT32, false);
         }},
        {Feature::kLookup, OKK_FEATURE_LOOKUP, "okk_bdc_lookup8",
         [] { okk_bdc_lookup8(0, 4096, 8192, &kShape, nullptr, nullptr, OKK_INT32, OKK_INT32); }},
        {Feature::kConvert, OKK_FEATURE_CONVERT, "okk_bdc_cast",
         [] { okk_bdc_cast(0, 4096, &kShape, nullptr, nullptr, OKK_FP16, OKK_INT32, false); }},
        {Feature::kDmaLayout, OKK_FEATURE_DMA_LAYOUT, "okk_gdma_transpose_L2L",
         [] { okk_gdma_transpose_L2L(0, 4096, &kShape, nullptr, nullptr, OKK_INT8); }},
        {Feature::kDmaIndex, OKK_FEATURE_DMA_INDEX, "okk_gdma_gather_S2S",
         [] {
             const std::uint64_t global = small_machine(1, kLane).global_start;
             okk_gdma_gather_S2S(global, global + 65536, global + 131072, &kShape, &kShape, nullptr,
                                 nullptr, nullptr, OKK_INT8);
         }},
        {Feature::kInt16Mac, OKK_FEATURE_INT16_MAC, "okk_bdc_int_conv2d",
         [] { convolution(false, OKK_INT16); }},
        {Feature::kHalfMac, OKK_FEATURE_HALF_MAC, "okk_bdc_half_conv2d",
         [] { half_convolution(); }},
    };
    return calls;
}

}  // namespace

TEST_CASE("a function of a group that the machine lacks is a fault that names the group") {
    REQUIRE(group_calls().size() == isa::kFeatures.size());
    for (const GroupCall& each : group_calls()) {
        if (!each.call) continue;
        const std::string key = isa::feature_info(each.group).key;
        INFO(key);
        Fixture all;
        CHECK_NOTHROW(each.call());
        CHECK(all.port.commands().size() == 1);
        // Trusted arguments are not checked, but the machine must have the function.
        for (const bool is_trusted : {false, true}) {
            Fixture lacking(isa::kAllFeatures & ~isa::feature_bit(each.group));
            std::optional<firmware::TrustedArguments> trusted;
            if (is_trusted) trusted.emplace();
            try {
                each.call();
                FAIL_CHECK("the call was carried out");
            } catch (const ProgramFault& fault) {
                CHECK(fault.record().code == FaultCode::kUnsupported);
                CHECK(fault.record().function == each.function);
                CHECK(fault.record().argument == "features." + key);
                CHECK(fault.record().value == "false");
            }
            CHECK(lacking.port.commands().empty());
        }
    }
}

TEST_CASE("kernels can ask which groups the machine has") {
    for (const GroupCall& each : group_calls()) {
        INFO(isa::feature_info(each.group).key);
        Fixture with(isa::feature_bit(each.group));
        for (const GroupCall& other : group_calls()) {
            CHECK(okk_has_feature(other.feature) == (other.group == each.group));
        }
        CHECK_FALSE(okk_has_feature(static_cast<okk_feature_t>(isa::kFeatures.size())));
    }
}

TEST_CASE("NULL strides are the aligned layout of each tensor's element type") {
    Fixture f;
    // 5 channels from lane 0 of 4 take two slots. 33 elements are padded to 128 bytes: 128 elements
    // of 8 bits, 64 of 16 or 32 bits. 64-bit elements are padded to 48, three times 16.
    okk_bdc_int_add(0, 4096, 8192, &kShape, nullptr, nullptr, nullptr, OKK_INT8, OKK_UINT16,
                    OKK_INT32, false);
    const auto sum = f.last<isa::IntBinary>();
    CHECK(sum.dst_stride == Dim4{256, 128, 11, 1});
    CHECK(sum.src0_stride == Dim4{128, 64, 11, 1});
    CHECK(sum.src1_stride == Dim4{128, 64, 11, 1});
    okk_bdc_rescale(0, 4096, 8192, 16384, &kShape, nullptr, nullptr, nullptr, OKK_INT8, OKK_INT48,
                    0, 0, -128, 127, false);
    const auto scaled = f.last<isa::IntRescale>();
    CHECK(scaled.src_stride == Dim4{96, 48, 11, 1});
    CHECK(scaled.factor_stride == Dim4{128, 64, 11, 1});
}

TEST_CASE("NULL strides of weights of 16 bits are the compact layout of units of four channels") {
    Fixture f;
    half_convolution();
    // 7 output channels from lane 0 of 4 take two slots of 2 x 3 units.
    CHECK(f.last<isa::HalfConvolution>().kernel_stride == Dim4{12, 6, 3, 1});
}

TEST_CASE("NULL strides in system memory are the continuous layout") {
    Fixture f;
    const std::uint64_t global = f.port.machine().global_start;
    okk_gdma_transpose_S2L(0, global, &kShape, nullptr, nullptr, OKK_INT16);
    const auto load = f.last<isa::GdmaTransposeToLocal>();
    // 33 elements of 16 bits are padded to 128 bytes, 64 elements; 5 channels from lane 0 take two
    // slots.
    CHECK(load.dst_stride == Dim4{128, 64, 11, 1});
    CHECK(load.src_stride == Dim4{165, 33, 11, 1});
}

TEST_CASE("NULL windows have no padding and go from pixel to pixel") {
    Fixture f;
    convolution(false);
    const auto sums = f.last<isa::IntConvolution>();
    CHECK(sums.padding == isa::Padding{});
    CHECK(sums.stride == isa::Dim2{1, 1});
    CHECK(sums.dilation == isa::Dim2{1, 1});
}

TEST_CASE("a broken rule of a group's function names function and argument") {
    Fixture f;
    try {
        okk_bdc_int_add(0, 4096, 8192, &kShape, nullptr, nullptr, nullptr, OKK_INT48, OKK_INT32,
                        OKK_INT32, false);
        FAIL("the call was carried out");
    } catch (const ProgramFault& fault) {
        CHECK(fault.record().function == "okk_bdc_int_add");
        CHECK(fault.record().argument == "dst_type");
        CHECK(fault.record().value == "OKK_INT48");
    }
}

TEST_CASE("functions of the kit work on every machine, and so do their commands") {
    Fixture f(isa::feature_bit(Feature::kBase));
    constexpr std::int64_t kTensor = std::int64_t{1} << 32;
    const isa::Dim4 shape{2, 5, 3, 11};
    // Two tensors, a tensor and a number, a number and a tensor, two numbers are selected.
    for (const std::int64_t first : {kTensor | 4096, std::int64_t{7}}) {
        for (const std::int64_t second : {kTensor | 8192, std::int64_t{9}}) {
            for (const char* name : {"okk_bdc_greater_select", "okk_bdc_equal_select"}) {
                firmware::call_function(name, {std::int64_t{0}, kTensor | 12288, kTensor | 16384,
                                               first, second, shape});
            }
        }
    }
    firmware::call_function(
        "okk_bdc_fixed_point_packed_s16_mul_u8_to_s16",
        {std::int64_t{0}, std::int64_t{4096}, std::int64_t{8192}, std::int64_t{12288},
         std::int64_t{16384}, std::int64_t{20480}, shape, nullptr, nullptr, nullptr, nullptr,
         nullptr, nullptr, std::int64_t{3}});
    // 2 * (2 + 3 + 2 + 2) commands of selections and 4 of the product.
    CHECK(f.port.commands().size() == 22);
    for (const isa::Command& command : f.port.commands()) {
        INFO(command.info().name);
        CHECK_FALSE(isa::check(command, f.port.machine(), false));
    }
    for (const char* name : {"okk_enable_check_id_node", "okk_disable_check_id_node"}) {
        CHECK_NOTHROW(firmware::call_function(name, {}));
    }
    for (const char* name : {"okk_set_id_node", "okk_get_id_node"}) {
        CHECK_NOTHROW(firmware::call_function(name, {nullptr}));
    }
    CHECK(firmware::call_function("okk_eu_num", {}).returned == 32);
    CHECK_THROWS_WITH(firmware::call_function("okk_dtcm_addr", {std::int64_t{0}}),
                      "okk.h has no function okk_dtcm_addr that can be called by name");
}

}  // namespace okksim::tests
