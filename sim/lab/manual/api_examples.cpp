// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/manual/api_examples.h"

#include <bit>
#include <map>

#include "firmware/okk.h"
#include "isa/base/errors.h"
#include "isa/type_names.h"
#include "sim/lab/manual/kit_examples.h"

namespace okksim::sim::manual {
namespace {

constexpr const char* kPlaces[] = {"RESULT", "FIRST", "SECOND", "THIRD", "FOURTH"};
/// Addresses in global memory for the times; examples use the addresses in their argument block.
constexpr std::int64_t kOutput = 0x110000000;
constexpr std::int64_t kInput = 0x110010000;

constexpr const char* kFileBegin = R"(/* Written by okksim manual --examples. */
#include "okk.h"

typedef struct {
    unsigned long long output, input; /* 8192 bytes each */
} Arguments;

/* Buffers in every lane, 8 KiB each. */
enum { RESULT = 0, FIRST = 8192, SECOND = 16384, THIRD = 24576, FOURTH = 32768 };

/* Fills all buffers, and the output with the first buffer. */
static void begin(const Arguments* a, x32 value) {
    const dim4 all = {1, 64, 1, 10240};
    const dim4 stored = {1, 64, 4, 8};
    okk_initialize();
    okk_bdc_32bit_set_C(RESULT, value, &all, NULL);
    okk_gdma_32bit_cpy_L2S(a->output, RESULT, &stored, NULL, NULL);
}
static void end(const Arguments* a) {
    const dim4 stored = {1, 64, 4, 8};
    okk_gdma_32bit_cpy_L2S(a->output, RESULT, &stored, NULL, NULL);
    okk_poll();
}
static x32 real(float value) {
    x32 word;
    word.fp32 = value;
    return word;
}
static x32 bits(unsigned value) {
    x32 word;
    word.u32 = value;
    return word;
}
)";

/// Returns the statements of calls that issue no command.
const std::map<std::string, const char*>& plain_calls() {
    static const std::map<std::string, const char*> calls = {
        {"okk_initialize", "okk_initialize();"},
        {"okk_poll", "okk_poll();"},
        {"okk_parallel_start", "okk_parallel_start();\n    okk_parallel_end();"},
        {"okk_parallel_end", "okk_parallel_start();\n    okk_parallel_end();"},
        {"okk_is_parallel_state", "OKKERNEL_ASSERT(!okk_is_parallel_state());"},
        {"okk_local_mem_size_per_npu",
         "OKKERNEL_ASSERT(5 * 8192 <= okk_local_mem_size_per_npu());"},
        {"okk_l2_sram_size", "OKKERNEL_ASSERT(okk_l2_sram_size() >= 4096);"},
        {"okk_dtcm_size", "OKKERNEL_ASSERT(okk_dtcm_size() >= 4096);"},
        {"okk_npu_num", "OKKERNEL_ASSERT(okk_npu_num() == 64);"},
        {"okk_start_npu_index",
         "OKKERNEL_ASSERT(okk_start_npu_index(3 * okk_local_mem_size_per_npu()) == 3);"},
        {"okk_channle_num_per_npu", "OKKERNEL_ASSERT(okk_channle_num_per_npu(0, 65) == 2);"},
        {"okk_global_mem_start_addr", "OKKERNEL_ASSERT(a->input > okk_global_mem_start_addr());"},
        {"okk_local_mem_start_addr",
         "OKKERNEL_ASSERT(okk_local_mem_start_addr() < okk_l2_sram_start_addr());"},
        {"okk_local_mem_bank_per_npu",
         "OKKERNEL_ASSERT(okk_local_mem_size_per_npu() / okk_local_mem_bank_per_npu() == 65536);"},
        {"okk_l2_sram_start_addr",
         "okk_gdma_32bit_cpy_L2S(okk_l2_sram_start_addr(), RESULT, &(dim4){1, 64, 4, 8}, NULL,\n"
         "                           NULL);"},
        {"okk_dtcm_start_addr",
         "okk_gdma_32bit_cpy_L2S(okk_dtcm_start_addr(), RESULT, &(dim4){1, 64, 4, 8}, NULL, "
         "NULL);"},
        {"okk_lookup_table_start_addr", "OKKERNEL_ASSERT(okk_lookup_table_start_addr() % 4 == 0);"},
        {"okk_lookup_table_size", "OKKERNEL_ASSERT(okk_lookup_table_size() >= 256 * 4);"},
        {"okk_eu_num", "OKKERNEL_ASSERT(okk_eu_num() == 32);"},
        {"okk_global_mem_addr",
         "okk_poll();\n"
         "    ((volatile float*)(void*)okk_global_mem_addr(a->output))[3] = 1;"},
        {"okk_local_mem_addr",
         "okk_poll();\n"
         "    ((volatile float*)(void*)okk_local_mem_addr(2, FIRST))[3] = 1;"},
        {"okk_l2_sram_addr",
         "*(volatile float*)(void*)okk_l2_sram_addr(okk_l2_sram_start_addr()) = 1;"},
        {"okk_dtcm_addr", "*(volatile float*)(void*)okk_dtcm_addr(okk_dtcm_start_addr()) = 1;"},
        {"okk_set_id_node", "okk_set_id_node(NULL);"},
        {"okk_get_id_node", "okk_get_id_node(NULL);"},
        {"okk_enable_check_id_node", "okk_enable_check_id_node();"},
        {"okk_disable_check_id_node", "okk_disable_check_id_node();"},
        {"okk_dump_registered_kernel_funcs", "okk_dump_registered_kernel_funcs();"},
    };
    return calls;
}

/// Chooses the arguments of a call that issues a command, in C and as data.
class Arguments {
 public:
    explicit Arguments(const ApiFunction& function)
        : function_(function), operands_(function.info->operands()) {
        choose_fill();
        std::string list;
        for (const Parameter& parameter : function.parameters) {
            list += (list.empty() ? "" : ", ") + argument(parameter);
        }
        example_.call = function.name + "(" + list + ");";
    }
    ApiExample take() { return std::move(example_); }

 private:
    const isa::OperandInfo& operand(const std::string& name) const {
        for (const isa::OperandInfo& each : operands_) {
            if (each.name == name) return each;
        }
        throw InternalError("no operand " + name + " of " + function_.name);
    }
    bool is_fixed() const {
        return function_.info->data == isa::DataType::kFixed ||
               function_.info->data == isa::DataType::kFixed16 ||
               function_.info->data == isa::DataType::kFixed8;
    }
    void choose_fill() {
        if (is_fixed()) {
            example_.fill = "bits(0x02020202)";
        } else if (function_.info->data == isa::DataType::kFp32 &&
                   function_.info->timing != isa::TimingClass::kLookup) {
            example_.fill = "real(0.5f)";
        } else {
            example_.fill = "bits(2)";
        }
    }
    std::string value(std::string text, firmware::CallValue data) {
        example_.values.push_back(data);
        return text;
    }
    std::string integer(std::int64_t number) { return value(std::to_string(number), number); }

    std::string argument(const Parameter& parameter) {
        const isa::OperandInfo& it = operand(parameter.name);
        const bool writes = it.rules.access != isa::Access::kRead;
        switch (it.kind) {
            case isa::OperandKind::kLocal:
                ++places_;
                return value(kPlaces[places_ - 1], (places_ - 1) * kRoom);
            case isa::OperandKind::kSystem:
                (writes ? example_.writes_output : example_.reads_input) = true;
                return writes ? value("a->output", kOutput) : value("a->input", kInput);
            case isa::OperandKind::kShape: return shape(parameter.name);
            case isa::OperandKind::kStride:
            case isa::OperandKind::kPadding:
            case isa::OperandKind::kStep: return value("NULL", nullptr);
            case isa::OperandKind::kFloat:
                return value("0.25f", std::int64_t{std::bit_cast<std::uint32_t>(0.25f)});
            case isa::OperandKind::kBits: return constant(parameter.type);
            case isa::OperandKind::kBool:
                return value(parameter.name == "result_add" ? "false" : "true",
                             std::int64_t{parameter.name == "result_add" ? 0 : 1});
            case isa::OperandKind::kOpTypes: return op_type();
            case isa::OperandKind::kMulTypes: {
                const isa::NamedMulType& type = isa::mul_types().front();
                return value(type.name, static_cast<std::int64_t>(type.type));
            }
            case isa::OperandKind::kElement: break;  // okk.h has none
            case isa::OperandKind::kInt: return integer(number(parameter.name));
        }
        __builtin_unreachable();
    }
    std::string constant(const std::string& type) {
        if (type == "x32") {
            return value(example_.fill, function_.info->data == isa::DataType::kFp32
                                            ? std::int64_t{std::bit_cast<std::uint32_t>(0.5f)}
                                            : 2);
        }
        example_.before += "    " + type + " value;\n    value.u" + type.substr(1) + " = 2;\n";
        return value("value", std::int64_t{2});
    }
    std::string op_type() {
        const isa::OpTypeSet allowed = isa::allowed_op_types(function_.info->opcode, true);
        // Prefer results of 8 bits, so that a word of each tensor has equally many elements.
        for (const int most_bits : {8, 16}) {
            for (const isa::NamedOpType& row : isa::op_types()) {
                if ((allowed & isa::op_type_bit(row.type)) != 0 &&
                    isa::fixed_types(row.type).result.bits <= most_bits) {
                    return value(row.name, static_cast<std::int64_t>(row.type));
                }
            }
        }
        throw InternalError("no op_type for " + function_.name);
    }
    std::string shape(const std::string& name) {
        isa::Dim4 shape{is_fixed() ? 4 : 1, 64, 4, 8};
        if (name == "input_shape") shape.h = 8;
        if (function_.info->form == isa::Form::kConvolution) shape.c = 4;
        example_.before += "    const dim4 " + name + " = {" + std::to_string(shape.n) + ", " +
                           std::to_string(shape.c) + ", " + std::to_string(shape.h) + ", " +
                           std::to_string(shape.w) + "};\n";
        return value("&" + name, shape);
    }
    std::int64_t number(const std::string& name) const {
        static const std::map<std::string, std::int64_t> numbers = {
            {"output_c", 64},   {"kernel_h", 3},
            {"kernel_w", 3},    {"left_rows", 4},
            {"left_cols", 8},   {"right_cols", 16},
            {"rows", 64},       {"cols", 32},
            {"row_stride", 32}, {"cols_per_channel", 8},
            {"num_series", 16}, {"left_cols_per_channel", 8},
            {"lshift", 1},      {"right_cols_per_channel", 8},
            {"rshift", 1},      {"C", 2},
        };
        const auto found = numbers.find(name);
        if (found == numbers.end()) throw InternalError("no example of " + name);
        return found->second;
    }

    const ApiFunction& function_;
    std::span<const isa::OperandInfo> operands_;
    ApiExample example_;
    std::int64_t places_ = 0;
};

ApiExample layout_example(const ApiFunction& function) {
    ApiExample example;
    const bool has_lane = function.parameters.size() == 3;
    example.before = "    const dim4 shape = {2, 65, 3, 5};\n    dim4 stride;\n";
    example.call = function.name + (has_lane ? "(&stride, 0, &shape);" : "(&stride, &shape);") +
                   "\n    OKKERNEL_ASSERT(stride.w == 1 && stride.h == 5);";
    return example;
}

}  // namespace

ApiExample example_of(const ApiFunction& function) {
    if (function.info != nullptr) return Arguments(function).take();
    if (function.name.starts_with("okk_bdc_")) return kit_example(function);
    const auto plain = plain_calls().find(function.name);
    ApiExample example;
    if (plain == plain_calls().end()) {
        example = layout_example(function);
    } else {
        example.call = plain->second;
    }
    example.fill = "real(0.5f)";
    return example;
}

std::string example_file() {
    std::string text = kFileBegin;
    for (const ApiFunction& function : api_functions()) {
        const ApiExample example = example_of(function);
        text += "\nvoid example_" + function.name + "(const void* args);\nvoid example_" +
                function.name + "(const void* args) {\n    const Arguments* a = args;\n" +
                example.before + "    begin(a, " + example.fill + ");\n    " + example.call + "\n" +
                (example.writes_output ? "    okk_poll();\n" : "    end(a);\n") +
                "}\nOKKERNEL_FUNC_REGISTER(example_" + function.name + ");\n";
    }
    return text;
}

}  // namespace okksim::sim::manual
