// SPDX-License-Identifier: Apache-2.0
#include "sim/device/tensor_text.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "isa/layout.h"

namespace okksim::sim {

std::string word_text(std::uint32_t bits, WordText form) {
    switch (form) {
        case WordText::kFloat: return fmt::format("{}", std::bit_cast<float>(bits));
        case WordText::kInteger: return fmt::format("{}", static_cast<std::int32_t>(bits));
        case WordText::kUnsigned: return fmt::format("{}", bits);
        case WordText::kHex: return fmt::format("{:08x}", bits);
    }
    __builtin_unreachable();
}

isa::TensorView tensor_at(bool local, std::int32_t lane, std::uint64_t at, const isa::Dim4& shape,
                          const isa::MachineShape& machine) {
    isa::TensorView view;
    view.local = local;
    view.shape = shape;
    if (local) {
        const std::uint64_t start = static_cast<std::uint64_t>(lane * machine.local_bytes) + at;
        view.local_addr = {static_cast<std::uint32_t>(start)};
        view.stride = isa::aligned_stride(view.local_addr, shape, isa::kWordBits, machine);
    } else {
        view.system_addr = isa::SystemAddr::from(at);
        view.stride = isa::continuous_stride(shape);
    }
    return view;
}

std::optional<std::string> tensor_text(const isa::TensorView& view,
                                       const isa::MachineShape& machine, models::LocalMemory& local,
                                       models::SystemMemory& system, WordText form) {
    const auto row_at = [&](std::int32_t n, std::int32_t c, std::int32_t h) -> const std::byte* {
        std::int64_t words = std::int64_t{n} * view.stride.n + std::int64_t{h} * view.stride.h;
        const std::int64_t row_bytes = std::int64_t{view.shape.w} * isa::kWordBytes;
        if (!view.local) {
            words += std::int64_t{c} * view.stride.c;
            return system.pointer(
                view.system_addr.value() + static_cast<std::uint64_t>(words * isa::kWordBytes),
                static_cast<std::uint64_t>(row_bytes));
        }
        const std::int64_t position = std::int64_t{machine.lane_of(view.local_addr)} + c;
        words += position / machine.lanes * view.stride.c;
        const std::int64_t offset = machine.offset_of(view.local_addr) + words * isa::kWordBytes;
        if (offset + row_bytes > machine.local_bytes) return nullptr;
        return local.at(isa::narrow(position % machine.lanes), offset);
    };
    std::string text;
    for (std::int32_t n = 0; n < view.shape.n; ++n) {
        for (std::int32_t c = 0; c < view.shape.c; ++c) {
            for (std::int32_t h = 0; h < view.shape.h; ++h) {
                const std::byte* const row = row_at(n, c, h);
                if (row == nullptr) return std::nullopt;
                text += fmt::format("[{},{},{}]", n, c, h);
                for (std::int32_t w = 0; w < view.shape.w; ++w) {
                    std::uint32_t bits = 0;
                    std::memcpy(&bits, row + w * isa::kWordBytes, sizeof bits);
                    text += ' ' + word_text(bits, form);
                }
                text += '\n';
            }
        }
    }
    return text;
}

}  // namespace okksim::sim
