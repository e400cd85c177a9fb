// SPDX-License-Identifier: Apache-2.0
// Rules of the instruction groups beyond the API reference, broken one at a time.
#include <map>
#include <set>

#include "isa/features.h"
#include "isa/type_names.h"
#include "tests/isa/rule_probe.h"

namespace okksim::tests {
namespace {

using isa::ElementType;
using isa::Feature;
using isa::InstructionInfo;
using isa::Opcode;
using isa::OperandInfo;
using isa::OperandKind;

constexpr Opcode kSums[] = {Opcode::bdc_int_conv2d, Opcode::bdc_int_depthwise2d};

std::int64_t number(ElementType type) { return static_cast<std::int64_t>(type); }

/// Calls `body` with every row of a group beyond the API reference.
template <typename Body>
void for_rows_beyond(Body&& body) {
    for (const InstructionInfo& row : isa::instructions()) {
        if (row.feature != Feature::kBase) body(row);
    }
}

/// Types that firmware/okk_features.h names for an operand.
std::set<ElementType> documented_types(const InstructionInfo& row, const std::string& operand) {
    using enum ElementType;
    const std::set<ElementType> integers{kInt8, kUint8, kInt16, kUint16, kInt32};
    if (row.timing == isa::TimingClass::kCast) {
        return {kInt8, kUint8, kInt16, kUint16, kInt32, kInt48, kFp16, kBf16, kFp32};
    }
    if (row.feature == Feature::kHalfMac) {
        if (operand == "output_type") return {kFp16, kBf16, kFp32};
        return {kFp16, kBf16};
    }
    if (row.timing == isa::TimingClass::kRescale) {
        return {kInt8, kUint8, kInt16, kUint16, kInt32, kInt48};
    }
    if (row.engine == isa::Engine::kGdma) {
        return {kInt8, kUint8, kInt16, kUint16, kInt32, kFp16, kBf16, kFp32};
    }
    if (operand == "input_type" || operand == "element_type") return {kInt8, kUint8, kInt16};
    // The samples scale their sums: results are of at most 32 bits.
    if (operand == "output_type") return {kInt8, kUint8, kInt16, kInt32};
    return integers;
}

/// Limits that every type has.
void set_small_limits(Probe& probe) {
    if (!has_operand(probe.command().info(), "low")) return;
    probe.set("low", 0).set("high", 100);
}

}  // namespace

TEST_CASE("every group refuses its instructions where the machine lacks it") {
    for_rows_beyond([](const InstructionInfo& row) {
        isa::MachineShape machine = small_machine();
        machine.features &= ~isa::feature_bit(row.feature);
        const auto violation = isa::check(sample_command(row), machine, true);
        INFO(row.name);
        REQUIRE(violation);
        const std::string key = isa::feature_info(row.feature).key;
        CHECK(violation->is_unsupported);
        CHECK(violation->argument == "features." + key);
        CHECK(violation->value == "false");
        CHECK_THAT(violation->rule, Catch::StartsWith(row.name));
        CHECK_THAT(violation->rule, Catch::EndsWith("features." + key + " = true"));
        // One group alone is enough, unless it needs another one.
        machine.features = isa::feature_bit(row.feature) | isa::feature_bit(Feature::kFusedRescale);
        CHECK(!isa::check(sample_command(row), machine, true));
    });
}

TEST_CASE("sums of products of 16 bits are there only where the machine has them") {
    isa::MachineShape machine = small_machine();
    machine.features &= ~isa::feature_bit(Feature::kInt16Mac);
    for (const Opcode opcode : kSums) {
        Probe probe(opcode);
        CHECK(!isa::check(probe.command(), machine, true));
        probe.set("input_type", number(ElementType::kInt16)).accepted();
        const auto violation = isa::check(probe.command(), machine, true);
        REQUIRE(violation);
        CHECK(violation->is_unsupported);
        CHECK(violation->argument == "features.int16_mac");
        CHECK_THAT(violation->rule, Catch::Contains("with input_type = OKK_INT16"));
    }
    // A pool multiplies nothing.
    Probe pool(Opcode::bdc_int_max_pool2d);
    pool.set("element_type", number(ElementType::kInt16));
    CHECK(!isa::check(pool.command(), machine, true));
}

TEST_CASE("sums are scaled on their way to memory only where the machine can") {
    isa::MachineShape machine = small_machine();
    machine.features &= ~isa::feature_bit(Feature::kFusedRescale);
    for (const Opcode opcode : kSums) {
        Probe probe(opcode);
        const auto violation = isa::check(probe.command(), machine, true);
        REQUIRE(violation);
        CHECK(violation->is_unsupported);
        CHECK(violation->argument == "features.fused_rescale");
        CHECK_THAT(violation->rule, Catch::Contains("with rescales = true"));
        probe.set("rescales", 0);
        CHECK(!isa::check(probe.command(), machine, true));
    }
}

TEST_CASE("element types are those of each operand") {
    int operands = 0;
    for_rows_beyond([&](const InstructionInfo& row) {
        for (const OperandInfo& operand : row.operands()) {
            if (operand.kind != OperandKind::kElement) continue;
            const std::set<ElementType> allowed = documented_types(row, operand.name);
            for (const isa::NamedElementType& type : isa::element_types()) {
                Probe probe(row);
                set_small_limits(probe);
                probe.set(operand.name, number(type.type));
                INFO(row.name << " " << operand.name << " = " << type.name);
                if (allowed.contains(type.type)) {
                    probe.accepted();
                } else {
                    probe.rejected(operand.name, type.name, "");
                }
            }
            for (const std::int64_t value : {std::int64_t{isa::kElementTypes}, std::int64_t{-1}}) {
                const std::string first = isa::element_type_name(*allowed.begin());
                Probe(row).set(operand.name, value).rejected(operand.name, "", "one of " + first);
            }
            ++operands;
        }
    });
    // Typed operands: one of a pool, two of unary rows, three of binary rows, four of the
    // selection. Transposing copies and copies by a list have one each. 16-bit convolutions have
    // two, their arithmetic three, their limits two.
    CHECK(operands == 1 + 2 * 13 + 3 * 13 + 4 + 4 + 2 + 2 * 2 + 3 * 5 + 2);
}

TEST_CASE("addresses are multiples of the element's size") {
    const std::map<ElementType, int> sizes = {{ElementType::kInt8, 1},  {ElementType::kUint16, 2},
                                              {ElementType::kInt32, 4}, {ElementType::kInt48, 8},
                                              {ElementType::kFp16, 2},  {ElementType::kFp32, 4}};
    for (const auto& [type, bytes] : sizes) {
        for (const std::string tensor : {"dst", "src"}) {
            Probe probe(Opcode::bdc_cast);
            probe.set(tensor + "_type", number(type)).move(tensor + "_addr", bytes).accepted();
            if (bytes == 1) continue;
            probe.move(tensor + "_addr", bytes / 2)
                .rejected(tensor + "_addr", "", "divisible by " + std::to_string(bytes));
        }
    }
}

TEST_CASE("limits of a result are values of its type, the lower one first") {
    for_rows_with("output_zp", [](const InstructionInfo& row) {
        const char* type = has_operand(row, "dst_type") ? "dst_type" : "output_type";
        for (const ElementType each :
             {ElementType::kInt8, ElementType::kUint8, ElementType::kInt16, ElementType::kInt32}) {
            const isa::ElementRange range = isa::element_range(each);
            const auto probe = [&] {
                Probe fresh(row);
                fresh.set(type, number(each)).set("low", range.low).set("high", range.high);
                return fresh;
            };
            probe().accepted();
            probe().set("high", range.low).accepted();
            probe().set("low", range.high).accepted();
            probe().set("low", 5).set("high", 4).rejected("high", "4", "not below low = 5");
            if (each == ElementType::kInt32) continue;
            probe()
                .set("low", range.low - 1)
                .rejected("low", std::to_string(range.low - 1), "in [");
            probe().set("low", range.high + 1).rejected("low", "", "in [");
            probe().set("high", range.high + 1).rejected("high", "", "in [");
        }
    });
}

TEST_CASE("sums that are not scaled keep their width, and only those are added to") {
    for (const Opcode opcode : kSums) {
        const auto probe = [opcode](ElementType input, ElementType output) {
            Probe fresh(opcode);
            fresh.set("rescales", 0).set("input_type", number(input));
            fresh.set("output_type", number(output));
            return fresh;
        };
        using enum ElementType;
        for (const ElementType input : {kInt8, kUint8}) {
            probe(input, kInt32).accepted();
            for (const ElementType output : {kInt8, kUint8, kInt16, kInt48}) {
                probe(input, output)
                    .rejected("output_type", isa::element_type_name(output),
                              "OKK_INT32 without rescales");
            }
        }
        probe(kInt16, kInt48).accepted();
        probe(kInt16, kInt32).rejected("output_type", "OKK_INT32", "OKK_INT48 without rescales");
        // Limits have no effect then.
        probe(kInt8, kInt32).set("low", 5).set("high", 4).accepted();
        Probe(opcode)
            .set("output_type", number(kInt48))
            .rejected("output_type", "OKK_INT48", "at most 32 bits with rescales");
    }
    Probe(Opcode::bdc_int_conv2d).set("rescales", 0).set("result_add", 1).accepted();
    Probe(Opcode::bdc_int_conv2d)
        .set("result_add", 1)
        .rejected("result_add", "1", "0 with rescales");
}

TEST_CASE("zero points and multipliers of integer commands are in range") {
    for (const Opcode opcode : kSums) {
        Probe(opcode).set("input_zp", -32768).accepted();
        Probe(opcode).set("input_zp", 65535).accepted();
        for (const int value : {-32769, 65536}) {
            Probe(opcode)
                .set("input_zp", value)
                .rejected("input_zp", std::to_string(value), "in [-32768, 65535]");
        }
    }
    Probe(Opcode::bdc_rescale_C).set("input_zp", INT32_MIN).accepted();
    Probe(Opcode::bdc_rescale_C).set("multiplier", 0).accepted();
    Probe(Opcode::bdc_rescale_C).set("multiplier", -1).rejected("multiplier", "-1", "in [0,");
}

TEST_CASE("factors of results that are not scaled may have any address") {
    for (const Opcode opcode : kSums) {
        Probe(opcode).set("factor_addr", 3).rejected("factor_addr", "3", "divisible by 4");
        Probe(opcode).set("factor_addr", 3).set("rescales", 0).accepted();
    }
}

}  // namespace okksim::tests
