// SPDX-License-Identifier: Apache-2.0
#include "sim/bound/pipeline_end.h"

#include "tests/support/catch.h"

namespace okksim::sim::bound {
namespace {

using models::Picoseconds;

PipelineWork work(std::int64_t load, std::int64_t time, std::int64_t store) {
    return {{time}, {load}, {store}, {30}, {30}};
}

TEST_CASE("one work waits for its load, and its store for it") {
    CHECK(end_of({work(10, 5, 7)}).value == 10 + 5 + 7);
}

TEST_CASE("loads of later works overlap with earlier ones") {
    // Loads end at 10 and 20; computations end at 15 and 25. The first store may be done by then.
    CHECK(end_of({work(10, 5, 0), work(10, 5, 7)}).value == 25 + 7);
    // The GDMA is the limit: 2 * 10 + 2 * 7, during which both computations of 1 fit.
    CHECK(end_of({work(10, 1, 7), work(10, 1, 7)}).value == 34);
    // The compute engine is: 10 + 2 * 50, and the last store.
    CHECK(end_of({work(10, 50, 7), work(10, 50, 7)}).value == 117);
}

TEST_CASE("stores of a work come behind it, whatever there was time for before") {
    // The computations end at 11 and 12; both stores wait for the second one if they belong to it.
    CHECK(end_of({work(10, 1, 0), work(0, 1, 20)}).value == 12 + 20);
    // The store of the first computation may begin at 11 and fill the time.
    CHECK(end_of({work(10, 1, 20), work(0, 1, 20)}).value == 11 + 40);
}

TEST_CASE("works wait for their commands") {
    // Start at 100, commands 30 apart: computation 130, load 160, computation 190 to 195.
    CHECK(end_of({work(10, 5, 0), work(10, 5, 7)}, Picoseconds{100}).value == 195 + 7);
    // A load that takes longer than the commands after it: 100 + 200 + 5 and the store.
    CHECK(end_of({work(10, 5, 0), work(190, 5, 7)}, Picoseconds{100}).value == 305 + 7);
}

}  // namespace
}  // namespace okksim::sim::bound
