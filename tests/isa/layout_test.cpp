// SPDX-License-Identifier: Apache-2.0
#include "isa/layout.h"

#include "tests/support/catch.h"

namespace okksim::tests {

using isa::Dim4;

TEST_CASE("channel slots per lane") {
    // ceil((start + channels) / lanes)
    CHECK(isa::channels_per_lane(0, 64, 64) == 1);
    CHECK(isa::channels_per_lane(0, 65, 64) == 2);
    CHECK(isa::channels_per_lane(1, 64, 64) == 2);
    CHECK(isa::channels_per_lane(63, 1, 64) == 1);
    CHECK(isa::channels_per_lane(60, 10, 64) == 2);
    CHECK(isa::channels_per_lane(0, 4095, 1) == 4095);
    CHECK(isa::channels_per_lane(3, 9, 4) == 3);
}

TEST_CASE("128-byte aligned strides") {
    // 5 * 7 = 35 elements: 64 of 32 bits, 64 of 16 bits, 128 of 8 bits fill whole 128-byte units.
    const Dim4 shape{2, 70, 5, 7};
    // 70 channels from lane 0 take 2 slots, from lane 60 ceil(130 / 64) = 3.
    CHECK(isa::aligned_stride(0, shape, 32, 64, 128) == Dim4{128, 64, 7, 1});
    CHECK(isa::aligned_stride(0, shape, 16, 64, 128) == Dim4{128, 64, 7, 1});
    CHECK(isa::aligned_stride(0, shape, 8, 64, 128) == Dim4{256, 128, 7, 1});
    CHECK(isa::aligned_stride(60, shape, 32, 64, 128) == Dim4{192, 64, 7, 1});
    // 4 * 8 = 32 words are exactly one unit.
    CHECK(isa::aligned_stride(0, {1, 1, 4, 8}, 32, 64, 128) == Dim4{32, 32, 8, 1});
    CHECK(isa::aligned_stride(0, {1, 1, 4, 8}, 16, 64, 128) == Dim4{64, 64, 8, 1});
    CHECK(isa::aligned_stride(0, {1, 1, 1, 33}, 32, 64, 128) == Dim4{64, 64, 33, 1});
}

TEST_CASE("compact and continuous strides") {
    const Dim4 shape{2, 70, 5, 7};
    CHECK(isa::compact_stride(0, shape, 64) == Dim4{70, 35, 7, 1});
    CHECK(isa::compact_stride(60, shape, 64) == Dim4{105, 35, 7, 1});
    CHECK(isa::compact_stride(1, {1, 6, 1, 1}, 4) == Dim4{2, 1, 1, 1});
    // 70 * 35 = 2450
    CHECK(isa::continuous_stride(shape) == Dim4{2450, 35, 7, 1});
}

TEST_CASE("matrix, packed and weight shapes") {
    CHECK(isa::matrix_shape(3, 10, 4) == Dim4{3, 3, 1, 4});
    CHECK(isa::matrix_shape(3, 12, 4) == Dim4{3, 3, 1, 4});
    CHECK(isa::matrix_shape(1, 1, 128) == Dim4{1, 1, 1, 128});
    CHECK(isa::packed_shape({5, 2, 3, 4}, 8) == Dim4{2, 2, 3, 4});
    CHECK(isa::packed_shape({5, 2, 3, 4}, 16) == Dim4{3, 2, 3, 4});
    CHECK(isa::packed_shape({4, 2, 3, 4}, 8) == Dim4{1, 2, 3, 4});
    CHECK(isa::weight_2ic_shape(3, 8, 5, 7) == Dim4{2, 8, 5, 7});
    CHECK(isa::weight_2ic_shape(4, 8, 5, 7) == Dim4{2, 8, 5, 7});
}

TEST_CASE("outputs of windows") {
    // (7 + 2 - 3) / 2 + 1 = 4; (7 + 2 - 4) / 2 + 1 = 3 (floor); dilation 3: (3 - 1) * 3 + 1 = 7.
    CHECK(isa::window_output(7, 2, 3, 1, 2) == 4);
    CHECK(isa::window_output(7, 2, 4, 1, 2) == 3);
    CHECK(isa::window_output(7, 2, 3, 3, 1) == 3);
    CHECK(isa::window_output(7, 0, 7, 1, 15) == 1);
    CHECK(isa::window_output(7, 0, 8, 1, 1) == 0);
    CHECK(isa::window_output(2047, 30, 2147483647, 15, 1) == 0);
}

TEST_CASE("lanes and offsets of local addresses") {
    isa::MachineShape machine;
    machine.lanes = 64;
    machine.local_bytes = 512 * 1024;
    CHECK(machine.lane_of({0}) == 0);
    CHECK(machine.lane_of({524287}) == 0);
    CHECK(machine.lane_of({524288}) == 1);
    CHECK(machine.offset_of({524288 + 128}) == 128);
    CHECK(machine.lane_of({0xFFFFFFFF}) == 8191);
    // A size that is no power of two.
    machine.local_bytes = 100000;
    CHECK(machine.lane_of({299999}) == 2);
    CHECK(machine.offset_of({299999}) == 99999);
}

}  // namespace okksim::tests
