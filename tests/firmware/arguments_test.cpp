// SPDX-License-Identifier: Apache-2.0
// NULL arguments get their documented defaults; the vendor's deviations apply only when wanted.
#include <cstring>

#include "firmware/calls/context.h"
#include "firmware/calls/trusted_arguments.h"
#include "firmware/okk.h"
#include "isa/tensors.h"
#include "tests/firmware/recording_port.h"
#include "tests/support/catch.h"
#include "tests/support/small_machine.h"

namespace okksim::tests {

namespace {

using isa::Dim4;

constexpr unsigned int kLane = 65536;  // bytes of local memory of one NPU

struct Fixture {
    explicit Fixture(bool sdk_quirks = false) : context(port, options(sdk_quirks)) {}

    static firmware::ContextOptions options(bool sdk_quirks) {
        firmware::ContextOptions options;
        options.sdk_quirks = sdk_quirks;
        return options;
    }

    template <typename Form>
    Form last() const {
        return port.commands().back().as<Form>();
    }

    RecordingPort port{small_machine(4, kLane)};
    firmware::Context context;
    firmware::Context::Binding binding{context};
};

const system_addr_t kGlobal = 0x100000000;

}  // namespace

TEST_CASE("NULL strides of 32-bit tensors are the aligned layout of each tensor's start") {
    Fixture f;
    // 5 channels from NPU 0 of 4: two slots; the plane of 33 words is padded to 64.
    const dim4 shape{2, 5, 3, 11};
    okk_bdc_add(0, 4096, 8192, &shape, nullptr, nullptr, nullptr);
    const auto form = f.last<isa::VectorBinary>();
    CHECK(form.dst_stride == Dim4{128, 64, 11, 1});
    CHECK(form.src0_stride == Dim4{128, 64, 11, 1});
    CHECK(form.src1_stride == Dim4{128, 64, 11, 1});
    // Explicit strides are not changed.
    const dim4 zero{0, 0, 0, 0};
    okk_bdc_add(0, 4096, 8192, &shape, nullptr, &zero, nullptr);
    CHECK(f.last<isa::VectorBinary>().src0_stride == Dim4{0, 0, 0, 0});
    CHECK(f.last<isa::VectorBinary>().src1_stride == Dim4{128, 64, 11, 1});
}

TEST_CASE("NULL strides of copies: aligned by element width, continuous in system memory") {
    Fixture f;
    const dim4 shape{2, 5, 3, 11};
    okk_gdma_16bit_cpy_S2L(kLane * 3, kGlobal, &shape, nullptr, nullptr);
    const auto form = f.last<isa::GdmaCopyToLocal>();
    // From NPU 3, 5 channels take ceil(8 / 4) = 2 slots; 33 elements of 16 bits are padded to 64.
    CHECK(form.dst_stride == Dim4{128, 64, 11, 1});
    CHECK(form.src_stride == Dim4{165, 33, 11, 1});
    okk_gdma_8bit_cpy_L2S(kGlobal, 0, &shape, nullptr, nullptr);
    CHECK(f.last<isa::GdmaCopyToSystem>().dst_stride == Dim4{165, 33, 11, 1});
    CHECK(f.last<isa::GdmaCopyToSystem>().src_stride == Dim4{256, 128, 11, 1});
}

TEST_CASE("NULL strides of packed tensors count words of their own packing") {
    Fixture f;
    // 6 batch elements take 2 words of 4 for 8-bit sources and 3 words of 2 for the 16-bit result.
    // The strides are those of the word tensors, so only the batch shape differs.
    const dim4 shape{6, 5, 3, 11};
    okk_bdc_fixed_point_packed_add(0, 16384, 32768, &shape, nullptr, nullptr, nullptr,
                                   S8_OP_S8_TO_S16, 0);
    const auto form = f.last<isa::FixedBinary>();
    CHECK(form.shape == Dim4{6, 5, 3, 11});
    CHECK(form.dst_stride == Dim4{128, 64, 11, 1});
    CHECK(form.src0_stride == Dim4{128, 64, 11, 1});
}

TEST_CASE("convolution: no padding, steps of one, aligned input, compact 2IC weights") {
    Fixture f;
    const dim4 input{1, 3, 5, 7};
    okk_bdc_conv2d(0, 4096, 8192, 12288, &input, 9, 2, 3, nullptr, nullptr, false, false, nullptr,
                   nullptr, nullptr);
    const auto form = f.last<isa::Convolution>();
    CHECK(form.padding == isa::Padding{});
    CHECK(form.stride == isa::Dim2{1, 1});
    CHECK(form.dilation == isa::Dim2{1, 1});
    CHECK(form.input_stride == Dim4{64, 64, 7, 1});
    // Pairs: ceil(3 / 2) = 2 "batches" of 9 output channels on 4 NPUs (3 slots) of 2 * 3 pairs.
    CHECK(form.kernel_stride == Dim4{18, 6, 3, 1});
    const Padding padding{1, 2, 3, 4};
    const dim2 step{2, 3};
    okk_bdc_max_pool2d(0, 4096, &input, 2, 2, &padding, nullptr);
    CHECK(f.last<isa::Pool>().padding == isa::Padding{1, 2, 3, 4});
    CHECK(f.last<isa::Pool>().stride == isa::Dim2{1, 1});
    okk_bdc_max_pool2d(0, 4096, &input, 2, 2, nullptr, &step);
    CHECK(f.last<isa::Pool>().padding == isa::Padding{});
    CHECK(f.last<isa::Pool>().stride == isa::Dim2{2, 3});
}

TEST_CASE("the k-th stride operand belongs to the k-th tensor of every form") {
    Fixture f;
    for (const isa::InstructionInfo& row : isa::instructions()) {
        // These stride names differ from the names of their tensors.
        if (row.form == isa::Form::kConvolution || row.form == isa::Form::kHalfConvolution)
            continue;
        if (row.form == isa::Form::kIntRescale) continue;
        isa::Command command;
        command.opcode = row.opcode;
        command.words.fill(1);
        const isa::TensorViews views = isa::tensor_views(command, f.port.machine());
        int tensor = 0;
        for (const isa::OperandInfo& operand : row.operands()) {
            if (operand.kind != isa::OperandKind::kStride) continue;
            INFO(row.name << " " << operand.name);
            const std::string stride = operand.name;
            const std::string address = views[tensor++].operand;
            CHECK(stride.substr(0, stride.rfind('_')) == address.substr(0, address.rfind('_')));
        }
    }
}

TEST_CASE("a default layout beyond 32-bit strides is refused, not wrapped") {
    Fixture f;
    const dim4 shape{2, 4, 30000, 30000};
    try {
        okk_gdma_8bit_cpy_S2S(kGlobal, kGlobal, &shape, nullptr, nullptr);
        FAIL("no fault");
    } catch (const ProgramFault& fault) {
        CHECK(fault.record().function == "okk_gdma_8bit_cpy_S2S");
        CHECK(fault.record().argument == "dst_stride");
    }
}

TEST_CASE("nonsense shapes with NULL strides are faults") {
    Fixture f;
    for (const int bad : {0, -1, -2147483647 - 1, 2147483647}) {
        for (int member = 0; member < 4; ++member) {
            dim4 shape{1, 1, 1, 1};
            (member == 0 ? shape.n : member == 1 ? shape.c : member == 2 ? shape.h : shape.w) = bad;
            CHECK_THROWS_AS(okk_bdc_add(0, 0, 0, &shape, nullptr, nullptr, nullptr), ProgramFault);
            CHECK_THROWS_AS(okk_gdma_32bit_cpy_S2S(kGlobal, kGlobal, &shape, nullptr, nullptr),
                            ProgramFault);
            CHECK_THROWS_AS(okk_bdc_conv2d(0, 0, 0, 0, &shape, 1, 1, 1, nullptr, nullptr, false,
                                           false, nullptr, nullptr, nullptr),
                            ProgramFault);
        }
    }
    CHECK(f.port.commands().empty());
}

TEST_CASE("vendor's deviations are off by default") {
    const dim4 shape{2, 5, 3, 11};
    const dim4 wide{1000, 100, 20, 1};
    for (const bool quirks : {false, true}) {
        Fixture f(quirks);
        okk_bdc_32bit_cpy(0, 16384, &shape, &wide, nullptr);
        const Dim4 given{1000, 100, 20, 1};
        const Dim4 aligned{128, 64, 11, 1};
        CHECK(f.last<isa::VectorUnary>().dst_stride == (quirks ? aligned : given));
        CHECK(f.last<isa::VectorUnary>().src_stride == (quirks ? given : aligned));

        // 33 elements padded to 64 of 16 bits or 128 of 8 bits; as for 32 bits: to 64.
        okk_gdma_16bit_set_C_local(0, x16{}, &shape, nullptr);
        CHECK(f.last<isa::GdmaFillLocal>().dst_stride == Dim4{128, 64, 11, 1});
        okk_gdma_8bit_set_C_local(0, x8{}, &shape, nullptr);
        CHECK(f.last<isa::GdmaFillLocal>().dst_stride ==
              (quirks ? Dim4{128, 64, 11, 1} : Dim4{256, 128, 11, 1}));

        okk_bdc_fixed_point_packed_mac(0, 16384, 32768, &shape, nullptr, nullptr, nullptr, false,
                                       S8_OP_S8_TO_S16, 0, 0);
        CHECK(f.last<isa::FixedMac>().is_origin_dst_signed == (quirks ? 1u : 0u));
        okk_bdc_fixed_point_packed_mac_C(0, 16384, 1, &shape, nullptr, nullptr, false,
                                         S8_OP_S8_TO_S16, 0, 0);
        CHECK(f.last<isa::FixedMacConstant>().is_origin_dst_signed == (quirks ? 1u : 0u));
    }
}

TEST_CASE("a function that the machine has not is a fault that names group and parameter") {
    isa::MachineShape machine = small_machine(4, kLane);
    machine.features = 0;
    RecordingPort port{machine};
    firmware::Context context{port};
    const firmware::Context::Binding binding{context};
    const dim4 shape{1, 1, 1, 4};
    try {
        okk_bdc_add(0, 4096, 8192, &shape, nullptr, nullptr, nullptr);
        FAIL("the call was carried out");
    } catch (const ProgramFault& fault) {
        CHECK(fault.record().code == FaultCode::kUnsupported);
        CHECK(fault.record().function == "okk_bdc_add");
        CHECK(fault.record().argument == "features.base");
        CHECK(fault.record().value == "false");
    }
    CHECK(port.commands().empty());
}

TEST_CASE("trusted arguments are not looked at, but the machine must have the function") {
    const dim4 beyond{1, 1, 1, kLane};  // four times what a lane holds
    const auto add = [&] { okk_bdc_add(0, 0, 0, &beyond, nullptr, nullptr, nullptr); };
    Fixture f;
    CHECK_THROWS_AS(add(), ProgramFault);
    {
        const firmware::TrustedArguments trusted;
        CHECK_NOTHROW(add());
        { const firmware::TrustedArguments inner; }
        CHECK(firmware::TrustedArguments::in_force());
        isa::MachineShape machine = small_machine(4, kLane);
        machine.features = 0;
        RecordingPort port{machine};
        firmware::Context context{port};
        const firmware::Context::Binding binding{context};
        CHECK_THROWS_AS(add(), ProgramFault);
    }
    CHECK_THROWS_AS(add(), ProgramFault);
}

}  // namespace okksim::tests
