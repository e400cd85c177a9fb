// SPDX-License-Identifier: Apache-2.0
#include "tests/support/kernel_fixture.h"

#include <algorithm>
#include <stdexcept>

#include "firmware/leave/kernel_runner.h"
#include "isa/layout.h"

namespace okksim::tests {
namespace {

using kernels::prim::LocalTensor;
using kernels::prim::Scratch;

void call_lambda(const void* kernel) { (*static_cast<const std::function<void()>*>(kernel))(); }

/// Tile of apply(): one channel per lane.
constexpr int kTileLanes = 8;
constexpr int kTileWords = 1000;  // not a multiple of 32: padding exists

}  // namespace

KernelMachine::KernelMachine(std::int32_t lanes, std::int64_t local_bytes,
                             std::int64_t global_bytes, std::uint32_t groups)
    : port_([&] {
          isa::MachineShape shape = small_machine(lanes, local_bytes);
          shape.global_bytes = global_bytes;
          shape.features |= groups;
          return shape;
      }()),
      context_(port_) {}

firmware::CallCounts KernelMachine::run(const std::function<void()>& kernel) {
    const auto fault = firmware::run_kernel(context_, &call_lambda, &kernel);
    if (fault) throw std::runtime_error(fault->message());
    return context_.counts();
}

std::vector<std::uint32_t*> KernelMachine::elements(const LocalTensor& tensor) {
    const isa::MachineShape& machine = port_.machine();
    const std::int32_t start = machine.lane_of(isa::LocalAddr{tensor.address});
    const isa::Dim4 shape{tensor.shape.n, tensor.shape.c, tensor.shape.h, tensor.shape.w};
    isa::Dim4 stride = isa::aligned_stride(start, shape, 32, machine.lanes, machine.line_bytes());
    if (tensor.stride)
        stride = {tensor.stride->n, tensor.stride->c, tensor.stride->h, tensor.stride->w};
    std::vector<std::uint32_t*> pointers;
    for (int n = 0; n < shape.n; ++n) {
        for (int c = 0; c < shape.c; ++c) {
            const int lane = (start + c) % machine.lanes;
            const int slot = (start + c) / machine.lanes;
            for (int h = 0; h < shape.h; ++h) {
                for (int w = 0; w < shape.w; ++w) {
                    const std::int64_t element =
                        std::int64_t{n} * stride.n + std::int64_t{slot} * stride.c +
                        std::int64_t{h} * stride.h + std::int64_t{w} * stride.w;
                    const std::int64_t offset =
                        machine.offset_of(isa::LocalAddr{tensor.address}) + 4 * element;
                    pointers.push_back(port_.local_memory().words(lane, offset));
                }
            }
        }
    }
    return pointers;
}

std::vector<std::uint32_t> KernelMachine::load(const LocalTensor& tensor) {
    std::vector<std::uint32_t> words;
    for (const std::uint32_t* pointer : elements(tensor)) words.push_back(*pointer);
    return words;
}

void KernelMachine::store(const LocalTensor& tensor, std::span<const std::uint32_t> words) {
    const auto pointers = elements(tensor);
    for (std::size_t i = 0; i < pointers.size(); ++i) *pointers[i] = words[i];
}

Applied apply(const Primitive& primitive, int planes,
              std::span<const std::vector<std::uint32_t>> columns) {
    static KernelMachine machine(kTileLanes);
    const dim4 shape{1, kTileLanes, 1, kTileWords};
    const std::uint32_t bytes = kernels::prim::plane_bytes(shape, {kTileLanes, 32});
    std::vector<LocalTensor> sources;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        sources.push_back({static_cast<local_addr_t>((i + 1) * bytes), shape, std::nullopt});
    }
    const LocalTensor dst{0, shape, std::nullopt};
    const auto begin = static_cast<local_addr_t>((columns.size() + 1) * bytes);
    Applied result;
    const std::size_t count = columns.front().size();
    const std::size_t tile = static_cast<std::size_t>(kTileLanes) * kTileWords;
    for (std::size_t first = 0; first < count; first += tile) {
        std::fill_n(machine.port().local_memory().storage(),
                    machine.port().local_memory().storage_bytes(), std::byte{0xCD});
        for (std::size_t i = 0; i < columns.size(); ++i) {
            std::vector<std::uint32_t> words(tile, columns[i][first]);
            const std::size_t used = std::min(tile, count - first);
            std::copy_n(columns[i].begin() + static_cast<std::ptrdiff_t>(first), used,
                        words.begin());
            machine.store(sources[i], words);
        }
        const auto counts = machine.run([&] {
            okk_initialize();
            Scratch scratch(begin, bytes * static_cast<std::uint32_t>(planes), {kTileLanes, 32});
            primitive(dst, sources, scratch);
            okk_poll();
        });
        result.commands = counts.commands[isa::Engine::kBdc];
        const auto words = machine.load(dst);
        const std::size_t used = std::min(tile, count - first);
        result.words.insert(result.words.end(), words.begin(),
                            words.begin() + static_cast<std::ptrdiff_t>(used));
    }
    return result;
}

}  // namespace okksim::tests
