// SPDX-License-Identifier: Apache-2.0
// Copies with strides in any order against their definition, byte by byte.
#include <cstring>
#include <vector>

#include "isa/disassembler.h"
#include "isa/layout.h"
#include "isa/operands.h"
#include "isa/rules.h"
#include "models/gdma/gdma_semantics.h"
#include "tests/support/catch.h"
#include "tests/support/random_values.h"
#include "tests/support/small_machine.h"

namespace okksim::tests {
namespace {

using isa::Dim4;

constexpr std::int32_t kLanes = 4;
constexpr std::int64_t kLaneBytes = 16384;
constexpr std::int64_t kSystemBytes = 16384;

isa::MachineShape all_groups() {
    isa::MachineShape machine = small_machine(kLanes, kLaneBytes);
    machine.features = isa::kAllFeatures;
    return machine;
}

/// One side of a copy: an element in the first lane, or in system memory.
struct Place {
    bool is_local = false;
    std::int64_t lane = 0;
    std::int64_t byte = 0;
    Dim4 stride;

    /// Address of an element, counted over all lanes or from the start of system memory.
    std::int64_t at(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w,
                    std::int64_t bytes) const {
        const std::int64_t place = lane + c;
        const std::int64_t channel = is_local ? place / kLanes : c;
        const std::int64_t element =
            n * stride.n + channel * stride.c + h * stride.h + w * stride.w;
        return byte + element * bytes + (is_local ? place % kLanes * kLaneBytes : 0);
    }
};

/// All bytes of both memories.
struct Image {
    std::vector<std::uint8_t> local = std::vector<std::uint8_t>(kLanes * kLaneBytes);
    std::vector<std::uint8_t> system = std::vector<std::uint8_t>(kSystemBytes);
    std::uint8_t& byte(const Place& place, std::int64_t at) {
        return (place.is_local ? local : system).at(static_cast<std::size_t>(at));
    }
};

/// The definition: one element at a time, w fastest.
void copy(Image& image, const Place& to, const Place& from, const Dim4& shape, int bytes) {
    for (std::int32_t n = 0; n < shape.n; ++n) {
        for (std::int32_t c = 0; c < shape.c; ++c) {
            for (std::int32_t h = 0; h < shape.h; ++h) {
                for (std::int32_t w = 0; w < shape.w; ++w) {
                    std::vector<std::uint8_t> element;
                    for (int i = 0; i < bytes; ++i) {
                        element.push_back(image.byte(from, from.at(n, c, h, w, bytes) + i));
                    }
                    for (int i = 0; i < bytes; ++i) {
                        image.byte(to, to.at(n, c, h, w, bytes) + i) =
                            element[static_cast<std::size_t>(i)];
                    }
                }
            }
        }
    }
}

/// Random strides in any dimension order, with gaps, some negative; start addresses in the middle.
Place random_place(RandomSource& random, bool is_local, const Dim4& shape, int bytes) {
    Place place;
    place.is_local = is_local;
    place.lane = is_local ? random.below(kLanes) : 0;
    const std::int64_t slots = (place.lane + shape.c + kLanes - 1) / kLanes;
    const std::int64_t extents[] = {shape.n, is_local ? slots : shape.c, shape.h, shape.w};
    std::int32_t* strides[] = {&place.stride.n, &place.stride.c, &place.stride.h, &place.stride.w};
    std::vector<std::size_t> order{0, 1, 2, 3};
    for (std::size_t i = 3; i > 0; --i) {
        std::swap(order[i],
                  order[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i) + 1))]);
    }
    std::int64_t span = 1;
    for (const std::size_t i : order) {
        const std::int64_t stride = span + (random.one_in(4) ? random.below(3) : 0);
        *strides[i] = static_cast<std::int32_t>(random.one_in(4) ? -stride : stride);
        span = stride * extents[i];
    }
    // A source may repeat any dimension.
    place.byte = 8192 + bytes * random.below(16);
    return place;
}

}  // namespace

TEST_CASE("copies in the order of any strides move element by element") {
    const isa::MachineShape machine = all_groups();
    RandomSource random(11);
    const isa::Opcode opcodes[] = {isa::Opcode::gdma_transpose_S2L, isa::Opcode::gdma_transpose_L2S,
                                   isa::Opcode::gdma_transpose_L2L,
                                   isa::Opcode::gdma_transpose_S2S};
    const std::pair<isa::ElementType, int> types[] = {{isa::ElementType::kInt8, 1},
                                                      {isa::ElementType::kUint16, 2},
                                                      {isa::ElementType::kBf16, 2},
                                                      {isa::ElementType::kFp32, 4}};
    for (int i = 0; i < 3000; ++i) {
        const isa::Opcode opcode = opcodes[i % 4];
        const bool to_local = i % 4 == 0 || i % 4 == 2;
        const bool from_local = i % 4 == 1 || i % 4 == 2;
        const auto [type, bytes] = types[random.below(4)];
        const Dim4 shape{static_cast<std::int32_t>(random.between(1, 2)),
                         static_cast<std::int32_t>(random.between(1, 6)),
                         static_cast<std::int32_t>(random.between(1, 4)),
                         static_cast<std::int32_t>(random.between(1, 7))};
        const Place to = random_place(random, to_local, shape, bytes);
        Place from = random_place(random, from_local, shape, bytes);
        if (random.one_in(5)) from.stride.h = 0;

        models::LocalMemory local(machine);
        models::SystemMemory system(machine);
        Image image;
        fill_random(random, image.local);
        fill_random(random, image.system);
        for (std::int32_t lane = 0; lane < kLanes; ++lane) {
            std::memcpy(local.at(lane, 0),
                        &image.local[static_cast<std::size_t>(lane * kLaneBytes)],
                        static_cast<std::size_t>(kLaneBytes));
        }
        std::byte* global = system.pointer(machine.global_start, kSystemBytes);
        std::memcpy(global, image.system.data(), image.system.size());

        const auto local_addr = [](const Place& place) {
            return isa::LocalAddr{static_cast<std::uint32_t>(place.lane * kLaneBytes + place.byte)};
        };
        const auto system_addr = [&](const Place& place) {
            return isa::SystemAddr::from(machine.global_start +
                                         static_cast<std::uint64_t>(place.byte));
        };
        isa::Command command;
        const auto make = [&]<typename Form>(Form form, const auto& to_addr,
                                             const auto& from_addr) {
            form.dst_addr = to_addr;
            form.src_addr = from_addr;
            form.shape = shape;
            form.dst_stride = to.stride;
            form.src_stride = from.stride;
            form.element_type = type;
            command = isa::Command::make(opcode, form);
        };
        switch (i % 4) {
            case 0: make(isa::GdmaTransposeToLocal{}, local_addr(to), system_addr(from)); break;
            case 1: make(isa::GdmaTransposeToSystem{}, system_addr(to), local_addr(from)); break;
            case 2: make(isa::GdmaTransposeLocal{}, local_addr(to), local_addr(from)); break;
            default: make(isa::GdmaTransposeSystem{}, system_addr(to), system_addr(from)); break;
        }
        INFO(isa::disassemble_operation(command, machine));
        if (isa::check(command, machine, true)) continue;  // the sides of L2L may begin apart
        models::execute_gdma(command, local, system);
        copy(image, to, from, shape, bytes);
        for (std::int32_t lane = 0; lane < kLanes; ++lane) {
            REQUIRE(std::memcmp(local.at(lane, 0),
                                &image.local[static_cast<std::size_t>(lane * kLaneBytes)],
                                static_cast<std::size_t>(kLaneBytes)) == 0);
        }
        REQUIRE(std::memcmp(global, image.system.data(), image.system.size()) == 0);
    }
}

}  // namespace okksim::tests
