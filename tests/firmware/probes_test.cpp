// SPDX-License-Identifier: Apache-2.0
// SEMANTICS.md 8: the outcome of each call with invalid arguments that was tried on the vendor's
// model. A call that aborts there is a fault here. A call that the model accepts with a meaning is
// executed, with a finding where the reference forbids it. A call that would corrupt other memory
// is a fault.
#include <functional>
#include <vector>

#include "firmware/calls/context.h"
#include "firmware/okk.h"
#include "firmware/watch/kernel_checks.h"
#include "sim/machine/machine.h"
#include "tests/firmware/recording_port.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

enum class Verdict : std::uint8_t { kFault, kTold, kFine };

struct Probe {
    const char* name;  ///< as in SEMANTICS.md
    Verdict verdict;
    std::function<void()> call;
};

constexpr local_addr_t kDst = 0x4000, kSrc0 = 0, kSrc1 = 0x2000, kWork = 0x6000;
constexpr local_addr_t kLane = 0x80000;
constexpr system_addr_t kGlobal = 0x105100000;

const dim4 kRow = {1, 2, 2, 8};
const dim4 kImage = {1, 2, 8, 8};

void neg(local_addr_t dst, local_addr_t src, const dim4& shape, const dim4* stride = nullptr) {
    okk_bdc_neg(dst, src, &shape, stride, stride);
}
void add(op_type_t type, int rshift) {
    okk_bdc_fixed_point_packed_add(kDst, kSrc0, kSrc1, &kRow, nullptr, nullptr, nullptr, type,
                                   rshift);
}
void mac(op_type_t type, int lshift) {
    okk_bdc_fixed_point_packed_mac(kDst, kSrc0, kSrc1, &kRow, nullptr, nullptr, nullptr, true, type,
                                   lshift, 0);
}
struct Conv {
    local_addr_t output = 0x10000, weight = kSrc1;
    dim4 input{1, 2, 8, 8};
    int kernel = 3;
    Padding padding{1, 1, 1, 1};
    dim2 stride{1, 1}, dilation{1, 1};
};
void conv(const Conv& it) {
    okk_bdc_conv2d(it.output, kSrc0, it.weight, 0, &it.input, 2, it.kernel, it.kernel, nullptr,
                   nullptr, false, false, &it.padding, &it.stride, &it.dilation);
}
void pool(bool average, int kernel, const Padding& padding, const dim2& stride) {
    (average ? okk_bdc_avg_pool2d : okk_bdc_max_pool2d)(kDst, kSrc0, &kImage, kernel, kernel,
                                                        &padding, &stride);
}
void load(local_addr_t dst, system_addr_t src, const dim4& shape, const dim4* dst_stride = nullptr,
          const dim4* src_stride = nullptr) {
    okk_gdma_32bit_cpy_S2L(dst, src, &shape, dst_stride, src_stride);
}

std::vector<Probe> vector_probes() {
    using enum Verdict;
    static const dim4 kCompact = {32, 16, 8, 1}, kBack = {32, 16, -8, 1}, kWide = {96, 48, 24, 3};
    return {
        {"shape n = 0", kFault,
         [] {
             neg(kDst, kSrc0, {0, 2, 2, 8});
         }},
        {"shape c = 0", kFault,
         [] {
             neg(kDst, kSrc0, {1, 0, 2, 8});
         }},
        {"shape w = 0", kFault,
         [] {
             neg(kDst, kSrc0, {1, 2, 2, 0});
         }},
        {"shape c = 4096", kTold,
         [] {
             neg(0x10000, kSrc0, {1, 4096, 1, 1});
         }},
        {"shape h = 65536", kTold,
         [] {
             neg(0x40000, kSrc0, {1, 1, 65536, 1});
         }},
        {"dst starts at NPU 1", kFault, [] { neg(kLane + kDst, kSrc0, kRow); }},
        {"src1 starts at NPU 2", kFault,
         [] { okk_bdc_add(kDst, kSrc0, 2 * kLane + kSrc1, &kRow, nullptr, nullptr, nullptr); }},
        {"dst address 2 mod 4", kFault, [] { neg(kDst + 2, kSrc0, kRow, &kCompact); }},
        {"dst address 4 mod 128 with NULL stride", kTold, [] { neg(kDst + 4, kSrc0, kRow); }},
        {"src address 4 mod 128 with NULL stride", kTold, [] { neg(kDst, kSrc0 + 4, kRow); }},
        {"tensor runs past 512 KiB", kFault,
         [] {
             neg(kLane - 128, kSrc0, {2, 2, 8, 8});
         }},
        {"address beyond NPU 63", kFault, [] { neg(64 * kLane, kSrc0, kRow); }},
        {"negative stride", kFine, [] { neg(kDst, kSrc0 + 0x100, kRow, &kBack); }},
        {"w stride 3 on dst", kFine, [] { neg(kDst, kSrc0, kRow, &kWide); }},
        {"sqrt with src at 4 mod 128", kFault, [] { okk_bdc_sqrt(kDst, kSrc0 + 4, &kRow); }},
        {"sqrt in place", kFine, [] { okk_bdc_sqrt(kDst, kDst, &kRow); }},
        {"taylor num_series = 0", kFault, [] { okk_bdc_taylor_exp(kDst, kSrc0, &kRow, 0); }},
        {"taylor num_series = 65", kFault, [] { okk_bdc_taylor_exp(kDst, kSrc0, &kRow, 65); }},
        {"exp with work = dst", kFault, [] { okk_bdc_exp(kDst, kSrc0, kDst, &kRow); }},
        {"exp with work = src", kFault, [] { okk_bdc_exp(kDst, kSrc0, kSrc0, &kRow); }},
        {"exp with dst = src", kTold, [] { okk_bdc_exp(kDst, kDst, kWork, &kRow); }},
        {"lookup_int32_to_fp32 with dst at another NPU", kFault,
         [] { okk_bdc_lookup_int32_to_fp32(kLane + kDst, kSrc0, &kRow); }},
    };
}

std::vector<Probe> fixed_point_probes() {
    using enum Verdict;
    return {
        {"rshift = 32", kFault, [] { add(U8_OP_U8_TO_U8, 32); }},
        {"rshift = -1", kFault, [] { add(U8_OP_U8_TO_U8, -1); }},
        {"packed add U8_OP_U8_TO_S8", kFault, [] { add(U8_OP_U8_TO_S8, 0); }},
        {"packed add U16_OP_U16_TO_S16", kFault, [] { add(U16_OP_U16_TO_S16, 0); }},
        {"packed sub U8_OP_U8_TO_U8", kFault,
         [] {
             okk_bdc_fixed_point_packed_sub(kDst, kSrc0, kSrc1, &kRow, nullptr, nullptr, nullptr,
                                            U8_OP_U8_TO_U8, 0);
         }},
        {"packed mul S16_OP_S16_TO_S16", kFault,
         [] {
             okk_bdc_fixed_point_packed_mul(kDst, kSrc0, kSrc1, &kRow, nullptr, nullptr, nullptr,
                                            S16_OP_S16_TO_S16, 0);
         }},
        {"packed max S8_OP_S8_TO_S16", kFault,
         [] {
             okk_bdc_fixed_point_packed_max(kDst, kSrc0, kSrc1, &kRow, nullptr, nullptr, nullptr,
                                            S8_OP_S8_TO_S16);
         }},
        {"packed mac S8_OP_S8_TO_S8", kFault, [] { mac(S8_OP_S8_TO_S8, 0); }},
        {"packed mac lshift = 32", kFault, [] { mac(S8_OP_S8_TO_S16, 32); }},
        {"mul_C with C = 200 for int8", kFault,
         [] {
             okk_bdc_fixed_point_packed_mul_C(kDst, kSrc0, 200, &kRow, nullptr, nullptr,
                                              S8_OP_S8_TO_S8, 0);
         }},
    };
}

std::vector<Probe> layer_probes() {
    using enum Verdict;
    return {
        {"conv padding 16", kTold,
         [] {
             conv({.padding = {16, 0, 0, 0}});
         }},
        {"conv stride 16", kTold,
         [] {
             conv({.stride = {16, 1}});
         }},
        {"conv dilation 16", kFault,
         [] {
             conv({.dilation = {16, 16}});
         }},
        {"conv kernel larger than padded input", kFault,
         [] {
             conv({.kernel = 9, .padding = {0, 0, 0, 0}});
         }},
        {"conv kernel_stride NULL", kFine, [] { conv({}); }},
        {"conv output 4 mod 128", kFault, [] { conv({.output = 0x10004}); }},
        {"conv weight at another NPU", kFault, [] { conv({.weight = kLane + kSrc1}); }},
        {"conv input h = 2048", kTold,
         [] {
             conv({.output = 0x40000, .input = {1, 1, 2048, 1}, .kernel = 1});
         }},
        {"conv stride 0", kFault,
         [] {
             conv({.stride = {0, 1}});
         }},
        {"matmul left_cols_per_channel 129", kTold,
         [] { okk_bdc_matmul(0x40000, kSrc0, 0x10000, 0, 1, 129, 1, 129, 1, false, false); }},
        {"matmul left_cols_per_channel > left_cols", kTold,
         [] { okk_bdc_matmul(0x40000, kSrc0, 0x10000, 0, 1, 2, 1, 4, 1, false, false); }},
        {"matmul right at another NPU", kFault,
         [] { okk_bdc_matmul(0x40000, kSrc0, kLane, 0, 1, 2, 1, 2, 1, false, false); }},
        {"matmul output 4 mod 128", kFault,
         [] { okk_bdc_matmul(0x40004, kSrc0, 0x10000, 0, 1, 2, 1, 2, 1, false, false); }},
        {"avg_pool padding 16", kTold,
         [] {
             pool(true, 2, {16, 0, 0, 0}, {1, 1});
         }},
        {"avg_pool padding >= kernel", kFine,
         [] {
             pool(true, 2, {2, 2, 2, 2}, {1, 1});
         }},
        {"max_pool padding >= kernel", kFine,
         [] {
             pool(false, 2, {2, 2, 2, 2}, {1, 1});
         }},
        {"avg_pool stride 16", kTold,
         [] {
             pool(true, 2, {0, 0, 0, 0}, {1, 16});
         }},
        {"pool kernel larger than input", kFault,
         [] {
             pool(false, 9, {0, 0, 0, 0}, {1, 1});
         }},
    };
}

std::vector<Probe> move_and_order_probes() {
    using enum Verdict;
    static const dim4 kWide = {64, 64, 16, 2};
    return {
        {"gdma dst w stride 2", kFault, [] { load(kDst, kGlobal, kRow, &kWide); }},
        {"gdma src w stride 2", kFault, [] { load(kDst, kGlobal, kRow, nullptr, &kWide); }},
        {"gdma system address 2 mod 4", kFault, [] { load(kDst, kGlobal + 2, kRow); }},
        {"gdma local address 2 mod 4", kFault, [] { load(kDst + 2, kGlobal, kRow, &kRow); }},
        {"gdma local address 4 mod 128, NULL stride", kTold, [] { load(kDst + 4, kGlobal, kRow); }},
        {"gdma runs past local memory", kFault,
         [] {
             load(kLane - 128, kGlobal, {2, 2, 8, 8});
         }},
        {"poll while parallel", kFault,
         [] {
             okk_parallel_start();
             okk_poll();
         }},
        {"parallel_start twice", kFault,
         [] {
             okk_parallel_start();
             okk_parallel_start();
         }},
        {"parallel_end without start", kFault, [] { okk_parallel_end(); }},
        {"start_npu_index of address >= 32 MiB", kFine,
         [] { CHECK(okk_start_npu_index(64 * kLane) == 64); }},
        {"channle_num with start_idx 64", kFine,
         [] { CHECK(okk_channle_num_per_npu(64, 1) == 2); }},
        {"channle_num with 0 channels", kFine, [] { CHECK(okk_channle_num_per_npu(1, 0) == 1); }},
    };
}

Verdict verdict_of(const Probe& probe, const sim::Machine& machine) {
    RecordingPort port(machine.params.shape());
    std::vector<Finding> findings;
    firmware::ContextOptions options;
    options.call_stacks = false;
    options.report = [&](Finding finding) { findings.push_back(std::move(finding)); };
    firmware::Context context(port, options);
    const firmware::Context::Binding binding(context);
    context.begin_launch();
    okk_initialize();
    try {
        probe.call();
    } catch (const ProgramFault&) {
        return Verdict::kFault;
    }
    return findings.empty() ? Verdict::kFine : Verdict::kTold;
}

}  // namespace

TEST_CASE("SEMANTICS 8: every call with invalid arguments is a fault, told of, or has a meaning") {
    const sim::Machine machine = sim::load_machine("bm1684");
    for (const auto& probes :
         {vector_probes(), fixed_point_probes(), layer_probes(), move_and_order_probes()}) {
        for (const Probe& probe : probes) {
            INFO(probe.name);
            CHECK(static_cast<int>(verdict_of(probe, machine)) == static_cast<int>(probe.verdict));
        }
    }
}

}  // namespace okksim::tests
