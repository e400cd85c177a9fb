// SPDX-License-Identifier: Apache-2.0
#include "tests/models/bdc/typed/typed_reference.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

#include "tests/models/bdc/typed/reference_numbers.h"
#include "tests/models/bdc/typed/reference_operands.h"

namespace okksim::tests {
namespace {

using isa::Dim4;
using isa::ElementType;

template <typename Body>
void each_element(const Dim4& shape, const Body& body) {
    for (std::int32_t n = 0; n < shape.n; ++n) {
        for (std::int32_t c = 0; c < shape.c; ++c) {
            for (std::int32_t h = 0; h < shape.h; ++h) {
                for (std::int32_t w = 0; w < shape.w; ++w) body(n, c, h, w);
            }
        }
    }
}

/// Element-wise commands.
class Elementwise {
 public:
    Elementwise(const isa::Command& command, const isa::MachineShape& machine, LaneImage& image)
        : with_(command), machine_(machine), image_(image), name_(command.info().name) {}

    void run() {
        const Dim4 shape = with_.dim4("shape");
        TypedTensorBytes to = tensor("dst");
        const bool saturates = with_.has("saturates") && with_.flag("saturates");
        compute_then_write(shape, to, [&](auto n, auto c, auto h, auto w) {
            const Wide value = result(n, c, h, w);
            if (!saturates || to.facts().is_float()) return value;
            return limited(value, to.facts().low(), to.facts().high());
        });
    }

 private:
    bool is(const char* name) const { return name_ == name; }

    TypedTensorBytes tensor(const std::string& name) const {
        return {image_, machine_, with_.word(name + "_addr"), with_.dim4(name + "_stride"),
                with_.type(name + "_type")};
    }
    TypedTensorBytes factor(const char* address) const {
        return {image_, machine_, with_.word(address), with_.dim4("factor_stride"),
                ElementType::kInt32};
    }

    Wide result(std::int32_t n, std::int32_t c, std::int32_t h, std::int32_t w) const {
        const auto source = [&](const char* name) { return tensor(name).get(n, c, h, w); };
        if (with_.has("src_addr")) return unary(source("src"), n, c, h, w);
        if (with_.has("src2_addr")) return source("src0") != 0 ? source("src1") : source("src2");
        if (with_.has("select_val")) return compared(source("src0"), source("src1"));
        if (name_.starts_with("bdc_half_")) return halves(source("src0"), source("src1"));
        return binary(source("src0"), source("src1"));
    }

    Wide unary(Wide a, std::int32_t n, std::int32_t c, std::int32_t h, std::int32_t w) const {
        if (is("bdc_int_abs")) return a < 0 ? -a : a;
        if (is("bdc_int_clz")) return leading_zeros(a);
        if (is("bdc_rescale")) {
            return rescaled(with_, a - with_.integer("input_zp"),
                            factor("multiplier_addr").get(n, c, h, w),
                            modulo(factor("shift_addr").get(n, c, h, w), 6, false));
        }
        if (is("bdc_rescale_C")) {
            return rescaled(with_, a - with_.integer("input_zp"), with_.integer("multiplier"),
                            with_.integer("rshift"));
        }
        if (is("bdc_cast")) return cast_number(a, with_.type("src_type"), with_.type("dst_type"));
        if (is("bdc_lookup8")) return entry(c, modulo(a, 8, true) + 128, ElementType::kInt8);
        if (is("bdc_lookup16")) return interpolated(c, modulo(a, 16, true) + 32768);
        if (is("bdc_half_clamp")) return clamped(a);
        const Wide constant = with_.integer("C");
        if (is("bdc_int_add_C")) return a + constant;
        if (is("bdc_int_C_sub")) return constant - a;
        if (is("bdc_int_max_C")) return a > constant ? a : constant;
        if (is("bdc_int_min_C")) return a < constant ? a : constant;
        throw std::invalid_argument(name_);
    }

    Wide binary(Wide a, Wide b) const {
        if (is("bdc_int_add")) return a + b;
        if (is("bdc_int_sub")) return a - b;
        if (is("bdc_int_max")) return a > b ? a : b;
        if (is("bdc_int_min")) return a < b ? a : b;
        if (is("bdc_int_mul")) {
            const auto shift = static_cast<int>(with_.integer("rshift"));
            const Wide half = shift > 0 ? power_of_two(shift - 1) : 0;
            return floor_quotient(a * b + half, power_of_two(shift));
        }
        if (is("bdc_int_div")) return b == 0 ? 0 : a / b;
        const auto amount = static_cast<int>(modulo(b, 5, false));
        if (is("bdc_int_shift_left")) return a * power_of_two(amount);
        if (is("bdc_int_shift_right")) return floor_quotient(a, power_of_two(amount));
        if (is("bdc_int_shift_right_round")) {
            return floor_quotient(2 * a + power_of_two(amount), power_of_two(amount + 1));
        }
        if (is("bdc_int_shift_right_logical")) {
            const int bits = facts_of(with_.type("src0_type")).bits;
            return modulo(a, bits, false) / power_of_two(amount);
        }
        throw std::invalid_argument(name_);
    }

    /// Bits of two elements of 16 bits, computed in fp32.
    Wide halves(Wide a, Wide b) const {
        const float first = float_number(a, with_.type("src0_type"));
        const float second = float_number(b, with_.type("src1_type"));
        const auto rounded = [&](float value) {
            return float_element(value, with_.type("dst_type"));
        };
        if (with_.has("keeps_nan")) {
            const bool is_number[] = {first == first, second == second};
            if (is_number[0] && is_number[1]) {
                const bool takes_first = is("bdc_half_max") ? first > second : first < second;
                return rounded(takes_first ? first : second);
            }
            // With keeps_nan the operand that is NaN, else the only number; for two NaNs either
            // one.
            const bool takes_first = with_.flag("keeps_nan") != is_number[0];
            return rounded(takes_first ? first : second);
        }
        return rounded(is("bdc_half_add")   ? first + second
                       : is("bdc_half_sub") ? first - second
                                            : first * second);
    }

    /// Bits of an element of 16 bits between two limits.
    Wide clamped(Wide a) const {
        const auto limit = [&](const char* name) {
            const auto value = std::bit_cast<float>(with_.word(name));
            return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
        };
        float value = float_number(a, with_.type("src_type"));
        if (value == value || !with_.flag("keeps_nan")) {
            if (!(value > limit("low"))) value = limit("low");
            if (!(value < limit("high"))) value = limit("high");
        }
        return float_element(value, with_.type("dst_type"));
    }

    Wide compared(Wide a, Wide b) const {
        const bool holds = is("bdc_int_greater")         ? a > b
                           : is("bdc_int_greater_equal") ? a >= b
                                                         : a == b;
        return holds ? with_.integer("select_val") : 0;
    }

    Wide leading_zeros(Wide a) const {
        const int bits = facts_of(with_.type("src_type")).bits;
        int zeros = 0;
        while (zeros < bits && modulo(a, bits, false) < power_of_two(bits - 1 - zeros)) ++zeros;
        return zeros;
    }

    /// An entry of the table in the channel's lane.
    Wide entry(std::int32_t c, Wide index, ElementType type) const {
        return TypedTensorBytes(image_, machine_, with_.word("table_addr"), {0, 0, 0, 1}, type)
            .get(0, c, 0, static_cast<std::int64_t>(index));
    }
    Wide interpolated(std::int32_t c, Wide position) const {
        const Wide left = entry(c, position / 128, ElementType::kInt16);
        const Wide right = entry(c, position / 128 + 1, ElementType::kInt16);
        return left * (128 - position % 128) + right * (position % 128);
    }

    NamedOperands with_;
    const isa::MachineShape& machine_;
    LaneImage& image_;
    std::string name_;
};

}  // namespace

void compute_then_write(const Dim4& shape, TypedTensorBytes to, const ResultAt& result) {
    std::vector<Wide> results;
    each_element(shape,
                 [&](auto n, auto c, auto h, auto w) { results.push_back(result(n, c, h, w)); });
    std::size_t next = 0;
    each_element(shape,
                 [&](auto n, auto c, auto h, auto w) { to.set(n, c, h, w, results[next++]); });
}

Wide rescaled(const NamedOperands& with, Wide difference, Wide multiplier, Wide shift) {
    Wide sum = difference * multiplier;
    if (shift > 0) sum += power_of_two(static_cast<int>(shift) - 1);
    if (with.flag("rounds_twice") && shift > 31) {
        sum += difference < 0 ? -power_of_two(30) : power_of_two(30);
    }
    sum = floor_quotient(modulo(sum, 64, true), power_of_two(static_cast<int>(shift)));
    const Wide word =
        limited(sum + with.integer("output_zp"), -power_of_two(31), power_of_two(31) - 1);
    return limited(word, with.integer("low"), with.integer("high"));
}

void LaneImage::copy_to(models::LocalMemory& memory) const {
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
        std::memcpy(memory.at(static_cast<std::int32_t>(lane), 0), lanes_[lane].data(),
                    lanes_[lane].size());
    }
}

void execute_typed_reference(const isa::Command& command, const isa::MachineShape& machine,
                             LaneImage& image) {
    for (const isa::OperandInfo& operand : command.info().operands()) {
        if (operand.kind != isa::OperandKind::kStep) continue;
        if (command.info().feature == isa::Feature::kHalfMac) {
            return execute_half_windows_reference(command, machine, image);
        }
        return execute_windows_reference(command, machine, image);
    }
    Elementwise(command, machine, image).run();
}

}  // namespace okksim::tests
