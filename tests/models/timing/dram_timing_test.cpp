// SPDX-License-Identifier: Apache-2.0
#include "models/dram/dram_timing.h"

#include "tests/support/catch.h"

namespace {

using namespace okksim::models;

/// Reads at 10 bytes/ns, writes at 5; 64-byte bursts; 20 ns between runs that are apart.
BandwidthParams round_memory() {
    BandwidthParams params;
    params.read_bytes_per_nanosecond = 10;
    params.write_bytes_per_nanosecond = 5;
    params.read_latency_nanoseconds = 7;
    params.write_latency_nanoseconds = 3;
    params.burst_bytes = 64;
    params.run_switch_nanoseconds = 20;
    return params;
}

MemoryService read(const MemoryRequest& request) {
    return memory_service(request, MemoryDirection::kRead, round_memory());
}

}  // namespace

TEST_CASE("one run costs its bytes at the rate of its direction") {
    const MemoryRequest request{1, 1000, 0};
    CHECK(request.bytes() == 1000);
    CHECK(read(request).stream.value == 100'000);  // 1000 bytes / 10 per ns, in ps
    CHECK(read(request).switching.value == 0);
    CHECK(read(request).latency.value == 7'000);
    const auto written = memory_service(request, MemoryDirection::kWrite, round_memory());
    CHECK(written.stream.value == 200'000);
    CHECK(written.latency.value == 3'000);
    CHECK(written.occupied().value == 200'000);
}

TEST_CASE("runs that follow one another cost what one long run costs") {
    CHECK(read({10, 100, 100}).occupied() == read({1, 1000, 0}).occupied());
    // Overlapping rows and repeated reading of one row (pitch 0) leave no gap either.
    CHECK(read({10, 100, 40}).switching.value == 0);
    CHECK(read({10, 100, 0}).stream.value == 100'000);
}

TEST_CASE(
    "a jump costs the switch, reading through the gap, or the run again, whichever is least") {
    // Run 512, gap 1536: the switch of 20 ns is the least of 20, 153.6 and 51.2.
    CHECK(read({4, 512, 2048}).switching.value == 80'000);
    // Run 512, gap 100: reading 100 bytes more takes 10 ns.
    CHECK(read({4, 512, 612}).switching.value == 40'000);
    // Run 80, gap 10000: 8 ns.
    CHECK(read({4, 80, 10080}).switching.value == 32'000);
}

TEST_CASE("short runs that stand alone cost a burst") {
    // 4 of 256 bytes: 64 fetched, 6.4 ns; the jump costs the run again, 0.4 ns.
    CHECK(read({10, 4, 256}).stream.value == 64'000);
    CHECK(read({10, 4, 256}).switching.value == 4'000);
    // 4 of 12 bytes: neighbours share a burst, so 12 bytes are fetched for each.
    CHECK(read({10, 4, 12}).stream.value == 12'000);
}
