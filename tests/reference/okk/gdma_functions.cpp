// SPDX-License-Identifier: Apache-2.0
// GDMA functions: copies, matrix copies, fills.
#include <cstring>

#include "tests/reference/okk/functions.h"

namespace okksim::tests::reference {

namespace {

enum class Side { kLocal, kSystem };

Tensor side_tensor(Call& call, Side side, std::int64_t address, const Extents& shape,
                   const std::optional<Extents>& stride, int bytes) {
    if (side == Side::kSystem) {
        return Tensor::system(call.image, address, bytes,
                              stride ? *stride : continuous_strides(shape));
    }
    return stride ? Tensor::local(call.image, address, bytes, *stride)
                  : Tensor::aligned(call.image, address, bytes, shape);
}

void copy(Call& call, Side dst_side, Side src_side, int bytes) {
    const std::int64_t dst_address = call.integer();
    const std::int64_t src_address = call.integer();
    const Extents shape = call.shape();
    const auto dst_stride = call.stride();
    const auto src_stride = call.stride();
    const Tensor dst = side_tensor(call, dst_side, dst_address, shape, dst_stride, bytes);
    const Tensor src = side_tensor(call, src_side, src_address, shape, src_stride, bytes);
    for_each_element(shape, [&](auto n, auto c, auto h, auto w) {
        std::memmove(dst.at(n, c, h, w), src.at(n, c, h, w), static_cast<std::size_t>(bytes));
    });
}

void fill(Call& call, Side side, int bytes) {
    const std::int64_t address = call.integer();
    const Word value = call.bits();
    const Extents shape = call.shape();
    const auto stride = call.stride();
    Tensor dst = side_tensor(call, side, address, shape, stride, bytes);
    if (call.options.sdk_quirks && side == Side::kLocal && !stride) {
        // The SDK uses the 32-bit aligned layout, counted in elements, for every width.
        const std::int64_t slots = Tensor::slots(call.image, address, shape.c);
        dst = Tensor::local(call.image, address, bytes,
                            aligned_strides(shape, slots, call.image.line_bytes / 4));
    }
    for_each_element(shape, [&](auto n, auto c, auto h, auto w) {
        std::memcpy(dst.at(n, c, h, w), &value, static_cast<std::size_t>(bytes));
    });
}

void matrix_copy(Call& call, Side dst_side) {
    const std::int64_t dst_address = call.integer();
    const std::int64_t src_address = call.integer();
    const std::int64_t rows = call.integer();
    const std::int64_t cols = call.integer();
    const std::int64_t width = call.integer();
    const std::int64_t row_stride = call.integer();
    const bool to_local = dst_side == Side::kLocal;
    const Matrix local =
        Matrix::dense(call.image, to_local ? dst_address : src_address, rows, cols, width);
    const Tensor system =
        Tensor::system(call.image, to_local ? src_address : dst_address, 4, {row_stride, 0, 0, 1});
    for (std::int64_t x = 0; x < rows; ++x) {
        for (std::int64_t y = 0; y < cols; ++y) {
            std::uint8_t* outside = system.at(x, 0, 0, y);
            std::uint8_t* inside = local.at(x, y);
            std::memcpy(to_local ? inside : outside, to_local ? outside : inside, 4);
        }
    }
}

}  // namespace

void add_gdma_functions(FunctionTable& table) {
    for (const int bits : {32, 16, 8}) {
        const std::string prefix = "okk_gdma_" + std::to_string(bits) + "bit_";
        const int bytes = bits / 8;
        table[prefix + "cpy_S2L"] = [=](Call& c) { copy(c, Side::kLocal, Side::kSystem, bytes); };
        table[prefix + "cpy_L2S"] = [=](Call& c) { copy(c, Side::kSystem, Side::kLocal, bytes); };
        table[prefix + "cpy_L2L"] = [=](Call& c) { copy(c, Side::kLocal, Side::kLocal, bytes); };
        table[prefix + "cpy_S2S"] = [=](Call& c) { copy(c, Side::kSystem, Side::kSystem, bytes); };
        table[prefix + "set_C_system"] = [=](Call& c) { fill(c, Side::kSystem, bytes); };
        table[prefix + "set_C_local"] = [=](Call& c) { fill(c, Side::kLocal, bytes); };
    }
    table["okk_gdma_32bit_matrix_S2L"] = [](Call& c) { matrix_copy(c, Side::kLocal); };
    table["okk_gdma_32bit_matrix_L2S"] = [](Call& c) { matrix_copy(c, Side::kSystem); };
}

}  // namespace okksim::tests::reference
