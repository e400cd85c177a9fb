// SPDX-License-Identifier: Apache-2.0
#include "kernels/strided_copy.h"

#include <algorithm>
#include <array>
#include <vector>

#include "firmware/okk.h"
#include "isa/errors.h"
#include "kernels/narrow.h"

namespace okksim::kernels {
namespace {

/// The four dimensions of one data-mover command and the loops around it.
struct CommandShape {
    std::array<NdAxis, 4> inner;  ///< w, h, c, n
    std::vector<NdAxis> loops;    ///< innermost first
};

/// Assigns merged axes to a command: the innermost becomes w only where every operand has unit
/// stride, because the data mover moves nothing else along w. Of the others the longest go into the
/// command, in their order, and the rest are loops.
CommandShape assign_axes(std::vector<NdAxis> axes, std::size_t operands) {
    CommandShape shape;
    bool unit = true;
    for (std::size_t k = 0; k < operands; ++k) unit = unit && axes[0].strides[k] == 1;
    if (unit) {
        shape.inner[0] = axes[0];
        axes.erase(axes.begin());
    }
    while (axes.size() > 3) {
        const auto shortest =
            std::min_element(axes.rbegin(), axes.rend(),
                             [](const NdAxis& a, const NdAxis& b) { return a.extent < b.extent; });
        shape.loops.push_back(*shortest);
        axes.erase(std::next(shortest).base());
    }
    std::copy(axes.begin(), axes.end(), shape.inner.begin() + 1);
    return shape;
}

dim4 extents(const CommandShape& shape) {
    return {narrow(shape.inner[3].extent), narrow(shape.inner[2].extent),
            narrow(shape.inner[1].extent), narrow(shape.inner[0].extent)};
}

dim4 strides(const CommandShape& shape, std::size_t operand) {
    return {narrow(shape.inner[3].strides[operand]), narrow(shape.inner[2].strides[operand]),
            narrow(shape.inner[1].strides[operand]), 1};
}

template <typename Body>
void loop(const std::vector<NdAxis>& axes, std::size_t depth,
          std::array<std::int64_t, kMaxOperands> offsets, const Body& body) {
    if (depth == 0) {
        body(offsets);
        return;
    }
    const NdAxis& axis = axes[depth - 1];
    for (std::int64_t i = 0; i < axis.extent; ++i) {
        loop(axes, depth - 1, offsets, body);
        for (std::size_t k = 0; k < kMaxOperands; ++k) offsets[k] += axis.strides[k];
    }
}

void copy_command(std::uint64_t to, std::uint64_t from, const dim4& shape, const dim4& to_stride,
                  const dim4& from_stride, int element_bytes) {
    switch (element_bytes) {
        case 1: okk_gdma_8bit_cpy_S2S(to, from, &shape, &to_stride, &from_stride); return;
        case 2: okk_gdma_16bit_cpy_S2S(to, from, &shape, &to_stride, &from_stride); return;
        case 4: okk_gdma_32bit_cpy_S2S(to, from, &shape, &to_stride, &from_stride); return;
        default: OKKSIM_CHECK(false);
    }
}

void fill_command(std::uint64_t to, const dim4& shape, const dim4& stride, int element_bytes,
                  std::uint64_t bits) {
    switch (element_bytes) {
        case 1: {
            x8 value;
            value.u8 = static_cast<unsigned char>(bits);
            okk_gdma_8bit_set_C_system(to, value, &shape, &stride);
            return;
        }
        case 2: {
            x16 value;
            value.u16 = static_cast<unsigned short>(bits);
            okk_gdma_16bit_set_C_system(to, value, &shape, &stride);
            return;
        }
        case 4: {
            x32 value;
            value.u32 = static_cast<unsigned int>(bits);
            okk_gdma_32bit_set_C_system(to, value, &shape, &stride);
            return;
        }
        default: OKKSIM_CHECK(false);
    }
}

}  // namespace

std::vector<NdAxis> halves(std::vector<NdAxis> axes, std::size_t operands) {
    for (NdAxis& axis : axes) {
        for (std::size_t k = 0; k < operands; ++k) axis.strides[k] *= 2;
    }
    NdAxis half;
    half.extent = 2;
    half.strides.fill(1);
    axes.insert(axes.begin(), half);
    // A dense innermost axis joins its halves again.
    if (axes.size() > 1) {
        bool dense = true;
        for (std::size_t k = 0; k < operands; ++k) dense = dense && axes[1].strides[k] == 2;
        if (dense) {
            axes[1].extent *= 2;
            for (std::size_t k = 0; k < operands; ++k) axes[1].strides[k] = 1;
            axes.erase(axes.begin());
        }
    }
    return axes;
}

void copy_axes(std::uint64_t from, std::uint64_t to, std::vector<NdAxis> axes, int element_bytes) {
    constexpr std::size_t kOperands = 2;
    axes = merged_axes(std::move(axes), kOperands);
    if (axes.size() == 1 && axes[0].extent == 1) axes[0].strides.fill(1);
    const bool wide = element_bytes == 8;
    if (wide) axes = halves(std::move(axes), kOperands);
    const int bytes = wide ? 4 : element_bytes;
    const CommandShape shape = assign_axes(std::move(axes), kOperands);
    loop(shape.loops, shape.loops.size(), {}, [&](const auto& offsets) {
        copy_command(to + static_cast<std::uint64_t>(offsets[1] * bytes),
                     from + static_cast<std::uint64_t>(offsets[0] * bytes), extents(shape),
                     strides(shape, 1), strides(shape, 0), bytes);
    });
}

void copy_strided(const StridedRegion& from, const StridedRegion& to,
                  std::span<const std::int32_t> dims, int element_bytes) {
    const std::array<NdStrides, 2> operands{from.strides, to.strides};
    copy_axes(from.address, to.address, merged_axes(dims, operands), element_bytes);
}

void fill_strided(const StridedRegion& to, std::span<const std::int32_t> dims, int element_bytes,
                  std::uint64_t bits) {
    if (element_bytes == 8) {
        // The two halves are separate fills with doubled strides.
        StridedRegion low = to;
        for (auto& stride : low.strides) stride *= 2;
        StridedRegion high = low;
        high.address += 4;
        fill_strided(low, dims, 4, bits & 0xFFFFFFFFu);
        fill_strided(high, dims, 4, bits >> 32);
        return;
    }
    const std::array<NdStrides, 1> operands{to.strides};
    std::vector<NdAxis> axes = merged_axes(dims, operands);
    if (axes.size() == 1 && axes[0].extent == 1) axes[0].strides.fill(1);
    const CommandShape shape = assign_axes(std::move(axes), operands.size());
    loop(shape.loops, shape.loops.size(), {}, [&](const auto& offsets) {
        fill_command(to.address + static_cast<std::uint64_t>(offsets[0] * element_bytes),
                     extents(shape), strides(shape, 0), element_bytes, bits);
    });
}

void copy_tensor(const DeviceTensor& from, const DeviceTensor& to) {
    OKKSIM_CHECK(from.type == to.type && from.rank == to.rank);
    if (from.address == to.address && from.strides == to.strides) return;
    move_strided({from.address, from.strides}, {to.address, to.strides},
                 std::span(to.dims).first(static_cast<std::size_t>(to.rank)),
                 stored_bytes(to.type));
}

}  // namespace okksim::kernels
