// SPDX-License-Identifier: Apache-2.0
#include "kernels/fourier/fourier_roots.h"

#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <tuple>
#include <utility>
#include <vector>

#include "firmware/okk_access.h"
#include "kernels/call/computing.h"
#include "kernels/fourier/fourier_transform.h"

namespace okksim::kernels {
namespace {

/// Exact at multiples of a quarter turn.
std::pair<float, float> root_of_unity(std::int64_t k, std::int64_t n, bool inverse) {
    constexpr std::array<std::pair<float, float>, 4> kQuarters{
        {{1.0f, 0.0f}, {0.0f, -1.0f}, {-1.0f, 0.0f}, {0.0f, 1.0f}}};
    std::pair<float, float> root;
    if (4 * k % n == 0) {
        root = kQuarters[static_cast<std::size_t>(4 * k / n % 4)];
    } else {
        const double angle =
            -2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
        root = {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
    }
    if (inverse) root.second = -root.second;
    return root;
}

void store_all(const RootTable& table, bool inverse, const ConstantMemory& memory) {
    const auto columns = static_cast<std::size_t>(table.columns);
    const auto length = static_cast<std::size_t>(table.length);
    std::vector<float> words(table.bytes() / sizeof(float));
    for (std::size_t k = 0; k < length; ++k) {
        std::tie(words[k], words[length + k]) =
            root_of_unity(static_cast<std::int64_t>(k), table.length, inverse);
    }
    // The factors are some of the roots.
    std::size_t factor = 2 * length;
    for (std::size_t k1 = 0; columns > 0 && k1 < length / columns; ++k1) {
        for (std::size_t n2 = 0; n2 < columns; ++n2, ++factor) {
            words[factor] = words[n2 * k1];
            words[factor + length] = words[length + n2 * k1];
        }
    }
    memory.write_values(table.address, words);
}

}  // namespace

void store_roots(const FourierRoots& roots, bool inverse, const ConstantMemory& memory) {
    store_all(roots.rows, inverse, memory);
    if (roots.columns.address != roots.rows.address) store_all(roots.columns, inverse, memory);
}

FourierRoots FourierRoots::at(std::uint64_t address, const OperatorCall& call,
                              const FourierPlan& plan) {
    const auto columns = [&](std::size_t transform) {
        return transform < plan.transforms.size() ? plan.transforms[transform].columns : 0;
    };
    FourierRoots roots;
    roots.rows = {address, call.inputs[0].dims[2], columns(0)};
    roots.columns = {address, call.inputs[0].dims[1], columns(1)};
    const bool same =
        roots.columns.length == roots.rows.length && roots.columns.columns == roots.rows.columns;
    if (!same) roots.columns.address += roots.rows.bytes();
    return roots;
}

std::uint64_t FourierRoots::bytes() const {
    return rows.bytes() + (columns.address == rows.address ? 0 : columns.bytes());
}

bool is_fourier(tosa::OpCode op) {
    return op == tosa::OpCode::kFft2d || op == tosa::OpCode::kRfft2d;
}

bool is_inverse(const OperatorCall& call) {
    return call.op == tosa::OpCode::kFft2d && call.attributes_as<tosa::Fft2dAttributes>().inverse;
}

}  // namespace okksim::kernels
