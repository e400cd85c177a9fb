// SPDX-License-Identifier: Apache-2.0
// Random commands against a slow reference that visits every element.
#include <optional>
#include <random>

#include "isa/rules.h"
#include "isa/tensors.h"
#include "tests/isa/sample_commands.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

constexpr std::int64_t kVisitLimit = 20000;

/// False if an element of the tensor is outside its memory.
bool elements_inside(const isa::TensorView& view, const isa::MachineShape& machine) {
    const auto inside = [](std::int64_t low, std::int64_t bytes, std::uint64_t start,
                           std::uint64_t size) {
        return low >= static_cast<std::int64_t>(start) &&
               low + bytes <= static_cast<std::int64_t>(start + size);
    };
    const auto visit = [&](std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
        if (view.last_channel_w != 0 && !view.computes_last_channel && c == view.shape.c - 1 &&
            w >= view.last_channel_w) {
            return true;
        }
        std::int64_t slot = c;
        std::int64_t base = 0;
        if (view.local) {
            slot = (machine.lane_of(view.local_addr) + c) / machine.lanes;
            base = machine.offset_of(view.local_addr);
        } else {
            base = static_cast<std::int64_t>(view.system_addr.value());
        }
        const std::int64_t element =
            n * view.stride.n + slot * view.stride.c + h * view.stride.h + w * view.stride.w;
        const std::int64_t at = base + element * view.element_bytes;
        if (view.local)
            return inside(at, view.element_bytes, 0, std::uint64_t(machine.local_bytes));
        return inside(at, view.element_bytes, machine.global_start, machine.global_bytes) ||
               inside(at, view.element_bytes, machine.l2_start, machine.l2_bytes) ||
               inside(at, view.element_bytes, machine.dtcm_start, machine.dtcm_bytes);
    };
    for (std::int64_t n = 0; n < view.shape.n; ++n) {
        for (std::int64_t c = 0; c < view.shape.c; ++c) {
            for (std::int64_t h = 0; h < view.shape.h; ++h) {
                for (std::int64_t w = 0; w < view.shape.w; ++w) {
                    if (!visit(n, c, h, w)) return false;
                }
            }
        }
    }
    return true;
}

/// True if every tensor is inside its memory; std::nullopt if there are too many elements to visit.
std::optional<bool> all_inside(const isa::Command& command, const isa::MachineShape& machine) {
    bool inside = true;
    for (const isa::TensorView& view : isa::tensor_views(command, machine)) {
        // Saturating product: extents have at most 31 bits each.
        std::int64_t count = 1;
        for (const std::int64_t extent : {view.shape.n, view.shape.c, view.shape.h, view.shape.w}) {
            count = count > kVisitLimit ? count : count * extent;
        }
        if (count > kVisitLimit) return std::nullopt;
        inside = inside && elements_inside(view, machine);
    }
    return inside;
}

/// Changes a few words of a valid command, mostly by little, sometimes to anything.
void mutate(isa::Command& command, std::mt19937& random) {
    const auto words = static_cast<std::uint32_t>(isa::form_words(command.info().form));
    const std::uint32_t changes = random() % 4;
    for (std::uint32_t i = 0; i < changes; ++i) {
        std::uint32_t& word = command.words[random() % words];
        switch (random() % 6) {
            case 0: word += 4 * (random() % 1024); break;
            case 1: word -= 4 * (random() % 256); break;
            case 2: word += random() % 5 - 2; break;
            case 3: word = random() % 64; break;
            case 4: word = random(); break;
            case 5: word += 128 * (random() % 32); break;
        }
    }
}

}  // namespace

TEST_CASE("a command is accepted only when every element lies inside its memory") {
    std::mt19937 random(20240607);
    const isa::MachineShape machine = small_machine();
    int accepted = 0;
    int outside = 0;
    for (int round = 0; round < 300; ++round) {
        for (const isa::InstructionInfo& row : isa::instructions()) {
            isa::Command command = sample_command(row);
            mutate(command, random);
            const auto violation = isa::check(command, machine, round % 2 == 0);
            const bool outside_lanes =
                violation && violation->rule.find("start lane") != std::string::npos;
            if ((violation && !violation->is_address) || outside_lanes) continue;
            const auto inside = all_inside(command, machine);
            if (!inside) continue;
            if (*inside == violation.has_value()) {
                FAIL_CHECK(row.name << " round " << round << ": "
                                    << (violation ? violation->value : "accepted"));
            }
            (violation ? outside : accepted) += 1;
        }
    }
    // Both outcomes are exercised.
    CHECK(accepted > 5000);
    CHECK(outside > 1000);
}

TEST_CASE("random words never upset the check") {
    std::mt19937 random(7);
    isa::MachineShape machine = small_machine();
    int violations = 0;
    constexpr int kRounds = 300;
    for (int round = 0; round < kRounds; ++round) {
        machine.lanes = round % 3 == 0 ? 1 : 64;
        machine.local_bytes = round % 2 == 0 ? 1 << 26 : 100000;
        for (const isa::InstructionInfo& row : isa::instructions()) {
            isa::Command command = random_record(row, random);
            // A few words survive from a valid command, so that later rules are reached too.
            const isa::Command sample = sample_command(row);
            for (std::size_t i = 0; i < command.words.size(); ++i) {
                if (random() % 8 != 0) command.words[i] = sample.words[i];
                if (random() % 16 == 0)
                    command.words[i] = random() % 2 == 0 ? 0x7FFFFFFF : 0x80000000;
            }
            violations += isa::check(command, machine, true).has_value() ? 1 : 0;
        }
    }
    CHECK(violations > kRounds * 70);
}

TEST_CASE("destinations that a command adds to are read as well") {
    const isa::MachineShape machine = small_machine();
    int updates = 0;
    for (const isa::InstructionInfo& row : isa::instructions()) {
        const isa::Command command = sample_command(row);
        const bool accumulates = std::string(row.name).find("_mac") != std::string::npos;
        const bool adds = row.form == isa::Form::kConvolution ||
                          row.form == isa::Form::kHalfConvolution ||
                          row.form == isa::Form::kMatrixMultiply ||  // the samples' flags are set
                          row.form == isa::Form::kGdmaScatter;       // other rows stay
        INFO(row.name);
        const isa::Access access = isa::tensor_views(command, machine)[0].access;
        CHECK(access == (accumulates || adds ? isa::Access::kUpdate : isa::Access::kWrite));
        updates += access == isa::Access::kUpdate ? 1 : 0;
    }
    // mac, mac_C, packed mac, packed mac_C, conv2d, half_conv2d, matmul, scatter
    CHECK(updates == 8);
}

TEST_CASE("a product touches all columns of its last channel") {
    isa::MatrixMultiply product{};
    product.output_addr = {128};
    product.left_addr = {256};
    product.right_addr = {512};
    product.left_rows = product.left_cols = product.right_cols = 1;
    product.left_cols_per_channel = product.right_cols_per_channel = 32;
    const isa::MachineShape machine = small_machine();
    const auto views =
        isa::tensor_views(isa::Command::make(isa::Opcode::bdc_matmul, product), machine);
    REQUIRE(views.size() == 3);
    const auto bytes = [&](int view) {
        const isa::ByteInterval touched = isa::touched_bytes(views[view], machine);
        return touched.high - touched.low;
    };
    CHECK(bytes(0) == 128);  // 32 columns of one row are written,
    CHECK(bytes(1) == 4);    // of the one element on the left
    CHECK(bytes(2) == 128);  // and of 32 columns.
}

}  // namespace okksim::tests
