// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/common/parameter.h"

namespace okksim::models {

/// Use of the 8-bit products that an execution unit computes at a time.
enum class IntPacking : std::int64_t {
    kBatch,   ///< one pixel position of several images
    kPixels,  ///< several pixels of one image
    kEither,  ///< for each command the faster of the two
};

/// Compute engine: clock, array dimensions and constants of the cost formulas (bdc_timing.h).
struct BdcParams {
    double clock_mhz = 0;
    std::int64_t execution_units = 0;
    std::int64_t startup_cycles = 0;
    std::int64_t broadcast_cycles = 0;
    double bank_conflict_cycles = 0;
    std::int64_t copy_cycles = 0;
    std::int64_t constant_cycles = 0;
    std::int64_t tensor_cycles = 0;
    std::int64_t mac_cycles = 0;
    std::int64_t divide_cycles = 0;
    std::int64_t linear_cycles = 0;
    std::int64_t convert_cycles = 0;
    std::int64_t square_root_cycles = 0;
    std::int64_t series_cycles_per_term = 0;
    std::int64_t series_cycles = 0;
    std::int64_t lookup_cycles = 0;
    std::int64_t fixed_add_cycles = 0;
    std::int64_t fixed_mul_cycles = 0;
    std::int64_t fixed_wide_mul_cycles = 0;
    std::int64_t fixed_mac_cycles = 0;
    std::int64_t fixed_max_cycles = 0;
    std::int64_t fixed_min_cycles = 0;
    std::int64_t fixed_shift_cycles = 0;
    double matmul_term_cycles = 0;
    std::int64_t matmul_row_cycles = 0;
    std::int64_t convolution_channels_per_cycle = 0;
    std::int64_t convolution_group_cycles = 0;
    double convolution_bank_share = 0;
    double convolution_fetch_channels = 1;
    double convolution_fetch_cycles = 0;
    double convolution_fetch_cycles_per_stride = 0;
    double depthwise_factor = 1;
    std::int64_t depthwise_group_cycles = 0;
    // Instruction groups beyond the API reference.
    std::int64_t compare_cycles = 0;
    std::int64_t select_cycles = 0;
    std::int64_t rescale_cycles = 0;
    std::int64_t rescale_multipliers = 0;
    std::int64_t table_cycles = 0;
    std::int64_t mac_packing = 0;  ///< an IntPacking
    std::int64_t int_products = 0;
    std::int64_t int_convolution_group_cycles = 0;
    double int_fetch_cycles = 0;
    double int_depthwise_factor = 0;
    std::int64_t int_depthwise_group_cycles = 0;
    std::int64_t half_products = 0;
};

/// Describes the parameters of instruction groups beyond the API reference. They are keys of the
/// section [features], as are the switches of the groups.
template <typename Params, typename Visitor>
void describe_group_units(Params& p, Visitor&& v) {
    const auto of = [](const char* group, const char* former_path, ParameterInfo info) {
        info.group = group;
        info.former_path = former_path;
        return info;
    };
    v(p.compare_cycles, "compare_cycles",
      of("int_alu", "bdc.compare_cycles",
         ParameterInfo{"cycles", 0, 1e6, "per step of a comparison of integers (int_alu)", 1}));
    v(p.select_cycles, "select_cycles",
      of("int_alu", "bdc.select_cycles",
         ParameterInfo{"cycles", 0, 1e6, "per step of a selection by integers (int_alu)", 2}));
    v(p.rescale_cycles, "rescale_cycles",
      of("requantise", "bdc.rescale_cycles",
         ParameterInfo{"cycles", 0, 1e6, "least time per step of a rescale (requantise)", 2}));
    v(p.rescale_multipliers, "rescale_multipliers",
      of("requantise", "bdc.rescale_multipliers",
         ParameterInfo{"-", 1, 4096, "results that a lane scales in a cycle (requantise)", 4}));
    v(p.table_cycles, "table_cycles",
      of("lookup", "bdc.table_cycles",
         ParameterInfo{"cycles", 0, 1e6, "per step of a table lookup (lookup)", 24}));
    v(p.mac_packing, "mac_packing",
      of("int8_mac", "bdc.int_packing",
         ParameterInfo{"-", 0, 2,
                       "how a unit packs its products (int8_mac): batch (the same pixel of several "
                       "images), pixels (several pixels of an image), either (the faster)",
                       0, "batch pixels either"}));
    v(p.int_products, "int_products",
      of("int8_mac", "bdc.int_products",
         ParameterInfo{"-", 1, 64,
                       "8-bit products per channel that a unit completes in a cycle, and pixels of "
                       "a pool per cycle (int8_mac)",
                       4}));
    v(p.int_convolution_group_cycles, "int_convolution_group_cycles",
      of("int8_mac", "bdc.int_convolution_group_cycles",
         ParameterInfo{
             "cycles", 0, 1e6,
             "per group of output pixels of an integer convolution, in addition (int8_mac)", 10}));
    v(p.int_fetch_cycles, "int_fetch_cycles",
      of("int8_mac", "bdc.int_fetch_cycles",
         ParameterInfo{"cycles", 0, 1e6,
                       "fetch time per kernel position with few input channels, in addition to "
                       "passes and stride (int8_mac)",
                       4.83}));
    v(p.int_depthwise_factor, "int_depthwise_factor",
      of("int8_mac", "bdc.int_depthwise_factor",
         ParameterInfo{"-", 0.01, 1000,
                       "time of an integer depthwise convolution, as a multiple of an integer pool "
                       "(int8_mac)",
                       1}));
    v(p.int_depthwise_group_cycles, "int_depthwise_group_cycles",
      of("int8_mac", "bdc.int_depthwise_group_cycles",
         ParameterInfo{"cycles", 0, 1e6,
                       "per group of output pixels of an integer depthwise convolution or pool, in "
                       "addition (int8_mac)",
                       1}));
    v(p.half_products, "half_products",
      of("half_mac", "bdc.half_products",
         ParameterInfo{"-", 1, 64,
                       "16-bit products that a unit completes in the time of a 32-bit product, and "
                       "pixels of depthwise convolutions and arithmetic (half_mac)",
                       2}));
}

template <typename Params, typename Visitor>
void describe_bdc(Params& p, Visitor&& v) {
    const auto cycles = [](const char* meaning) {
        return ParameterInfo{"cycles", 0, 1e6, meaning};
    };
    v(p.clock_mhz, "clock_mhz", ParameterInfo{"MHz", 1, 100000, "clock of the compute engine"});
    v(p.execution_units, "execution_units",
      ParameterInfo{"-", 1, 4096, "fp32 results that a lane works on at a time"});
    v(p.startup_cycles, "startup_cycles",
      cycles("start-up of a command, in addition to the formula of its class"));
    v(p.broadcast_cycles, "broadcast_cycles",
      cycles("start-up in addition when a source repeats its elements (a stride of 0)"));
    v(p.bank_conflict_cycles, "bank_conflict_cycles",
      ParameterInfo{"cycles", 0, 1e6,
                    "per vector of the smaller of two operands in the same bank"});
    v(p.copy_cycles, "copy_cycles", cycles("per step of a copy or fill"));
    v(p.constant_cycles, "constant_cycles", cycles("per step with one tensor operand"));
    v(p.tensor_cycles, "tensor_cycles", cycles("per step with two tensor operands"));
    v(p.mac_cycles, "mac_cycles", cycles("per step of a multiply-accumulate"));
    v(p.divide_cycles, "divide_cycles", cycles("per step of a division or reciprocal"));
    v(p.linear_cycles, "linear_cycles", cycles("per step of a per-channel scale or bias"));
    v(p.convert_cycles, "convert_cycles", cycles("per step of a conversion"));
    v(p.square_root_cycles, "square_root_cycles", cycles("per step of a square root"));
    v(p.series_cycles_per_term, "series_cycles_per_term", cycles("per step and term of a series"));
    v(p.series_cycles, "series_cycles", cycles("per step of a series, in addition"));
    v(p.lookup_cycles, "lookup_cycles", cycles("per step of a table lookup"));
    v(p.fixed_add_cycles, "fixed_add_cycles", cycles("per step of packed addition, subtraction"));
    v(p.fixed_mul_cycles, "fixed_mul_cycles", cycles("per step of packed multiply, 8-bit result"));
    v(p.fixed_wide_mul_cycles, "fixed_wide_mul_cycles",
      cycles("per step of packed multiply, 16-bit result"));
    v(p.fixed_mac_cycles, "fixed_mac_cycles", cycles("per step of packed multiply-accumulate"));
    v(p.fixed_max_cycles, "fixed_max_cycles", cycles("per step of packed maximum"));
    v(p.fixed_min_cycles, "fixed_min_cycles", cycles("per step of packed minimum"));
    v(p.fixed_shift_cycles, "fixed_shift_cycles", cycles("per step of packed shifts"));
    v(p.matmul_term_cycles, "matmul_term_cycles",
      ParameterInfo{"cycles", 0, 1e6, "per term of the sums of a group of output columns"});
    v(p.matmul_row_cycles, "matmul_row_cycles",
      cycles("per row and group of output columns of a matrix product, in addition"));
    v(p.convolution_channels_per_cycle, "convolution_channels_per_cycle",
      ParameterInfo{"-", 1, 64, "input channels that a convolution takes in one cycle"});
    v(p.convolution_group_cycles, "convolution_group_cycles",
      cycles("per group of output pixels of a convolution, in addition"));
    v(p.convolution_bank_share, "convolution_bank_share",
      ParameterInfo{"-", 0, 1000,
                    "share of its time that a convolution takes longer if its weights are in a "
                    "bank of another operand"});
    v(p.convolution_fetch_channels, "convolution_fetch_channels",
      ParameterInfo{"-", 1, 1e6, "input channels that share the time of a fetch"});
    v(p.convolution_fetch_cycles, "convolution_fetch_cycles",
      ParameterInfo{"cycles", 0, 1e6,
                    "least time of a kernel position of a convolution with few input channels, "
                    "stride 0"});
    v(p.convolution_fetch_cycles_per_stride, "convolution_fetch_cycles_per_stride",
      ParameterInfo{"cycles", 0, 1e6,
                    "fetch time of a kernel position, in addition per unit of horizontal stride"});
    v(p.depthwise_factor, "depthwise_factor",
      ParameterInfo{"-", 0.01, 1000, "time of a depthwise convolution, as a multiple of a pool"});
    v(p.depthwise_group_cycles, "depthwise_group_cycles",
      cycles("per group of output pixels of a depthwise convolution or pool, in addition"));
}

}  // namespace okksim::models
