// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/block_transfer.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <vector>

#include "isa/types.h"
#include "kernels/call/computing.h"
#include "kernels/transfer/element_copy.h"

namespace okksim::kernels::conv {
namespace {

using isa::narrow;

struct Dimension {
    std::int64_t extent = 1;
    std::int64_t system = 0;
    std::int64_t local = 0;
};

/// Dimensions of a command and the loops around it.
struct Commands {
    int element_bytes = 4;
    Dimension n, c, h, w;
    std::vector<Dimension> loops;
};

/// Up to four dimensions. A fixed array, because firmware makes these lists for every transfer.
struct Dimensions {
    std::array<Dimension, 4> items;
    std::size_t count = 0;

    void push(const Dimension& dim) { items[count++] = dim; }
    /// Inserts before the first dimension with a larger stride in system memory.
    void insert_ascending(const Dimension& dim) {
        std::size_t place = count++;
        for (; place > 0 && std::abs(items[place - 1].system) > std::abs(dim.system); --place) {
            items[place] = items[place - 1];
        }
        items[place] = dim;
    }
    const Dimension* begin() const { return items.data(); }
    const Dimension* end() const { return items.data() + count; }
};

/// Every dimension but c that has more than one element, innermost in system memory first. Elements
/// of eight bytes are pairs of words.
Dimensions plain_dimensions(const BlockTransfer& block) {
    const std::int64_t words = block.element_bytes == 8 ? 2 : 1;
    Dimensions dims;
    if (words == 2) dims.push({2, 1, 1});
    const std::array<int, 4> extents{block.shape.n, block.shape.c, block.shape.h, block.shape.w};
    for (const std::size_t i : {std::size_t{3}, std::size_t{2}, std::size_t{0}}) {
        if (extents[i] == 1) continue;
        dims.insert_ascending({extents[i], block.system[i] * words, block.local[i] * words});
    }
    return dims;
}

Dimensions merged(const Dimensions& dims) {
    Dimensions result;
    for (const Dimension& dim : dims) {
        if (result.count > 0) {
            Dimension& inner = result.items[result.count - 1];
            if (dim.system == inner.system * inner.extent &&
                dim.local == inner.local * inner.extent) {
                inner.extent *= dim.extent;
                continue;
            }
        }
        result.push(dim);
    }
    return result;
}

/// True if separate commands are better for the elements of `outer`. Each element then has its
/// channels side by side in system memory.
bool goes_back(const Commands& commands, const Dimension& n, const Dimension& outer) {
    const bool single = commands.w.extent == 1;
    return single && commands.c.extent > 1 && commands.c.system != 0 &&
           std::abs(outer.system) > std::abs(n.system) &&
           n.extent * commands.c.extent >= kElementsOfOwnCommand;
}

/// Assigns dimensions inside the channels of system memory to h and those outside to n, so that a
/// command accesses system memory in ascending order.
Commands assign(const BlockTransfer& block) {
    const std::int64_t words = block.element_bytes == 8 ? 2 : 1;
    Commands commands;
    commands.element_bytes = std::min(block.element_bytes, 4);
    commands.c = {block.shape.c, block.system[1] * words, block.local[1] * words};
    std::optional<Dimension> h;
    std::optional<Dimension> n;
    bool first = true;
    for (const Dimension& dim : merged(plain_dimensions(block))) {
        if (first && dim.system == 1 && dim.local == 1) {
            commands.w = dim;
        } else {
            const bool inside = std::abs(dim.system) < std::abs(commands.c.system);
            std::optional<Dimension>& preferred = inside ? h : n;
            std::optional<Dimension>& other = inside ? n : h;
            if (!preferred) {
                preferred = dim;
            } else if (!other && (inside || !goes_back(commands, *n, dim))) {
                other = dim;
            } else {
                commands.loops.push_back(dim);
            }
        }
        first = false;
    }
    commands.h = h.value_or(Dimension{});
    commands.n = n.value_or(Dimension{});
    return commands;
}

template <typename Body>
void for_each_command(const std::vector<Dimension>& loops, std::size_t depth, std::int64_t system,
                      std::int64_t local, const Body& body) {
    if (depth == 0) {
        body(system, local);
        return;
    }
    const Dimension& dim = loops[depth - 1];
    for (std::int64_t i = 0; i < dim.extent; ++i) {
        for_each_command(loops, depth - 1, system + i * dim.system, local + i * dim.local, body);
    }
}

/// Calls `copy` with system and local address, shape and both strides of every command.
template <typename Copy>
void move(const Commands& commands, std::uint64_t system, local_addr_t local, const Copy& copy) {
    const int bytes = commands.element_bytes;
    const dim4 shape{narrow(commands.n.extent), narrow(commands.c.extent),
                     narrow(commands.h.extent), narrow(commands.w.extent)};
    const dim4 system_stride{narrow(commands.n.system), narrow(commands.c.system),
                             narrow(commands.h.system), 1};
    const dim4 local_stride{narrow(commands.n.local), narrow(commands.c.local),
                            narrow(commands.h.local), 1};
    for_each_command(commands.loops, commands.loops.size(), 0, 0,
                     [&](std::int64_t system_offset, std::int64_t local_offset) {
                         copy(system + static_cast<std::uint64_t>(system_offset * bytes),
                              local + static_cast<local_addr_t>(local_offset * bytes), shape,
                              system_stride, local_stride);
                     });
}

/// True if copies would transfer elements one by one.
bool moves_single_elements(const BlockTransfer& block, const Commands& commands) {
    return commands.w.extent == 1 && block.shape.n * block.shape.h * block.shape.w > 1;
}

dim4 strides_of(const std::array<std::int64_t, 4>& strides) {
    return {narrow(strides[0]), narrow(strides[1]), narrow(strides[2]), narrow(strides[3])};
}

}  // namespace

void load_block(local_addr_t to, std::uint64_t from, const BlockTransfer& block) {
    charge(OwnWork::kTransfer);
    const Commands commands = assign(block);
    if (block.transposes && moves_single_elements(block, commands)) {
        const dim4 local = strides_of(block.local);
        const dim4 system = strides_of(block.system);
        okk_gdma_transpose_S2L(to, from, &block.shape, &local, &system,
                               moved_type(block.element_bytes));
        return;
    }
    const LoadCommand load = load_command(commands.element_bytes);
    move(commands, from, to,
         [load](std::uint64_t system, local_addr_t local, const dim4& shape,
                const dim4& system_stride, const dim4& local_stride) {
             load(local, system, &shape, &local_stride, &system_stride);
         });
}

void store_block(std::uint64_t to, local_addr_t from, const BlockTransfer& block) {
    charge(OwnWork::kTransfer);
    const Commands commands = assign(block);
    if (block.transposes && moves_single_elements(block, commands)) {
        const dim4 local = strides_of(block.local);
        const dim4 system = strides_of(block.system);
        okk_gdma_transpose_L2S(to, from, &block.shape, &system, &local,
                               moved_type(block.element_bytes));
        return;
    }
    const StoreCommand store = store_command(commands.element_bytes);
    move(commands, to, from,
         [store](std::uint64_t system, local_addr_t local, const dim4& shape,
                 const dim4& system_stride, const dim4& local_stride) {
             store(system, local, &shape, &system_stride, &local_stride);
         });
}

}  // namespace okksim::kernels::conv
