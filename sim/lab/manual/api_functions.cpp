// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/manual/api_functions.h"

#include <algorithm>
#include <array>
#include <regex>
#include <string_view>

#include "firmware/calls/call_by_name.h"

namespace okksim::sim::manual {
namespace {

/// A function of the vendor's kit that is not in the API reference, with its comment.
struct KitFunction {
    std::string_view name;
    const char* comment;
};
constexpr auto kOfTheKit = std::to_array<KitFunction>({
    {"okk_global_mem_start_addr", "System address of the first byte of global memory."},
    {"okk_local_mem_start_addr",
     "System address of the first byte of NPU 0's local memory; the others' follow."},
    {"okk_local_mem_bank_per_npu", "Banks of one NPU's local memory."},
    {"okk_l2_sram_start_addr", "System address of the first byte of L2-SRAM that kernels have."},
    {"okk_dtcm_start_addr", "System address of the first byte of DTCM that kernels have."},
    {"okk_lookup_table_start_addr", "Byte offset in L2-SRAM of the tables that lookups read."},
    {"okk_lookup_table_size", "Bytes of the tables that lookups read."},
    {"okk_eu_num", "32-bit words that one NPU handles at a time."},
    {"okk_global_mem_addr", "Pointer to a system address in global memory."},
    {"okk_local_mem_addr",
     "Pointer into local memory: `addr` is a byte offset in that of NPU `npu`."},
    {"okk_l2_sram_addr", "Pointer to a system address in L2-SRAM."},
    {"okk_dtcm_addr", "Pointer to a system address in DTCM."},
    {"okk_bdc_greater_select",
     "dst = src0 > src1 ? select0 : select1. An operand is a number, or a tensor if is_addr is "
     "true. All tensors are in the 128-byte aligned layout. If src0 or src1 is a NaN, dst is "
     "select1. One to four commands."},
    {"okk_bdc_equal_select",
     "dst = src0 and src1 are the same bits ? select0 : select1. An operand is a number, or a "
     "tensor if is_addr is true. All tensors are in the 128-byte aligned layout. One to four "
     "commands."},
    {"okk_bdc_fixed_point_packed_s16_mul_u8_to_s16",
     "dst = saturate((int16 src0 * uint8 src1) rounding-shifted right by rshift). work holds int16 "
     "elements, work_high and work_low hold the two bytes of src0. Four commands."},
    {"okk_set_id_node", "No effect, because the simulator orders commands without nodes."},
    {"okk_get_id_node", "No effect: the node is not written."},
    {"okk_enable_check_id_node", "No effect, because the simulator orders commands without nodes."},
    {"okk_disable_check_id_node",
     "No effect, because the simulator orders commands without nodes."},
    {"okk_dump_registered_kernel_funcs", "Logs the names of all kernels."},
});

/// Replaces each run of white space by one blank.
std::string one_line(const std::string& text) {
    return std::regex_replace(std::regex_replace(text, std::regex("\\s+"), " "),
                              std::regex("^ | $"), "");
}

std::vector<Parameter> split_parameters(const std::string& list) {
    std::vector<Parameter> parameters;
    const std::regex parameter("\\s*([^,]*[ *])(\\w+)\\s*(?:,|$)");
    for (std::sregex_iterator at(list.begin(), list.end(), parameter), end; at != end; ++at) {
        parameters.push_back({one_line((*at)[1]), (*at)[2]});
    }
    return parameters;
}

/// Returns a documentation comment without its stars.
std::string comment_text(const std::string& comment) {
    return one_line(std::regex_replace(comment, std::regex("\\n\\s*\\*"), " "));
}

}  // namespace

std::vector<ApiFunction> api_functions() {
    const std::vector<std::string> documented = firmware::documented_functions();
    const std::string header = okk_header();
    const std::regex declaration(
        "(?:/\\*\\*((?:[^*]|\\*(?!/))*)\\*/\\s*)?\\n((?:void|bool|int|unsigned [a-z ]*\\*?)\\s*\\b"
        "(okk_\\w+)\\(([^;]*)\\));");
    std::vector<ApiFunction> functions;
    for (std::sregex_iterator at(header.begin(), header.end(), declaration), end; at != end; ++at) {
        ApiFunction function;
        function.name = (*at)[3];
        function.is_documented =
            std::binary_search(documented.begin(), documented.end(), function.name);
        const auto of_the_kit = std::ranges::find(kOfTheKit, function.name, &KitFunction::name);
        if (!function.is_documented && of_the_kit == kOfTheKit.end()) continue;
        function.comment = function.is_documented ? comment_text((*at)[1]) : of_the_kit->comment;
        function.declaration = one_line((*at)[2]);
        const std::string list = (*at)[4];
        if (list != "void") function.parameters = split_parameters(list);
        function.info = isa::find_instruction(function.name);
        functions.push_back(std::move(function));
    }
    return functions;
}

}  // namespace okksim::sim::manual
