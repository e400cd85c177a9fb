// SPDX-License-Identifier: Apache-2.0
// Pictures of runs: activity of the engines, and contents of local memory over time.
#include "sim/trace/run_picture.h"

#include <tuple>
#include <vector>

#include "tests/sim/trace/round_run.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::sim::trace;
using models::CommandTimes;
using models::Picoseconds;

/// A picture of commands with times given by a test, in nanoseconds.
class Watched {
 public:
    /// 4-byte words of channel 0: `at` is a byte address in every lane.
    void set(std::int64_t at, std::int32_t words, std::int64_t begin, std::int64_t end) {
        isa::VectorSet op{};
        op.shape = {1, 1, 1, words};
        op.dst_stride = {words, words, words, 1};
        op.dst_addr = {static_cast<std::uint32_t>(at)};
        retire(isa::Command::make(isa::Opcode::bdc_32bit_set_C, op), begin, end);
    }
    void copy(std::int64_t from, std::int64_t to, std::int32_t words, std::int64_t begin,
              std::int64_t end) {
        isa::VectorUnary op{};
        op.shape = {1, 1, 1, words};
        op.dst_stride = op.src_stride = {words, words, words, 1};
        op.src_addr = {static_cast<std::uint32_t>(from)};
        op.dst_addr = {static_cast<std::uint32_t>(to)};
        retire(isa::Command::make(isa::Opcode::bdc_32bit_cpy, op), begin, end);
    }

    std::uint32_t owner = 0;

    std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>> memory() const {
        std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>> all;
        for (const LocalBar& bar : picture_.local_memory()) {
            all.emplace_back(bar.low, bar.high, bar.begin.value / 1000, bar.end.value / 1000);
        }
        return all;
    }
    const RunPicture& picture() const { return picture_; }

 private:
    void retire(const isa::Command& command, std::int64_t begin, std::int64_t end) {
        CommandTimes times{};
        times.start = {begin * 1000};
        times.end = {end * 1000};
        picture_.retired(command, times);
    }

    sim::Machine machine_ = tests::round_machine();
    RunPicture picture_{machine_.params, [this] { return owner; }};
};

using Bars = std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>>;

TEST_CASE("Bytes live from their writing to the end of the last reading before the next writing") {
    Watched run;
    run.set(0, 4, 10, 20);       // 16 bytes, read until 40
    run.copy(0, 64, 4, 30, 40);  // written here, never read
    run.set(0, 4, 50, 60);       // ends the first allocation
    CHECK(run.memory() == Bars{{0, 16, 10, 40}, {64, 80, 30, 40}, {0, 16, 50, 60}});
}

TEST_CASE("What a writing leaves of an interval lives on") {
    Watched run;
    run.set(0, 8, 0, 10);          // [0, 32)
    run.set(8, 2, 20, 30);         // [8, 16) of it is new
    run.copy(0, 128, 2, 40, 50);   // reads [0, 8)
    run.copy(16, 256, 4, 60, 70);  // reads [16, 32)
    CHECK(run.memory() == Bars{{8, 16, 0, 10},
                               {0, 8, 0, 50},
                               {16, 32, 0, 70},
                               {8, 16, 20, 30},
                               {128, 136, 40, 50},
                               {256, 272, 60, 70}});
}

TEST_CASE("Commands come in the order of their begin, whenever they are complete") {
    Watched run;
    run.copy(0, 64, 4, 30, 40);  // reported first, reads earlier contents
    run.set(0, 4, 10, 20);
    CHECK(run.memory() == Bars{{0, 16, 10, 40}, {64, 80, 30, 40}});
}

TEST_CASE("Bars of one owner are one up to the gap, of others never") {
    Watched run;
    run.set(0, 1, 0, 10);
    run.set(0, 1, 15, 20);  // 5 after it
    run.owner = 1;
    run.set(0, 1, 20, 30);
    run.set(0, 1, 36, 40);  // 6 after it
    const auto bars = run.picture().engines({5 * 1000});
    REQUIRE(bars.size() == 3);
    CHECK(bars[0].begin == Picoseconds{0});
    CHECK(bars[0].end == Picoseconds{20 * 1000});
    CHECK(bars[0].owner == 0);
    CHECK(bars[1].end == Picoseconds{30 * 1000});
    CHECK(bars[2].begin == Picoseconds{36 * 1000});
    CHECK(run.picture().engines({4 * 1000}).size() == 4);
}

}  // namespace
