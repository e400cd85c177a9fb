// SPDX-License-Identifier: Apache-2.0
// Rules of the sequencer one by one. A command fills a word of local memory; its value is the
// command's duration in picoseconds.
#include "models/sequencer/sequencer.h"

#include "isa/base/errors.h"
#include "tests/models/chip/set_commands.h"
#include "tests/support/catch.h"
#include "tests/support/small_machine.h"

namespace {

using namespace okksim;
using models::Picoseconds;
using models::Sequencer;
using Kind = Sequencer::Event::Kind;

struct NoMemories : models::MemorySystem {
    models::MemoryReply serve(const models::MemoryAccess& access) override {
        return {access.arrival, {}};
    }
};

models::CommandCost by_value(const isa::Command& command, Picoseconds, models::MemorySystem&) {
    const isa::Bits32 value = command.info().engine == isa::Engine::kGdma
                                  ? command.as<isa::GdmaFillLocal>().C
                                  : command.as<isa::VectorSet>().C;
    return {.work = {value.as_int()}};
}

/// A GDMA and some compute engines.
class Bench {
 public:
    explicit Bench(std::size_t depth, unsigned compute_engines = 1, double interference = 0)
        : sequencer(entries(depth, compute_engines), tests::small_machine(64, 4096), interference) {
    }

    /// Submits at `now` to the first engine of a kind, or to another one.
    void submit(isa::Engine kind, std::uint32_t duration, std::int64_t now,
                isa::CommandId wait_gdma = 0, isa::CommandId wait_bdc = 0,
                std::uint16_t instance = 0) {
        const isa::CommandId id = ++ids_[static_cast<std::size_t>(kind)];
        isa::Command command = kind == isa::Engine::kGdma ? tests::gdma_set(id, wait_bdc, duration)
                                                          : tests::bdc_set(id, wait_gdma, duration);
        command.instance = instance;
        command.wait_gdma = wait_gdma;
        command.wait_bdc = wait_bdc;
        sequencer.submit(sequencer.engine_of(command), command, {now});
    }

    /// Executes all events up to `time`.
    void run(std::int64_t time) {
        for (auto next = sequencer.next_event(); next && next->time.value <= time;
             next = sequencer.next_event()) {
            if (next->kind == Kind::kStart) {
                sequencer.start(next->engine, memories_);
            } else if (sequencer.finish(next->engine)) {
                ends.push_back({next->engine, sequencer.times(next->engine).end.value});
                sequencer.retire(next->engine);
            }
        }
    }

    struct End {
        std::size_t engine;
        std::int64_t time;
        bool operator==(const End&) const = default;
    };

    Sequencer sequencer;
    std::vector<End> ends;

 private:
    static std::vector<models::EngineEntry> entries(std::size_t depth, unsigned compute_engines) {
        std::vector<models::EngineEntry> list{{"gdma", isa::Engine::kGdma, depth, false, by_value}};
        for (unsigned i = 0; i < compute_engines; ++i) {
            list.push_back({"bdc" + std::to_string(i), isa::Engine::kBdc, depth, false, by_value});
        }
        return list;
    }

    NoMemories memories_;
    std::array<isa::CommandId, isa::kEngineKinds> ids_{};
};

constexpr auto kGdma = isa::Engine::kGdma;
constexpr auto kBdc = isa::Engine::kBdc;

}  // namespace

TEST_CASE("an empty engine starts a command when it is written") {
    Bench bench(4);
    CHECK_FALSE(bench.sequencer.next_event().has_value());
    bench.submit(kBdc, 10, 100);
    REQUIRE(bench.sequencer.next_event().has_value());
    CHECK(bench.sequencer.next_event()->time.value == 100);
    CHECK(bench.sequencer.next_event()->kind == Kind::kStart);
    bench.run(99);
    CHECK_FALSE(bench.sequencer.is_running(1));
    bench.run(100);
    CHECK(bench.sequencer.is_running(1));
    CHECK(bench.sequencer.next_event()->time.value == 110);
    bench.run(109);
    CHECK_FALSE(bench.sequencer.is_idle());
    bench.run(110);
    CHECK(bench.sequencer.is_idle());
    CHECK_FALSE(bench.sequencer.next_event().has_value());
}

TEST_CASE("an engine's commands follow one another") {
    Bench bench(4);
    bench.submit(kBdc, 10, 0);
    bench.submit(kBdc, 20, 5);
    bench.run(200);
    bench.submit(kBdc, 30, 200);
    bench.run(1000);
    // The second starts at 10, the third when it is written.
    CHECK(bench.ends == std::vector<Bench::End>{{1, 10}, {1, 30}, {1, 230}});
}

TEST_CASE("a queue has room again when its oldest command has retired") {
    Bench bench(2);
    bench.submit(kBdc, 10, 0);
    CHECK(bench.sequencer.has_room(1));
    bench.submit(kBdc, 10, 0);
    CHECK_FALSE(bench.sequencer.has_room(1));
    CHECK(bench.sequencer.has_room(0));
    bench.run(9);
    CHECK_FALSE(bench.sequencer.has_room(1));
    bench.run(10);
    CHECK(bench.sequencer.has_room(1));
}

TEST_CASE("a command starts when all that it waits for has retired") {
    Bench bench(4);
    bench.submit(kGdma, 50, 0);
    bench.submit(kGdma, 50, 0);
    bench.submit(kBdc, 7, 0, 1);     // at 50
    bench.submit(kBdc, 7, 0, 2, 1);  // at 100
    bench.run(49);
    CHECK_FALSE(bench.sequencer.is_running(1));
    bench.run(50);
    CHECK(bench.sequencer.is_running(1));
    bench.run(1000);
    CHECK(bench.ends == std::vector<Bench::End>{{0, 50}, {1, 57}, {0, 100}, {1, 107}});
}

TEST_CASE("a wait for a kind of engine is a wait for all engines of the kind") {
    Bench bench(4, 2);
    bench.submit(kBdc, 100, 0);          // id 1, first engine
    bench.submit(kBdc, 10, 0, 0, 0, 1);  // id 2, second engine: at once
    bench.submit(kGdma, 1, 0, 0, 1);     // waits for id 1 only
    bench.submit(kGdma, 1, 0, 0, 2);     // waits for both
    bench.submit(kBdc, 10, 0, 0, 2, 1);  // id 3: for both, on the second engine
    bench.run(99);
    // Id 2 has retired, id 1 has not: nothing may rely on "up to 2" before 100.
    CHECK(bench.ends == std::vector<Bench::End>{{2, 10}});
    bench.run(1000);
    CHECK(bench.ends == std::vector<Bench::End>{{2, 10}, {1, 100}, {0, 101}, {0, 102}, {2, 110}});
}

TEST_CASE("engines of one kind work side by side") {
    Bench bench(4, 3);
    for (std::uint16_t i = 0; i < 3; ++i) bench.submit(kBdc, 10, 0, 0, 0, i);
    bench.run(10);
    CHECK(bench.ends == std::vector<Bench::End>{{1, 10}, {2, 10}, {3, 10}});
}

TEST_CASE("of two commands that meet in a bank, the one issued later loses a share of the time") {
    Bench bench(4, 1, 0.5);
    bench.submit(kGdma, 100, 0);
    bench.submit(kBdc, 20, 10);
    bench.submit(kBdc, 20, 10);
    bench.run(29);
    CHECK(bench.ends.empty());
    bench.run(1000);
    // 20 of overlap, half of it lost: it ends at 40. The next one runs from 40 to 70. GDMA command
    // 1 was issued first and loses nothing.
    CHECK(bench.ends == std::vector<Bench::End>{{1, 40}, {1, 70}, {0, 100}});
}

TEST_CASE("a command that ended before another began takes nothing from it") {
    Bench bench(4, 1, 1.0);
    bench.submit(kGdma, 10, 0);
    bench.submit(kBdc, 20, 10);
    bench.submit(kGdma, 10, 10);  // from 10 to 20: loses its 10 to the compute engine
    bench.run(1000);
    CHECK(bench.ends == std::vector<Bench::End>{{0, 10}, {0, 30}, {1, 30}});
}

TEST_CASE("commands that retired while a later one was under way are counted once") {
    Bench bench(8, 1, 1.0);
    bench.submit(kGdma, 10, 0);
    bench.submit(kGdma, 10, 0);
    bench.submit(kBdc, 100, 5);
    bench.run(1000);
    // It overlaps the first for 5 and the second for 10.
    CHECK(bench.ends == std::vector<Bench::End>{{0, 10}, {0, 20}, {1, 120}});
}

TEST_CASE("a restart forgets what is left") {
    Bench bench(4);
    bench.submit(kBdc, 10, 0);
    bench.run(5);
    bench.sequencer.restart();
    CHECK(bench.sequencer.is_idle());
    CHECK_FALSE(bench.sequencer.next_event().has_value());
    // Later commands run; earlier ones are dropped.
    bench.sequencer.submit(1, tests::bdc_set(1, 0, 30), {100});
    bench.run(1000);
    CHECK(bench.ends == std::vector<Bench::End>{{1, 130}});
}

TEST_CASE("a stall is time of its command, told as a bank conflict") {
    // Both fill word 0 for 100 ps from 0 on: half of what they share is lost.
    Bench bench(4, 1, 0.5);
    bench.submit(kGdma, 100, 0);
    bench.submit(kBdc, 100, 0);
    bench.run(1000);
    std::int64_t stalled = 0;
    for (const std::size_t engine : {0, 1}) {
        const auto& times = bench.sequencer.times(engine);
        CHECK(times.end - times.start == times.cost.total());
        CHECK(times.cost.work.value == 100);
        stalled += times.cost.bank_conflict.value;
    }
    CHECK(stalled == 50);
}

TEST_CASE("a memory that lets time pass before it replies stops its own engine only") {
    // While the GDMA's memory is asked, it lets the compute engine advance.
    struct Slow : models::MemorySystem {
        Sequencer* sequencer = nullptr;
        bool compute_retired = false;
        models::MemoryReply serve(const models::MemoryAccess&) override {
            NoMemories none;
            REQUIRE(sequencer->next_event()->engine == 1);
            sequencer->start(1, none);
            REQUIRE(sequencer->next_event()->time.value == 5);
            REQUIRE(sequencer->finish(1));
            sequencer->retire(1);
            compute_retired = true;
            CHECK_FALSE(sequencer->next_event().has_value());
            return {{30}, {}};
        }
    } slow;
    const auto ask = [](const isa::Command&, Picoseconds start, models::MemorySystem& memories) {
        return models::CommandCost{.memory_bandwidth = memories.serve({}).end() - start};
    };
    Sequencer sequencer({{"gdma", kGdma, 2, true, ask}, {"bdc", kBdc, 2, false, by_value}},
                        tests::small_machine(64, 4096), 0);
    slow.sequencer = &sequencer;
    sequencer.submit(0, tests::gdma_set(1, 0, 0), {0});
    sequencer.submit(1, tests::bdc_set(1, 0, 5), {0});
    sequencer.start(0, slow);
    CHECK(slow.compute_retired);
    CHECK(sequencer.next_event()->time.value == 30);
}

TEST_CASE("a command for an engine that the machine lacks is refused by name") {
    Bench bench(4);
    CHECK_THROWS_WITH(bench.submit(kBdc, 1, 0, 0, 0, 1),
                      Catch::Contains("bdc_32bit_set_C") && Catch::Contains("engine 1") &&
                          Catch::Contains("chip.compute_engines"));
}
