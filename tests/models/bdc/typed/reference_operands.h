// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

#include "isa/command.h"
#include "tests/models/bdc/typed/reference_numbers.h"
#include "tests/models/bdc/typed/typed_reference.h"

namespace okksim::tests {

inline std::int64_t quotient_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Access to the operands of a command by name.
class NamedOperands {
 public:
    explicit NamedOperands(const isa::Command& command) : command_(command) {}

    std::uint32_t word(const std::string& name, std::size_t index = 0) const {
        for (const isa::OperandInfo& each : command_.info().operands()) {
            if (name == each.name) return command_.words.at(each.first_word + index);
        }
        throw std::invalid_argument("no operand " + name);
    }
    bool has(const std::string& name) const {
        for (const isa::OperandInfo& each : command_.info().operands()) {
            if (name == each.name) return true;
        }
        return false;
    }
    Wide integer(const std::string& name) const { return static_cast<std::int32_t>(word(name)); }
    bool flag(const std::string& name) const { return word(name) != 0; }
    isa::ElementType type(const std::string& name) const {
        return static_cast<isa::ElementType>(word(name));
    }
    isa::Dim4 dim4(const std::string& name) const {
        const auto member = [&](std::size_t i) { return static_cast<std::int32_t>(word(name, i)); };
        return {member(0), member(1), member(2), member(3)};
    }

 private:
    const isa::Command& command_;
};

/// A tensor in the lanes: channel c is in lane (start + c) mod lanes, slot (start + c) div lanes.
class TypedTensorBytes {
 public:
    TypedTensorBytes(LaneImage& image, const isa::MachineShape& machine, std::uint32_t address,
                     isa::Dim4 stride, isa::ElementType type)
        : image_(image),
          lanes_(machine.lanes),
          lane_(address / machine.local_bytes),
          offset_(address % machine.local_bytes),
          stride_(stride),
          facts_(facts_of(type)) {}

    /// Contiguous channels from a multiple of `unit` elements on; `unit` is 1 for the compact
    /// layout.
    static TypedTensorBytes dense(LaneImage& image, const isa::MachineShape& machine,
                                  std::uint32_t address, const isa::Dim4& shape,
                                  isa::ElementType type, std::int64_t unit) {
        const std::int64_t lane = address / machine.local_bytes;
        const std::int64_t slots = quotient_up(lane + shape.c, machine.lanes);
        const std::int64_t channel = quotient_up(std::int64_t{shape.h} * shape.w, unit) * unit;
        const isa::Dim4 stride{static_cast<std::int32_t>(channel * slots),
                               static_cast<std::int32_t>(channel), shape.w, 1};
        return {image, machine, address, stride, type};
    }
    static TypedTensorBytes aligned(LaneImage& image, const isa::MachineShape& machine,
                                    std::uint32_t address, const isa::Dim4& shape,
                                    isa::ElementType type) {
        return dense(image, machine, address, shape, type,
                     std::int64_t{4} * machine.vector_words / facts_of(type).bytes);
    }

    Wide get(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) const {
        Wide value = 0;
        for (int i = facts_.bytes; i-- > 0;) value = value * 256 + byte(n, c, h, w, i);
        return modulo(value, facts_.bits, facts_.is_signed);
    }
    void set(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w, Wide value) {
        Wide rest = modulo(value, facts_.bits, facts_.is_signed);
        for (int i = 0; i < facts_.bytes; ++i) {
            byte(n, c, h, w, i) = static_cast<std::uint8_t>(modulo(rest, 8, false));
            rest = floor_quotient(rest, 256);
        }
    }
    const TypeFacts& facts() const { return facts_; }

 private:
    std::uint8_t& byte(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w,
                       int i) const {
        const std::int64_t place = lane_ + c;
        const std::int64_t element =
            n * stride_.n + place / lanes_ * stride_.c + h * stride_.h + w * stride_.w;
        return image_.at(place % lanes_, offset_ + element * facts_.bytes + i);
    }

    LaneImage& image_;
    std::int64_t lanes_, lane_, offset_;
    isa::Dim4 stride_;
    TypeFacts facts_;
};

using ResultAt =
    std::function<Wide(std::int32_t n, std::int32_t c, std::int32_t h, std::int32_t w)>;

/// Computes all results, then writes them, in ascending (n, c, h, w) order.
void compute_then_write(const isa::Dim4& shape, TypedTensorBytes to, const ResultAt& result);

/// "(difference * multiplier + rounding) >> shift" and the following steps of okk_bdc_rescale. The
/// difference is a source minus its zero point, or a sum of products.
Wide rescaled(const NamedOperands& with, Wide difference, Wide multiplier, Wide shift);

/// Commands with windows of fp16 and bf16: half_windows_reference.cpp.
void execute_half_windows_reference(const isa::Command& command, const isa::MachineShape& machine,
                                    LaneImage& image);

/// Commands with windows of integers: typed_windows_reference.cpp.
void execute_windows_reference(const isa::Command& command, const isa::MachineShape& machine,
                               LaneImage& image);

}  // namespace okksim::tests
