// SPDX-License-Identifier: Apache-2.0
// Copies of listed rows against their definition, byte by byte.
#include <cstring>
#include <numeric>
#include <vector>

#include "isa/base/fault.h"
#include "isa/operands.h"
#include "isa/rules.h"
#include "models/gdma/gdma_semantics.h"
#include "tests/support/catch.h"
#include "tests/support/random_values.h"
#include "tests/support/small_machine.h"

namespace okksim::tests {
namespace {

using isa::Dim4;

constexpr std::int64_t kSystemBytes = 65536;
constexpr std::int64_t kTable = 0, kList = 32768, kIndex = 60000;

isa::MachineShape all_groups() {
    isa::MachineShape machine = small_machine(4, 4096);
    machine.features = isa::kAllFeatures;
    return machine;
}

/// A copy with dense tensors or with gaps between rows and elements.
struct Move {
    Dim4 shape;             ///< the list's rows
    std::int32_t rows = 1;  ///< of the table
    Dim4 list_stride, table_stride;
    std::vector<std::int32_t> index;
    int bytes = 1;
    isa::ElementType type = isa::ElementType::kInt8;
};

Dim4 spread(const Dim4& shape, std::int32_t gap) {
    const std::int32_t h = shape.w + gap, c = h * shape.h + gap;
    return {c * shape.c + gap, c, h, 1};
}

Move random_move(RandomSource& random, bool repeats) {
    Move move;
    const auto pick = [&](std::initializer_list<std::int64_t> from) {
        return static_cast<std::int32_t>(random.pick(from));
    };
    move.shape = {pick({1, 2, 3}), 1, pick({1, 4}), pick({1, 5, 16})};
    move.rows = pick({1, 3, 20});
    move.shape.c = static_cast<std::int32_t>(random.between(1, repeats ? 20 : move.rows));
    const int kind = static_cast<int>(random.below(3));
    move.bytes = 1 << kind;
    constexpr isa::ElementType kTypes[] = {isa::ElementType::kInt8, isa::ElementType::kBf16,
                                           isa::ElementType::kFp32};
    move.type = kTypes[kind];
    Dim4 table = move.shape;
    table.c = move.rows;
    move.list_stride = spread(move.shape, pick({0, 0, 3}));
    move.table_stride = spread(table, pick({0, 0, 2}));
    std::vector<std::int32_t> all(static_cast<std::size_t>(move.rows));
    std::iota(all.begin(), all.end(), 0);
    for (std::int32_t n = 0; n < move.shape.n; ++n) {
        for (std::size_t i = all.size() - 1; i > 0; --i) {
            std::swap(
                all[i],
                all[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i) + 1))]);
        }
        for (std::int32_t c = 0; c < move.shape.c; ++c) {
            move.index.push_back(repeats ? static_cast<std::int32_t>(random.below(move.rows))
                                         : all[static_cast<std::size_t>(c)]);
        }
    }
    return move;
}

isa::Command command_of(const Move& move, bool gathers, const isa::MachineShape& machine) {
    const auto at = [&](std::int64_t offset) {
        return isa::SystemAddr::from(machine.global_start + static_cast<std::uint64_t>(offset));
    };
    Dim4 table = move.shape;
    table.c = move.rows;
    const auto fill = [&](auto form) {
        form.shape = move.shape;
        form.index_addr = at(kIndex);
        form.index_stride = {move.shape.c, 1, 1, 1};
        form.element_type = move.type;
        return form;
    };
    if (gathers) {
        isa::GdmaGather form = fill(isa::GdmaGather{});
        form.dst_addr = at(kList);
        form.src_addr = at(kTable);
        form.src_shape = table;
        form.dst_stride = move.list_stride;
        form.src_stride = move.table_stride;
        return isa::Command::make(isa::Opcode::gdma_gather_S2S, form);
    }
    isa::GdmaScatter form = fill(isa::GdmaScatter{});
    form.dst_addr = at(kTable);
    form.src_addr = at(kList);
    form.dst_shape = table;
    form.dst_stride = move.table_stride;
    form.src_stride = move.list_stride;
    return isa::Command::make(isa::Opcode::gdma_scatter_S2S, form);
}

/// The definition.
void move_rows(std::vector<std::uint8_t>& memory, const Move& move, bool gathers) {
    const Dim4& s = move.shape;
    for (std::int32_t n = 0; n < s.n; ++n) {
        for (std::int32_t c = 0; c < s.c; ++c) {
            const std::int32_t row = move.index[static_cast<std::size_t>(n * s.c + c)];
            for (std::int32_t h = 0; h < s.h; ++h) {
                for (std::int32_t b = 0; b < s.w * move.bytes; ++b) {
                    const auto place = [&](std::int64_t start, const Dim4& stride, int r) {
                        return static_cast<std::size_t>(
                            start + (n * stride.n + r * stride.c + h * stride.h) * move.bytes + b);
                    };
                    const std::size_t listed = place(kList, move.list_stride, c);
                    const std::size_t named = place(kTable, move.table_stride, row);
                    if (gathers) {
                        memory.at(listed) = memory.at(named);
                    } else {
                        memory.at(named) = memory.at(listed);
                    }
                }
            }
        }
    }
}

struct Machine {
    isa::MachineShape shape = all_groups();
    models::LocalMemory local{shape};
    models::SystemMemory system{shape};

    std::byte* bytes() { return system.pointer(shape.global_start, kSystemBytes); }
};

}  // namespace

TEST_CASE("rows that a list names are gathered and scattered") {
    RandomSource random(3);
    for (int i = 0; i < 600; ++i) {
        const bool gathers = random.one_in(2);
        const Move move = random_move(random, gathers);
        Machine machine;
        std::vector<std::uint8_t> memory(kSystemBytes);
        for (std::uint8_t& byte : memory) byte = static_cast<std::uint8_t>(random.bits());
        std::memcpy(memory.data() + kIndex, move.index.data(), 4 * move.index.size());
        std::memcpy(machine.bytes(), memory.data(), memory.size());
        const isa::Command command = command_of(move, gathers, machine.shape);
        REQUIRE(!isa::check(command, machine.shape, true));
        models::execute_gdma(command, machine.local, machine.system);
        move_rows(memory, move, gathers);
        INFO("case " << i << ", gathers: " << gathers);
        REQUIRE(std::memcmp(machine.bytes(), memory.data(), memory.size()) == 0);
    }
}

TEST_CASE("rows that do not exist, or come twice, end the launch before anything is written") {
    const auto fault_of = [](Move move, bool gathers) {
        Machine machine;
        std::vector<std::uint8_t> memory(kSystemBytes, 7);
        std::memcpy(memory.data() + kIndex, move.index.data(), 4 * move.index.size());
        std::memcpy(machine.bytes(), memory.data(), memory.size());
        std::string text;
        try {
            models::execute_gdma(command_of(move, gathers, machine.shape), machine.local,
                                 machine.system);
        } catch (const ProgramFault& fault) {
            const FaultRecord& record = fault.record();
            CHECK(record.code == FaultCode::kUnpredictable);
            text = record.function + " " + record.value + ": " + record.rule;
        }
        CHECK(std::memcmp(machine.bytes(), memory.data(), memory.size()) == 0);
        return text;
    };
    Move move;
    move.shape = {2, 2, 1, 4};
    move.rows = 5;
    move.list_stride = {8, 4, 4, 1};
    move.table_stride = {20, 4, 4, 1};
    move.index = {0, 4, 1, 5};
    CHECK(fault_of(move, true) ==
          "okk_gdma_gather_S2S 5 at [1,1]: 0 <= index && index < 5, the rows of src_addr");
    move.index = {0, -1, 1, 2};
    CHECK(fault_of(move, false) ==
          "okk_gdma_scatter_S2S -1 at [0,1]: 0 <= index && index < 5, the rows of dst_addr");
    // The row with the same index in another batch is a different row.
    move.index = {3, 2, 3, 3};
    CHECK(fault_of(move, false) ==
          "okk_gdma_scatter_S2S 3 at [1,1]: the list must name every row of dst_addr at most once");
}

TEST_CASE("a list's rows have one shape at both ends") {
    const isa::MachineShape machine = all_groups();
    Move move;
    move.shape = {1, 2, 3, 4};
    move.rows = 5;
    move.list_stride = move.table_stride = {60, 12, 4, 1};
    move.index = {0, 1};
    isa::GdmaGather form = command_of(move, true, machine).as<isa::GdmaGather>();
    CHECK(!isa::check(isa::Command::make(isa::Opcode::gdma_gather_S2S, form), machine, true));
    form.src_shape.h = 2;
    const auto violation =
        isa::check(isa::Command::make(isa::Opcode::gdma_gather_S2S, form), machine, true);
    REQUIRE(violation);
    CHECK(violation->argument == "src_shape->h");
    CHECK(violation->rule == "equal to shape->h (3)");
}

}  // namespace okksim::tests
