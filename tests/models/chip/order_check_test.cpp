// SPDX-License-Identifier: Apache-2.0
// Hazards between the engines, found from the order that the commands request.
#include "models/chip/order_check.h"

#include "tests/models/chip/set_commands.h"
#include "tests/support/catch.h"
#include "tests/support/random_source.h"
#include "tests/support/small_machine.h"

namespace {

using namespace okksim;
using isa::Command;
using isa::CommandId;

isa::MachineShape machine() { return tests::small_machine(64, 512 * 1024); }

/// Writes one word per lane at `offset`.
Command bdc_write(CommandId id, CommandId wait_gdma, std::uint32_t offset) {
    return tests::bdc_set(id, wait_gdma, 0, {offset});
}
Command gdma_write(CommandId id, CommandId wait_bdc, std::uint32_t offset) {
    return tests::gdma_set(id, wait_bdc, 0, {offset});
}

TEST_CASE("order check/two unordered writers of one place are a hazard") {
    models::OrderCheck check(machine(), 2);
    CHECK_FALSE(check.submitted(gdma_write(1, 0, 0x100)));
    const auto hazard = check.submitted(bdc_write(1, 0, 0x100));
    REQUIRE(hazard);
    CHECK(hazard->first.opcode == isa::Opcode::gdma_32bit_set_C_local);
    CHECK(hazard->second.opcode == isa::Opcode::bdc_32bit_set_C);
    CHECK(std::string(hazard->first_operand) == "dst_addr");
    CHECK(hazard->place.lane == 0);
    CHECK(hazard->place.offset == 0x100);
}

TEST_CASE("order check/waiting orders, other places do not matter") {
    models::OrderCheck check(machine(), 2);
    CHECK_FALSE(check.submitted(gdma_write(1, 0, 0x100)));
    CHECK_FALSE(check.submitted(bdc_write(1, 0, 0x180)));
    CHECK_FALSE(check.submitted(bdc_write(2, 1, 0x100)));
    // Later commands of an engine are ordered after everything that its earlier commands waited
    // for.
    CHECK_FALSE(check.submitted(bdc_write(3, 0, 0x100)));
    CHECK_FALSE(check.submitted(gdma_write(2, 1, 0x180)));
    // The command does not wait for ids 2 and 3 of the other engine.
    CHECK(check.submitted(gdma_write(3, 1, 0x100)));
}

TEST_CASE("order check/of many open commands none is forgotten, nor its tensors mistaken") {
    // 200 GDMA commands at consecutive addresses, for which no command has waited.
    constexpr CommandId kOpen = 200;
    models::OrderCheck check(machine(), 2);
    for (CommandId id = 1; id <= kOpen; ++id) {
        CHECK_FALSE(check.submitted(gdma_write(id, 0, static_cast<std::uint32_t>(id * 0x80))));
    }
    // The range past all of them is free; the first one and one in their middle conflict.
    CHECK_FALSE(check.submitted(bdc_write(1, 0, (kOpen + 1) * 0x80)));
    for (const CommandId met : {CommandId{1}, CommandId{100}}) {
        const auto hazard =
            check.submitted(bdc_write(met + 1, 0, static_cast<std::uint32_t>(met * 0x80)));
        REQUIRE(hazard);
        CHECK(hazard->first.id == met);
    }
    // views_of() returns the views of the given command, even if another one used its slot before.
    // Commands of the next program, whose ids restart, are different ones.
    const Command late = bdc_write(17, 0, 0x3000);
    const Command first = bdc_write(1, 0, (kOpen + 1) * 0x80);
    CHECK(check.views_of(late)[0].local_addr.value == 0x3000);
    CHECK(check.views_of(first)[0].local_addr.value == (kOpen + 1) * 0x80);
    CHECK(check.views_of(late)[0].local_addr.value == 0x3000);
    check.clear();
    CHECK(check.views_of(bdc_write(1, 0, 0x2000))[0].local_addr.value == 0x2000);
}

/// Reads one word per lane at `offset` and writes one at 0x40000.
Command bdc_read(CommandId id, CommandId wait_gdma, std::uint32_t offset) {
    isa::VectorUnary op;
    op.dst_addr = {0x40000};
    op.src_addr = {offset};
    op.shape = {1, 64, 1, 1};
    op.dst_stride = op.src_stride = isa::aligned_stride(0, op.shape, 32, 64, 128);
    Command command = Command::make(isa::Opcode::bdc_32bit_cpy, op);
    command.id = id;
    command.wait_gdma = wait_gdma;
    return command;
}

TEST_CASE("order check/a read beside a write is a hazard, two reads are none") {
    models::OrderCheck read_after(machine(), 2);
    CHECK_FALSE(read_after.submitted(gdma_write(1, 0, 0x100)));
    const auto hazard = read_after.submitted(bdc_read(1, 0, 0x100));
    REQUIRE(hazard);
    CHECK(std::string(hazard->first_operand) == "dst_addr");
    CHECK(std::string(hazard->second_operand) == "src_addr");
    CHECK(hazard->place.offset == 0x100);

    models::OrderCheck write_after(machine(), 2);
    CHECK_FALSE(write_after.submitted(bdc_read(1, 0, 0x100)));
    CHECK(write_after.submitted(gdma_write(1, 0, 0x100)));

    // Two compute engines read the same word and write separate words.
    models::OrderCheck both_read(machine(), 3);
    CHECK_FALSE(both_read.submitted(bdc_read(1, 0, 0x100)));
    Command other = bdc_read(2, 0, 0x100);
    other.instance = 1;
    auto form = other.as<isa::VectorUnary>();
    form.dst_addr = {0x50000};
    Command moved = Command::make(isa::Opcode::bdc_32bit_cpy, form);
    moved.id = other.id;
    moved.instance = 1;
    CHECK_FALSE(both_read.submitted(moved));
}

TEST_CASE("order check/what an engine has waited for stays waited for") {
    // The first compute engine never waits, so the GDMA command stays open for it. The second one
    // waits once, which also orders its later commands.
    models::OrderCheck check(machine(), 3);
    CHECK_FALSE(check.submitted(gdma_write(1, 0, 0x100)));
    CHECK_FALSE(check.submitted(bdc_write(1, 0, 0x180)));
    Command waits = bdc_write(2, 1, 0x200);
    waits.instance = 1;
    CHECK_FALSE(check.submitted(waits));
    Command later = bdc_write(3, 0, 0x100);
    later.instance = 1;
    CHECK_FALSE(check.submitted(later));
    // The first engine has not waited, so its command is not ordered.
    CHECK(check.submitted(bdc_write(4, 0, 0x100)));
}

/// Returns the same command for the second compute engine.
Command on_second(Command command) {
    command.instance = 1;
    return command;
}

TEST_CASE("order check/what comes before a command comes before those that wait for it") {
    // The second compute engine waits for the first one, which has waited for the GDMA.
    models::OrderCheck check(machine(), 3);
    CHECK_FALSE(check.submitted(gdma_write(1, 0, 0x100)));
    CHECK_FALSE(check.submitted(gdma_write(2, 0, 0x180)));
    CHECK_FALSE(check.submitted(bdc_write(1, 1, 0x200)));
    Command waits = on_second(bdc_write(2, 0, 0x100));
    waits.wait_bdc = 1;
    CHECK_FALSE(check.submitted(waits));
    // The first one has not waited for the second GDMA command.
    CHECK(check.submitted(on_second(bdc_write(3, 0, 0x180))));

    // Without the wait nothing orders the two.
    models::OrderCheck open(machine(), 3);
    CHECK_FALSE(open.submitted(gdma_write(1, 0, 0x100)));
    CHECK_FALSE(open.submitted(bdc_write(1, 1, 0x200)));
    CHECK(open.submitted(on_second(bdc_write(2, 0, 0x100))));
}

TEST_CASE("order check/two compute engines race with each other") {
    models::OrderCheck check(machine(), 3);
    CHECK_FALSE(check.submitted(bdc_write(1, 0, 0x100)));
    const auto hazard = check.submitted(on_second(bdc_write(2, 0, 0x100)));
    REQUIRE(hazard);
    CHECK(hazard->first.instance == 0);
    CHECK(hazard->second.instance == 1);
    // A wait for their common stream of ids orders them.
    models::OrderCheck ordered(machine(), 3);
    CHECK_FALSE(ordered.submitted(bdc_write(1, 0, 0x100)));
    Command behind = on_second(bdc_write(2, 0, 0x100));
    behind.wait_bdc = 1;
    CHECK_FALSE(ordered.submitted(behind));
}

TEST_CASE("order check/an engine that comes late races with what others are done with") {
    // The first compute engine has waited for the GDMA. The second one gets its first command
    // afterwards and does not wait.
    models::OrderCheck check(machine(), 3);
    CHECK_FALSE(check.submitted(gdma_write(1, 0, 0x100)));
    CHECK_FALSE(check.submitted(bdc_write(1, 1, 0x100)));
    CHECK_FALSE(check.submitted(gdma_write(2, 1, 0x180)));
    CHECK(check.submitted(on_second(bdc_write(2, 0, 0x180))));
    CHECK(check.submitted(on_second(bdc_write(3, 0, 0x100))));
}

TEST_CASE("order check/a launch forgets the one before") {
    models::OrderCheck check(machine(), 2);
    CHECK_FALSE(check.submitted(gdma_write(5, 0, 0x100)));
    check.clear();
    CHECK_FALSE(check.submitted(bdc_write(1, 0, 0x100)));
}

/// Order by its definition: before a command come earlier commands of its engine, the commands that
/// it waits for, and their predecessors.
class Order {
 public:
    /// True if an unordered earlier command of another engine writes the same address.
    bool races(const Command& command, std::uint32_t place) {
        std::vector<bool> before(commands_.size());
        const auto add = [&](std::size_t i) {
            before[i] = true;
            for (std::size_t k = 0; k < before_[i].size(); ++k) {
                if (before_[i][k]) before[k] = true;
            }
        };
        for (std::size_t i = 0; i < commands_.size(); ++i) {
            const isa::Engine kind = commands_[i].info().engine;
            if (same_engine(commands_[i], command) || commands_[i].id <= command.wait(kind)) {
                add(i);
            }
        }
        bool found = false;
        for (std::size_t i = 0; i < commands_.size(); ++i) {
            found = found || (!before[i] && places_[i] == place);
        }
        commands_.push_back(command);
        places_.push_back(place);
        before_.push_back(std::move(before));
        return found;
    }

 private:
    static bool same_engine(const Command& a, const Command& b) {
        return a.info().engine == b.info().engine && a.instance == b.instance;
    }

    std::vector<Command> commands_;
    std::vector<std::uint32_t> places_;
    std::vector<std::vector<bool>> before_;
};

TEST_CASE("order check/random programs of three engines, by the definition of order") {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        tests::RandomSource random(seed);
        models::OrderCheck check(machine(), 3);
        Order order;
        CommandId last_gdma = 0, last_bdc = 0;
        for (int i = 0; i < 40; ++i) {
            const auto place = static_cast<std::uint32_t>(random.between(1, 8)) * 0x80;
            const auto some = [&](CommandId last) {
                if (random.one_in(3)) return last;
                return static_cast<CommandId>(random.below(static_cast<std::int64_t>(last) + 1));
            };
            Command command = random.one_in(2) ? gdma_write(++last_gdma, some(last_bdc), place)
                                               : bdc_write(last_bdc + 1, some(last_gdma), place);
            if (command.info().engine == isa::Engine::kBdc) {
                if (random.one_in(2)) command.wait_bdc = some(last_bdc);
                if (random.one_in(2)) command = on_second(command);
                ++last_bdc;
            }
            CAPTURE(seed, i);
            CHECK(check.submitted(command).has_value() == order.races(command, place));
        }
    }
}

TEST_CASE("order check/of very many open commands the latest are looked at") {
    models::OrderCheck check(machine(), 2);
    // 256 commands are kept: the first of 257 is dropped, the second is kept.
    for (CommandId id = 1; id <= 257; ++id) CHECK_FALSE(check.submitted(gdma_write(id, 0, id * 4)));
    CHECK_FALSE(check.submitted(bdc_write(1, 0, 4)));
    CHECK(check.submitted(bdc_write(2, 0, 8)));
}

TEST_CASE("order check/a command of as many tensors as there may be is met at each of them") {
    // An integer convolution with a bias and factors.
    isa::IntConvolution op{};
    op.input_addr = {0x1000};
    op.weight_addr = {0x2000};
    op.bias_addr = {0x3000};
    op.output_addr = {0x4000};
    op.input_shape = {1, 4, 4, 4};
    op.output_c = 4;
    op.kernel_h = op.kernel_w = 1;
    op.stride = op.dilation = {1, 1};
    op.factor_addr = {0x5000};
    op.using_bias = op.rescales = 1;
    op.output_type = op.input_type = isa::ElementType::kInt8;
    Command sum = Command::make(isa::Opcode::bdc_int_conv2d, op);
    sum.id = 1;
    for (const std::uint32_t place : {0x1000, 0x2000, 0x3000, 0x4000, 0x5000}) {
        CAPTURE(place);
        models::OrderCheck check(machine(), 2);
        REQUIRE(check.views_of(sum).size() == static_cast<int>(isa::TensorViews::kMost));
        CHECK_FALSE(check.submitted(gdma_write(1, 0, place)));
        CHECK(check.submitted(sum));
    }
}

}  // namespace
