// SPDX-License-Identifier: Apache-2.0
#include "kernels/transfer/tile_io.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/transfer/spread_io.h"
#include "tests/support/catch.h"
#include "tests/support/kernel_fixture.h"
#include "tests/support/random_source.h"

namespace okksim::tests {
namespace {

using kernels::TileOperand;
using kernels::WordForm;
using kernels::prim::LocalTensor;
using kernels::prim::Scratch;
using tosa::DType;

constexpr kernels::Lanes kLanes{8, 32};
constexpr std::int64_t kLocalBytes = 32 * 1024;

/// Value of a floating-point pattern with a sign, `exponent_bits` and `fraction_bits`.
float decode(std::uint32_t bits, int exponent_bits, int fraction_bits) {
    const std::uint32_t fraction = bits & ((1u << fraction_bits) - 1);
    const int exponent = static_cast<int>((bits >> fraction_bits) & ((1u << exponent_bits) - 1));
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const double scale = std::ldexp(1.0, -fraction_bits);
    const double magnitude = exponent == 0 ? std::ldexp(fraction * scale, 1 - bias)
                                           : std::ldexp(1.0 + fraction * scale, exponent - bias);
    const bool negative = (bits >> (exponent_bits + fraction_bits)) != 0;
    return static_cast<float>(negative ? -magnitude : magnitude);
}

/// The word that WordForm documents for a stored element.
std::uint32_t expected_word(DType type, WordForm form, std::uint32_t stored) {
    const bool is_float = form == WordForm::kFloat || form == WordForm::kUnsignedFloat;
    const bool is_signed = form == WordForm::kValue || form == WordForm::kFloat;
    const auto number = [&](std::int32_t value) {
        return is_float ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                        : static_cast<std::uint32_t>(value);
    };
    if (form == WordForm::kBits) return stored;
    switch (type) {
        case DType::kBool: return number(static_cast<std::int32_t>(stored));
        case DType::kI4:
        case DType::kI8:
            return number(is_signed ? static_cast<std::int8_t>(stored)
                                    : static_cast<std::int32_t>(stored));
        case DType::kI16:
            return number(is_signed ? static_cast<std::int16_t>(stored)
                                    : static_cast<std::int32_t>(stored));
        case DType::kI32: return number(static_cast<std::int32_t>(stored));
        case DType::kFp8E4M3: return std::bit_cast<std::uint32_t>(decode(stored, 4, 3));
        case DType::kFp8E5M2: return std::bit_cast<std::uint32_t>(decode(stored, 5, 2));
        case DType::kFp16: return std::bit_cast<std::uint32_t>(decode(stored, 5, 10));
        case DType::kBf16: return stored << 16;
        default: return stored;
    }
}

/// A random element; no NaN and no infinity, whose patterns CAST may change.
std::uint32_t random_element(DType type, RandomSource& random) {
    const auto bits = static_cast<std::uint32_t>(random.bits());
    switch (type) {
        case DType::kBool: return bits & 1;
        case DType::kI4: return static_cast<std::uint8_t>(random.between(-7, 7));
        case DType::kI8: return bits & 0xFF;
        case DType::kI16: return bits & 0xFFFF;
        case DType::kFp8E4M3: return (bits & 0x7F) == 0x7F ? 0 : bits & 0xFF;
        case DType::kFp8E5M2: return (bits & 0x7C) == 0x7C ? 0 : bits & 0xFF;
        case DType::kFp16: return (bits & 0x7C00) == 0x7C00 ? 0 : bits & 0xFFFF;
        case DType::kBf16: return (bits & 0x7F80) == 0x7F80 ? 0 : bits & 0xFFFF;
        default: return bits;
    }
}

/// A random block whose strides follow some order of the dimensions, with gaps; `broadcast` sets
/// some strides to 0.
TileOperand random_operand(DType type, bool broadcast, RandomSource& random) {
    TileOperand operand;
    operand.type = type;
    operand.c = static_cast<std::int32_t>(random.between(1, 20));
    operand.h = static_cast<std::int32_t>(random.between(1, 6));
    operand.w = static_cast<std::int32_t>(random.between(1, 9));
    std::int64_t* strides[] = {&operand.c_stride, &operand.h_stride, &operand.w_stride};
    const std::int32_t extents[] = {operand.c, operand.h, operand.w};
    static constexpr int kOrders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                         {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const auto& order = kOrders[random.below(6)];
    std::int64_t step = random.pick({1, 1, 1, 2});
    for (const int axis : {order[2], order[1], order[0]}) {
        *strides[axis] = step;
        step = step * extents[axis] + random.pick({0, 0, 1, 3});
    }
    if (broadcast) {
        for (std::int64_t* stride : strides) {
            if (random.one_in(3)) *stride = 0;
        }
    }
    return operand;
}

std::int64_t offset_of(const TileOperand& operand, int c, int h, int w) {
    return c * operand.c_stride + h * operand.h_stride + w * operand.w_stride;
}

/// Runs `kernel` with a scratch over all local memory.
void run(KernelMachine& machine, const std::function<void(Scratch&)>& kernel) {
    machine.run([&] {
        okk_initialize();
        Scratch scratch(0, kLocalBytes, kLanes);
        kernel(scratch);
        okk_poll();
    });
}

struct Case {
    DType type;
    WordForm form;
};

constexpr Case kCases[] = {
    {DType::kBool, WordForm::kValue},         {DType::kI4, WordForm::kValue},
    {DType::kI8, WordForm::kValue},           {DType::kI8, WordForm::kUnsigned},
    {DType::kI8, WordForm::kFloat},           {DType::kI8, WordForm::kUnsignedFloat},
    {DType::kI16, WordForm::kValue},          {DType::kI16, WordForm::kUnsigned},
    {DType::kI16, WordForm::kFloat},          {DType::kI16, WordForm::kUnsignedFloat},
    {DType::kI32, WordForm::kValue},          {DType::kFp8E4M3, WordForm::kValue},
    {DType::kFp8E5M2, WordForm::kValue},      {DType::kFp16, WordForm::kValue},
    {DType::kBf16, WordForm::kValue},         {DType::kFp32, WordForm::kValue},
    {DType::kFp16, WordForm::kBits},          {DType::kFp8E4M3, WordForm::kBits},
    {DType::kBool, WordForm::kUnsignedFloat},
};

constexpr std::uint64_t kSource = 0x100000000, kTarget = 0x100080000;
constexpr std::size_t kSpan = 0x10000;

/// Two random blocks of equal extents at different addresses; the first may broadcast.
std::pair<TileOperand, TileOperand> random_blocks(DType type, RandomSource& random) {
    TileOperand source = random_operand(type, true, random);
    TileOperand target = random_operand(type, false, random);
    if (random.one_in(2)) {
        target.c = source.c;
        target.h = source.h;
        target.w = source.w;
        target.w_stride = 1;
        target.h_stride = target.w + 1;
        target.c_stride = target.h * target.h_stride;
    } else {
        source.c = target.c;
        source.h = target.h;
        source.w = target.w;
    }
    source.address = kSource;
    target.address = kTarget;
    return {source, target};
}

/// Calls body(c, h, w) for every element of a block.
template <typename Body>
void for_each_element(const TileOperand& block, const Body& body) {
    for (int c = 0; c < block.c; ++c) {
        for (int h = 0; h < block.h; ++h) {
            for (int w = 0; w < block.w; ++w) body(c, h, w);
        }
    }
}

/// Loads a tile, returns its words, and stores it.
using Passage =
    std::function<void(const TileOperand& source, const TileOperand& target, WordForm form,
                       Scratch& scratch, const std::function<void(const LocalTensor&)>& look)>;

void check_passage(KernelMachine& machine, const Case& each, RandomSource& random,
                   const Passage& passage) {
    const auto bytes = static_cast<std::size_t>(kernels::stored_bytes(each.type));
    const auto [source, target] = random_blocks(each.type, random);
    std::byte* from = machine.port().system_memory().pointer(kSource, 0x80000);
    std::byte* to = machine.port().system_memory().pointer(kTarget, 0x80000);
    const auto at = [bytes](const TileOperand& block, int c, int h, int w) {
        return static_cast<std::ptrdiff_t>(bytes) * offset_of(block, c, h, w);
    };
    for_each_element(source, [&, &block = source](int c, int h, int w) {
        const std::uint32_t bits = random_element(each.type, random);
        std::memcpy(from + at(block, c, h, w), &bits, bytes);
    });
    std::memset(to, 0xA5, kSpan);
    std::vector<std::byte> expected(to, to + kSpan);
    std::vector<std::uint32_t> words;
    run(machine, [&, &in = source, &out = target](Scratch& scratch) {
        passage(in, out, each.form, scratch, [&](const LocalTensor& tile) {
            okk_poll();
            words = machine.load(tile);
        });
    });
    std::size_t i = 0;
    bool equal = true;
    for_each_element(source, [&, &in = source, &out = target](int c, int h, int w) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, from + at(in, c, h, w), bytes);
        equal = equal && words[i++] == expected_word(each.type, each.form, bits);
        std::memcpy(expected.data() + at(out, c, h, w), &bits, bytes);
    });
    CHECK(equal);
    CHECK(std::memcmp(expected.data(), to, kSpan) == 0);
}

/// Copies the words of a tile that may broadcast to a separate plane.
LocalTensor whole(const LocalTensor& tile, Scratch::Frame& frame) {
    const LocalTensor copy = frame.plane(tile.shape);
    okk_bdc_32bit_cpy(copy.address, tile.address, &copy.shape, nullptr, tile.strides());
    return copy;
}

}  // namespace

TEST_CASE("tiles of every type become words and come back") {
    KernelMachine machine(kLanes.count, kLocalBytes);
    RandomSource random(1);
    for (int round = 0; round < 400; ++round) {
        const Case& each = random.element(kCases);
        INFO("type " << tosa::dtype_name(each.type) << " round " << round);
        check_passage(machine, each, random,
                      [](const TileOperand& source, const TileOperand& target, WordForm form,
                         Scratch& scratch, const auto& look) {
                          Scratch::Frame frame(scratch);
                          const dim4 loaded = kernels::loaded_shape(source, kLanes);
                          const local_addr_t packed = frame.plane(loaded).address;
                          const bool needs_words = kernels::needs_words(source.type, form);
                          const local_addr_t words =
                              needs_words ? frame.plane(loaded).address : packed;
                          kernels::load_packed(packed, source, kLanes);
                          const LocalTensor tile = whole(
                              kernels::widen_tile(words, packed, source, form, scratch), frame);
                          look(tile);
                          const local_addr_t buffer =
                              needs_words ? frame.plane(tile.shape).address : tile.address;
                          kernels::narrow_tile(buffer, tile, target.type, form, scratch);
                          kernels::store_packed(target, buffer, kLanes);
                      });
    }
}

TEST_CASE("the data mover spreads short elements over words") {
    KernelMachine machine(kLanes.count, kLocalBytes);
    RandomSource random(3);
    for (int round = 0; round < 400; ++round) {
        const Case& each = random.element(kCases);
        if (kernels::stored_bytes(each.type) == 4) continue;
        INFO("type " << tosa::dtype_name(each.type) << " round " << round);
        check_passage(machine, each, random,
                      [&](const TileOperand& source, const TileOperand& target, WordForm form,
                          Scratch& scratch, const auto& look) {
                          Scratch::Frame frame(scratch);
                          const dim4 loaded = kernels::loaded_shape(source, kLanes);
                          const local_addr_t words = frame.plane(loaded).address;
                          kernels::load_spread(words, source, form, kLanes);
                          const LocalTensor tile =
                              whole(kernels::widen_spread(words, source, form, scratch), frame);
                          look(tile);
                          kernels::narrow_spread(tile, target.type, form, scratch);
                          kernels::store_spread(target, tile.address, kLanes);
                      });
    }
}

TEST_CASE("tiles of int48 are pairs of words") {
    KernelMachine machine(kLanes.count, kLocalBytes);
    RandomSource random(2);
    for (int round = 0; round < 100; ++round) {
        TileOperand source = random_operand(DType::kI48, true, random);
        source.address = 0x100000000;
        TileOperand target = source;
        target.address = 0x100080000;
        target.w_stride = random.pick({1, 2});
        target.h_stride = target.w * target.w_stride;
        target.c_stride = target.h * target.h_stride;
        std::byte* from = machine.port().system_memory().pointer(source.address, 0x80000);
        std::byte* to = machine.port().system_memory().pointer(target.address, 0x80000);
        for (int i = 0; i < 0x4000; ++i) {
            const auto bits = static_cast<std::int64_t>(random.bits()) >> 16;
            std::memcpy(from + 8 * i, &bits, 8);
        }
        run(machine, [&](Scratch& scratch) {
            // Twice the width: two words per element.
            Scratch::Frame frame(scratch);
            const local_addr_t in = frame.plane({1, source.c, source.h, 2 * source.w}).address;
            const local_addr_t out = frame.plane({1, source.c, source.h, 2 * source.w}).address;
            kernels::load_packed(in, source, kLanes);
            const auto a = kernels::wide_tile(in, source, kLanes);
            const auto b = kernels::wide_tile(out, target, kLanes);
            const dim4 shape = source.shape();
            okk_bdc_32bit_cpy(b.low.address, a.low.address, &shape, b.low.strides(),
                              a.low.strides());
            okk_bdc_32bit_cpy(b.high.address, a.high.address, &shape, b.high.strides(),
                              a.high.strides());
            kernels::store_packed(target, out, kLanes);
        });
        bool equal = true;
        for (int c = 0; c < source.c; ++c)
            for (int h = 0; h < source.h; ++h)
                for (int w = 0; w < source.w; ++w)
                    equal = equal && std::memcmp(from + 8 * offset_of(source, c, h, w),
                                                 to + 8 * offset_of(target, c, h, w), 8) == 0;
        CHECK(equal);
    }
}

namespace {

/// Loads random words as a tile from `source` and stores them to `target`. Returns the number of
/// GDMA commands.
std::uint64_t commands_of_passage(const TileOperand& source, const TileOperand& target) {
    KernelMachine machine(kLanes.count, kLocalBytes);
    RandomSource random(3);
    auto& memory = machine.port().system_memory();
    std::byte* from = memory.pointer(source.address, kSpan);
    std::byte* to = memory.pointer(target.address, kSpan);
    for (std::size_t i = 0; i < kSpan / 4; ++i) {
        const auto bits = static_cast<std::uint32_t>(random.bits());
        std::memcpy(from + 4 * i, &bits, 4);
    }
    const auto counts = machine.run([&] {
        okk_initialize();
        kernels::load_packed(0, source, kLanes);
        kernels::store_packed(target, 0, kLanes);
        okk_poll();
    });
    bool equal = true;
    for (int c = 0; c < source.c; ++c)
        for (int h = 0; h < source.h; ++h)
            for (int w = 0; w < source.w; ++w)
                equal = equal && std::memcmp(from + 4 * offset_of(source, c, h, w),
                                             to + 4 * offset_of(target, c, h, w), 4) == 0;
    CHECK(equal);
    return counts.commands[isa::Engine::kGdma];
}

}  // namespace

TEST_CASE("single elements pass in the order of system memory") {
    // A feature map stored channel first: pixels over the lanes, channels and images inside. Pixels
    // are contiguous, channels 50 apart, images 2000. A single command would jump back for each
    // channel.
    TileOperand map{kSource, DType::kFp32, 40, 2, 13, 1, 2000, 50};
    TileOperand row_major{kTarget, DType::kFp32, 40, 2, 13, 13, 520, 1};
    // 40 * 13 elements need one command per image; the other side needs one in total.
    CHECK(commands_of_passage(map, row_major) == 2 + 1);
    map.address = kTarget;
    row_major.address = kSource;
    CHECK(commands_of_passage(row_major, map) == 1 + 2);
    // 40 * 12 elements are few enough for a single command.
    map.w = row_major.w = 12;
    CHECK(commands_of_passage(row_major, map) == 1 + 1);
    // One image needs one command in any case.
    map.w = row_major.w = 13;
    map.h = row_major.h = 1;
    CHECK(commands_of_passage(row_major, map) == 1 + 1);
}

}  // namespace okksim::tests
