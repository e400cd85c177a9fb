// SPDX-License-Identifier: Apache-2.0
// The neural-network commands against the golden vectors of their functions.
#include <functional>
#include <string>

#include "isa/layout.h"
#include "models/bdc/layers/convolution.h"
#include "models/bdc/layers/depthwise.h"
#include "models/bdc/layers/matmul.h"
#include "models/bdc/layers/max_pool.h"
#include "tests/support/catch.h"
#include "tests/support/golden_cases.h"
#include "tests/support/golden_dir.h"

namespace okksim::tests {
namespace {

const isa::MachineShape kMachine = okk_machine_shape();

using Execute = std::function<void(const OkkArguments&, models::LocalMemory&, models::LanePool&)>;

void run_golden(const std::string& name, const Execute& execute) {
    const auto dir = needed_golden_dir();
    if (!dir) return;
    const OkkFunction function = load_okk_function(*dir / "okk", name);
    REQUIRE(!function.cases.empty());
    models::LocalMemory memory(kMachine);
    models::LanePool pool(1);
    OkkMemoryCheck check(memory, nullptr, kMachine);
    for (const OkkCase& golden : function.cases) {
        if (golden.has_tag("doc_conflict") || golden.has_tag("out_of_range")) continue;
        check.load(function, golden);
        execute(golden.arguments(), memory, pool);
        INFO(golden.id);
        REQUIRE(check.compare(function, golden).value_or("") == "");
    }
}

isa::Dim4 aligned(isa::LocalAddr addr, const isa::Dim4& shape) {
    return isa::aligned_stride(addr, shape, 32, kMachine);
}

void convolution(const OkkArguments& a, models::LocalMemory& memory, models::LanePool& pool) {
    isa::Convolution o;
    o.output_addr = a.local(0);
    o.input_addr = a.local(1);
    o.weight_addr = a.local(2);
    o.bias_addr = a.local(3);
    o.input_shape = a.dim4(4).value();
    o.output_c = a.integer(5);
    o.kernel_h = a.integer(6);
    o.kernel_w = a.integer(7);
    o.input_stride = a.dim4(8).value_or(aligned(o.input_addr, o.input_shape));
    o.kernel_stride = a.dim4(9).value();
    o.using_bias = a.boolean(10) ? 1 : 0;
    o.result_add = a.boolean(11) ? 1 : 0;
    o.padding = a.padding(12).value_or(isa::Padding{});
    o.stride = a.dim2(13).value_or(isa::Dim2{1, 1});
    o.dilation = a.dim2(14).value_or(isa::Dim2{1, 1});
    models::execute_convolution(o, memory, pool);
}

void matmul(const OkkArguments& a, models::LocalMemory& memory, models::LanePool& pool) {
    isa::MatrixMultiply o;
    o.output_addr = a.local(0);
    o.left_addr = a.local(1);
    o.right_addr = a.local(2);
    o.bias_addr = a.local(3);
    o.left_rows = a.integer(4);
    o.left_cols = a.integer(5);
    o.right_cols = a.integer(6);
    o.left_cols_per_channel = a.integer(7);
    o.right_cols_per_channel = a.integer(8);
    o.using_bias = a.boolean(9) ? 1 : 0;
    o.result_add = a.boolean(10) ? 1 : 0;
    models::execute_matmul(o, memory, pool);
}

void depthwise(const OkkArguments& a, models::LocalMemory& memory, models::LanePool& pool) {
    isa::Depthwise o;
    o.output_addr = a.local(0);
    o.input_addr = a.local(1);
    o.weight_addr = a.local(2);
    o.bias_addr = a.local(3);
    o.input_shape = a.dim4(4).value();
    o.kernel_h = a.integer(5);
    o.kernel_w = a.integer(6);
    o.using_bias = a.boolean(7) ? 1 : 0;
    o.padding = a.padding(8).value_or(isa::Padding{});
    o.stride = a.dim2(9).value_or(isa::Dim2{1, 1});
    o.dilation = a.dim2(10).value_or(isa::Dim2{1, 1});
    models::execute_depthwise(o, memory, pool);
}

isa::Pool pool_operands(const OkkArguments& a) {
    isa::Pool o;
    o.output_addr = a.local(0);
    o.input_addr = a.local(1);
    o.input_shape = a.dim4(2).value();
    o.kernel_h = a.integer(3);
    o.kernel_w = a.integer(4);
    o.padding = a.padding(5).value_or(isa::Padding{});
    o.stride = a.dim2(6).value_or(isa::Dim2{1, 1});
    return o;
}

void average_pool(const OkkArguments& a, models::LocalMemory& memory, models::LanePool& pool) {
    models::execute_average_pool(pool_operands(a), memory, pool);
}

void max_pool(const OkkArguments& a, models::LocalMemory& memory, models::LanePool& pool) {
    models::execute_max_pool(pool_operands(a), memory, pool);
}

void scaled_pool(const OkkArguments& a, models::LocalMemory& memory, models::LanePool& pool) {
    isa::PoolScaled o;
    o.output_addr = a.local(0);
    o.input_addr = a.local(1);
    o.input_shape = a.dim4(2).value();
    o.scale = a.bits(3);
    o.kernel_h = a.integer(4);
    o.kernel_w = a.integer(5);
    o.padding = a.padding(6).value_or(isa::Padding{});
    o.stride = a.dim2(7).value_or(isa::Dim2{1, 1});
    models::execute_average_pool(o, memory, pool);
}

}  // namespace

TEST_CASE("golden depthwise2d", "[golden]") { run_golden("okk_bdc_depthwise2d", depthwise); }
TEST_CASE("golden avg_pool2d", "[golden]") { run_golden("okk_bdc_avg_pool2d", average_pool); }
TEST_CASE("golden avg_pool2d_v2", "[golden]") { run_golden("okk_bdc_avg_pool2d_v2", scaled_pool); }
TEST_CASE("golden max_pool2d", "[golden]") { run_golden("okk_bdc_max_pool2d", max_pool); }
TEST_CASE("golden conv2d", "[golden]") { run_golden("okk_bdc_conv2d", convolution); }
TEST_CASE("golden matmul", "[golden]") { run_golden("okk_bdc_matmul", matmul); }

}  // namespace okksim::tests
