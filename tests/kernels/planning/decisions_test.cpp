// SPDX-License-Identifier: Apache-2.0
#include "kernels/planning/decisions.h"

#include "firmware/calls/context.h"
#include "isa/base/errors.h"
#include "tests/firmware/recording_port.h"
#include "tests/support/catch.h"
#include "tests/support/small_machine.h"

namespace okksim::kernels {
namespace {

/// A host without knowledge; no test asks it.
class SilentHost : public Host {
 public:
    const isa::MachineShape& machine() const override { return shape_; }
    std::uint64_t alignment_bytes() const override { return 1; }
    Work work(const Firmware&) override { return {}; }
    std::optional<Duration> time_within(Duration, const Firmware&) override { return std::nullopt; }
    std::optional<std::vector<std::int64_t>> values(const DeviceTensor&) override {
        return std::nullopt;
    }

 private:
    isa::MachineShape shape_ = [] {
        isa::MachineShape shape;
        shape.lanes = 3;
        return shape;
    }();
};

/// A context in which a kernel runs and its charges are counted.
struct Running {
    tests::RecordingPort port{tests::small_machine(4, 16384)};
    firmware::Context context{port};
    firmware::Context::Binding binding{context};
};

struct Tile {
    std::int32_t rows = 0;
    std::int32_t columns = 0;
};

/// Takes two decisions in the same way as a kernel.
std::pair<std::int32_t, std::size_t> take_both(Decisions& decisions, int& asked) {
    const Tile& tile = decisions.take("tile", [&](Host& host) {
        ++asked;
        return Tile{host.machine().lanes, 7};
    });
    const auto& cuts = decisions.take("cuts", [&](Host&) {
        ++asked;
        return std::vector<std::int64_t>{1, 2, 4};
    });
    return {tile.rows * tile.columns, cuts.size()};
}

DecisionList planned() {
    const Running running;
    DecisionList list("SOMETHING");
    SilentHost host;
    Decisions planning(host, list);
    int asked = 0;
    take_both(planning, asked);
    return list;
}

TEST_CASE("what was planned is handed over and planners are not asked again") {
    const Running kernel;
    DecisionList list("SOMETHING");
    SilentHost host;
    Decisions planning(host, list);
    int asked = 0;
    CHECK(take_both(planning, asked) == std::pair<std::int32_t, std::size_t>{21, 3});
    CHECK(asked == 2);
    for (int launch = 0; launch < 2; ++launch) {
        Decisions running(list);
        CHECK(take_both(running, asked) == std::pair<std::int32_t, std::size_t>{21, 3});
        running.check_all_taken();
    }
    CHECK(asked == 2);
    // Three times the words listed below, at least one instruction each.
    CHECK(kernel.port.computed().at("launch arguments") >= 3 * 9);
}

TEST_CASE("arguments are counted in words") {
    // A tile: two words. The list: its length, and three numbers of two words.
    CHECK(planned().words() == 2 + 1 + 3 * 2);
}

TEST_CASE("a kernel that asks for something else is an internal error that names both") {
    const DecisionList list = planned();
    const Running running;
    const auto tile = [](Host&) { return Tile{}; };
    {
        Decisions other_name(list);
        CHECK_THROWS_WITH(other_name.take("order", tile), Catch::Contains("SOMETHING") &&
                                                              Catch::Contains("0 \"order\"") &&
                                                              Catch::Contains("\"tile\""));
    }
    {
        Decisions other_type(list);
        CHECK_THROWS_AS(other_type.take("tile", [](Host&) { return 1; }), InternalError);
    }
    {
        Decisions too_many(list);
        int asked = 0;
        take_both(too_many, asked);
        CHECK_THROWS_WITH(too_many.take("tile", tile), Catch::Contains("2 were planned"));
    }
    Decisions too_few(list);
    too_few.take("tile", tile);
    CHECK_THROWS_WITH(too_few.check_all_taken(), Catch::Contains("1 of 2"));
}

TEST_CASE("a fault of a planner comes when the kernel asks") {
    DecisionList list = planned();
    const Running running;
    FaultRecord fault;
    fault.code = FaultCode::kOutOfMemory;
    list.end_with(fault);
    Decisions decisions(list);
    int asked = 0;
    take_both(decisions, asked);
    CHECK_THROWS_AS(decisions.take("more", [](Host&) { return 1; }), ProgramFault);
}

}  // namespace
}  // namespace okksim::kernels
