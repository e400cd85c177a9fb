// SPDX-License-Identifier: Apache-2.0
#include "models/dram/dram_timing.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "models/dram/dram_params.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim::models;

/// One channel: reads at 10 bytes/ns, writes at 5; 64-byte bursts; 20 ns to open a row of 1 KiB; no
/// refresh.
DramParams round_memory() {
    DramParams params;
    params.read_bytes_per_nanosecond = 10;
    params.write_bytes_per_nanosecond = 5;
    params.read_latency_nanoseconds = 7;
    params.write_latency_nanoseconds = 3;
    params.burst_bytes = 64;
    params.row_bytes = 1024;
    params.row_miss_nanoseconds = 20;
    return params;
}

/// Memory with the same rates on two channels that alternate every 4096 bytes.
DramParams two_channels() {
    DramParams params = round_memory();
    params.channels = 2;
    params.interleave_bytes = 4096;
    return params;
}

ChannelService read(const MemoryRequest& request, const DramParams& params = round_memory()) {
    return channel_service(request, request.bytes(), MemoryDirection::kRead, params);
}

/// Bytes of a request in the first two channels.
std::pair<std::uint64_t, std::uint64_t> shares(const MemoryRequest& request) {
    const ChannelShares all = channel_shares(request, two_channels());
    return {all[0], all[1]};
}

}  // namespace

TEST_CASE("one run costs its bytes at the rate of its direction, and its rows") {
    const MemoryRequest request{1, 4096, 0, 0};
    CHECK(request.bytes() == 4096);
    CHECK(read(request).stream.value == 409'600);  // 4096 bytes / 10 per ns, in ps
    CHECK(read(request).rows.value == 80'000);     // 4 rows
    CHECK(read(request).row_misses == 4);
    CHECK(read(request).row_hits == 60);  // of 64 bursts
    const auto written =
        channel_service(request, request.bytes(), MemoryDirection::kWrite, round_memory());
    CHECK(written.stream.value == 819'200);
    CHECK(written.occupied().value == 899'200);
}

TEST_CASE("runs that follow one another cost what one long run costs") {
    CHECK(read({10, 100, 100, 0}).occupied() == read({1, 1000, 0, 0}).occupied());
    // Overlapping rows and repeated reading of one row (pitch 0) leave no gap either.
    CHECK(read({10, 100, 40, 0}).stream.value == 100'000);
    CHECK(read({10, 100, 0, 0}).rows.value == 19'531);  // 1000 bytes of a row of 1024
}

TEST_CASE(
    "a row costs its opening, reading through the gap, or the run again, whichever is least") {
    // Runs of 512 bytes every 2048: one row each. 20 ns is the least of 20, 153.6 and 51.2.
    CHECK(read({4, 512, 2048, 0}).rows.value == 80'000);
    // Runs of 512 with gaps of 256: 4 runs are in 3 rows of 1024.
    CHECK(read({4, 512, 768, 0}).rows.value == 60'000);
    // Run 512, gap 100: 4 runs in 2.39 rows; reading 100 bytes more takes 10 ns.
    CHECK(read({4, 512, 612, 0}).rows.value == 23'906);
    // Run 80, gap 10000: 8 ns.
    CHECK(read({4, 80, 10080, 0}).rows.value == 32'000);
}

TEST_CASE("short runs that stand alone cost a burst") {
    // 4 of 256 bytes: 64 fetched, 6.4 ns.
    CHECK(read({10, 4, 256, 0}).stream.value == 64'000);
    // 4 of 12 bytes: neighbours share a burst, so 12 bytes are fetched for each.
    CHECK(read({10, 4, 12, 0}).stream.value == 12'000);
}

TEST_CASE("a single run has no gaps, whatever its pitch") {
    // 100 bytes of a row of 1024; a separate row would cost the 20 ns of a whole one.
    CHECK(read({1, 100, 5000, 0}).rows.value == read({1, 100, 0, 0}).rows.value);
    CHECK(read({1, 100, 5000, 0}).rows.value == 1'953);  // 20 ns * 100 / 1024
}

TEST_CASE("refresh takes its share of every moment") {
    DramParams params = round_memory();
    params.refresh_interval_nanoseconds = 1000;
    params.refresh_nanoseconds = 200;
    // 409.6 and 80 ns, divided by 0.8.
    CHECK(read({1, 4096, 0, 0}, params).stream.value == 512'000);
    CHECK(read({1, 4096, 0, 0}, params).rows.value == 100'000);
}

TEST_CASE("addresses decide which channel holds a byte") {
    using Pair = std::pair<std::uint64_t, std::uint64_t>;
    CHECK(shares({1, 4096, 0, 0}) == Pair{4096, 0});
    CHECK(shares({1, 4096, 0, 4096}) == Pair{0, 4096});
    CHECK(shares({1, 4096, 0, 8192}) == Pair{4096, 0});
    // A request that starts 1000 bytes before a boundary.
    CHECK(shares({1, 4096, 0, 7192}) == Pair{3096, 1000});
    // The end of channel 1, a whole block of channel 0, 3 bytes of channel 1.
    CHECK(shares({1, 4092 + 4096 + 3, 0, 4100}) == Pair{4096, 4095});
    // 3 periods and 100 bytes.
    CHECK(shares({1, 3 * 8192 + 100, 0, 0}) == Pair{3 * 4096 + 100, 3 * 4096});
    // Lines of 256 bytes at distances of 8 KiB use one channel only, at distances of 4 KiB both.
    CHECK(shares({100, 256, 8192, 4096}) == Pair{0, 25600});
    CHECK(shares({100, 256, 4096, 0}) == Pair{12800, 12800});
    // 20 lines 8192 + 64 bytes apart start within 20 * 64 bytes of one block; backwards as well.
    CHECK(shares({20, 256, 8256, 0}) == Pair{5120, 0});
    CHECK(shares({20, 256, 8128, 2048}) == Pair{5120, 0});
    // 128 such lines walk through both blocks.
    const Pair walk = shares({128, 64, 8256, 0});
    CHECK(walk == Pair{4096, 4096});
}

TEST_CASE("channels hold all of a request, and no channel less of a longer one") {
    std::mt19937_64 random(1);
    for (int i = 0; i < 3000; ++i) {
        DramParams params = two_channels();
        params.channels = 1 + static_cast<std::int64_t>(random() % 16);
        params.interleave_bytes = std::int64_t{64} << (random() % 8);
        const MemoryRequest request{1 + random() % 300, 4 + random() % 5000, random() % 20000,
                                    random() % 100000};
        const ChannelShares one = channel_shares(request, params);
        REQUIRE(std::accumulate(one.begin(), one.end(), std::uint64_t{0}) == request.bytes());
        MemoryRequest twice = request;
        twice.runs *= 2;
        const ChannelShares two = channel_shares(twice, params);
        // The fullest channel determines the time. Where runs are assumed evenly spread, its share
        // is exact to within a run and a block of the interleave.
        const auto fullest = [](const ChannelShares& held) {
            return *std::max_element(held.begin(), held.end());
        };
        const std::uint64_t known =
            request.run_bytes + static_cast<std::uint64_t>(params.interleave_bytes);
        CHECK(fullest(two) + known >= fullest(one));
    }
}

TEST_CASE("channels serve their parts side by side, requests in order of arrival") {
    MemoryPort memory(two_channels());
    // 4096 bytes in channel 0: 4096 / 5 per ns + 4 rows of 20 ns = 899.2 ns.
    const MemoryReply first = memory.serve({1, 4096, 0, 0}, MemoryDirection::kRead, {1000});
    CHECK(first.served.value == 1000 + 899'200);
    CHECK(first.latency.value == 7'000);
    REQUIRE(memory.last_uses().size() == 1);
    CHECK(memory.last_uses()[0].channel == 0);
    CHECK(memory.last_uses()[0].start.value == 1000);
    // Channel 1 is free at once; channel 0 only after the first request.
    CHECK(memory.serve({1, 4096, 0, 4096}, MemoryDirection::kRead, {1000}).served == first.served);
    const MemoryReply both = memory.serve({1, 8192, 0, 0}, MemoryDirection::kRead, {1000});
    CHECK(both.served.value == 1000 + 2 * 899'200);
    REQUIRE(memory.last_uses().size() == 2);
    CHECK(memory.last_uses()[1].start == first.served);
    CHECK(memory.totals(0).bytes_read == 8192);
    CHECK(memory.totals(0).busy.value == 2 * 899'200);
    CHECK(memory.totals(0).row_misses == 8);
}

TEST_CASE("a channel turns around between reading and writing") {
    DramParams params = round_memory();
    params.turnaround_nanoseconds = 11;
    MemoryPort memory(params);
    // The read takes 102.4 + 20 ns; the write after it 204.8 + 20 ns and the turnaround.
    CHECK(memory.serve({1, 1024, 0, 0}, MemoryDirection::kRead, {}).served.value == 122'400);
    CHECK(memory.serve({1, 1024, 0, 0}, MemoryDirection::kWrite, {}).served.value ==
          122'400 + 224'800 + 11'000);
    CHECK(memory.serve({1, 1024, 0, 0}, MemoryDirection::kWrite, {}).served.value ==
          122'400 + 2 * 224'800 + 11'000);
    CHECK(memory.totals(0).turnarounds == 1);
    // 11 ns after that write a read starts at once, 1 ps earlier it waits.
    const auto read_at = [&](std::int64_t time) {
        MemoryPort again = memory;
        return again.serve({1, 1024, 0, 0}, MemoryDirection::kRead, {time}).served.value - 122'400;
    };
    const std::int64_t turned = 122'400 + 2 * 224'800 + 2 * 11'000;
    CHECK(read_at(turned + 5) == turned + 5);
    CHECK(read_at(turned) == turned);
    CHECK(read_at(turned - 1) == turned);
}

TEST_CASE("a request that takes turns shares a busy channel burst by burst") {
    DramParams params = round_memory();
    params.row_bytes = 0;
    params.turnaround_nanoseconds = 4;
    const MemoryRequest large{1, 10000, 0, 0};  // 1000 ns of reading: until 1'000'000
    const MemoryRequest small{1, 320, 0, 0};    // 32 ns
    const auto served = [&](std::int64_t arrival, MemoryDirection direction) {
        MemoryPort port(params);
        port.serve(large, MemoryDirection::kRead, {0});
        return port.serve(small, direction, {arrival}, Arbitration::kTurns).served.value;
    };
    // It takes twice its own time while the other transfer is in progress.
    CHECK(served(100'000, MemoryDirection::kRead) == 100'000 + 2 * 32'000);
    CHECK(served(1'000'000 - 32'000, MemoryDirection::kRead) == 1'000'000 + 32'000);
    // It waits at most until the other one ends; then it has the channel alone.
    CHECK(served(999'999, MemoryDirection::kRead) == 1'000'000 + 32'000);
    CHECK(served(1'000'000, MemoryDirection::kRead) == 1'000'000 + 32'000);
    CHECK(served(1'000'001, MemoryDirection::kRead) == 1'000'001 + 32'000);
    // A write (64 ns) turns the channel, and back again.
    CHECK(served(100'000, MemoryDirection::kWrite) == 100'000 + 2 * 64'000 + 2 * 4'000);
}

TEST_CASE("a channel is occupied for as long as what takes turns needs, no bit less") {
    DramParams params = round_memory();
    params.row_bytes = 0;
    MemoryPort port(params);
    port.serve({1, 10000, 0, 0}, MemoryDirection::kRead, {0});
    port.serve({1, 320, 0, 0}, MemoryDirection::kRead, {100'000}, Arbitration::kTurns);
    REQUIRE(port.last_uses().size() == 1);
    CHECK(port.last_uses()[0].start.value == 1'000'000);
    CHECK(port.last_uses()[0].end.value == 1'032'000);
    // The next request in order of arrival begins after both.
    CHECK(port.serve({1, 10, 0, 0}, MemoryDirection::kRead, {500'000}).served.value == 1'033'000);
    CHECK(port.totals(0).busy.value == 1'033'000);
    CHECK(port.totals(0).bytes_read == 10000 + 320 + 10);
}

TEST_CASE("runs that step backwards within the interleave are spread below where they begin") {
    DramParams params = round_memory();
    params.channels = 4;
    params.interleave_bytes = 64;
    // Run i of 40 begins at 248 i, which is -8 i modulo the 256 bytes of all channels. The first 16
    // runs are counted one by one: one in channel 0, eight in 3 (-8 to -64), seven in 2 (-72 to
    // -120). The other 24 begin at 128, 120, ... -56: one in channel 2, eight in 1, eight in 0,
    // seven in 3.
    const ChannelShares shares = channel_shares({40, 8, 248, 0}, params);
    CHECK(shares[0] == 8 * (1 + 8));
    CHECK(shares[1] == 8 * 8);
    CHECK(shares[2] == 8 * (7 + 1));
    CHECK(shares[3] == 8 * (8 + 7));
}

TEST_CASE("runs without gaps are shared by the channels as one run, however long each is") {
    // 600,000 bytes: 73 times 4096 in each of two channels, and 1984 more in the first.
    CHECK(shares({1, 600'000, 0, 0}) == std::pair<std::uint64_t, std::uint64_t>(300'992, 299'008));
    CHECK(shares({100, 6000, 6000, 0}) == shares({1, 600'000, 0, 0}));
}

TEST_CASE("channels may alternate from byte to byte") {
    DramParams params = two_channels();
    params.interleave_bytes = 1;
    const ChannelShares shares = channel_shares({1, 3, 0, 0}, params);
    CHECK(shares[0] == 2);
    CHECK(shares[1] == 1);
}

TEST_CASE("a row may be as short as a byte, and none at all opens nothing") {
    DramParams params = round_memory();
    params.row_bytes = 1;
    CHECK(read({1, 64, 0, 0}, params).rows.value == 64 * 20'000);
    params.row_bytes = 0;
    CHECK(read({1, 64, 0, 0}, params).rows.value == 0);
}

TEST_CASE("a memory that rests is as new") {
    MemoryPort port(two_channels());
    MemoryPort fresh(two_channels());
    const MemoryRequest request{1, 64, 0, 0};
    port.serve({1, 65536, 0, 0}, MemoryDirection::kWrite, {0});
    port.rest();
    CHECK(port.last_uses().empty());
    CHECK(port.totals(0).bytes_written == 0);
    CHECK(port.serve(request, MemoryDirection::kRead, {0}).end() ==
          fresh.serve(request, MemoryDirection::kRead, {0}).end());
}
