// SPDX-License-Identifier: Apache-2.0
// A launch that two owners share, computed by hand.
#include "sim/trace/account_cutter.h"

#include "isa/base/errors.h"
#include "tests/sim/trace/reference_engines.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::sim::trace;
using models::Picoseconds;

using tests::kBdc;
using tests::kGdma;
using tests::kMcu;

void spend(AccountCutter& cutter, std::size_t engine, Cause cause, std::int64_t begin,
           std::int64_t end) {
    cutter.spent({engine, cause, 0, {begin}, {end}});
}

/// Owner 0 issues a load and a computation until 4, owner 1 another load until 6. The load runs
/// 2-10, the computation 10-20, the second load 22-30. The launch ends at 32; the host takes 5
/// more.
Account share(AccountCutter& cutter) {
    cutter.start({0});
    cutter.turn(0, {1});
    cutter.submitted(kGdma);
    cutter.submitted(kBdc);
    cutter.turn(1, {4});
    cutter.submitted(kGdma);
    cutter.turn(AccountCutter::kNobody, {6});
    spend(cutter, kMcu, Cause::kBusy, 0, 6);
    CHECK(cutter.retired(kGdma, {10}) == 0);
    spend(cutter, kGdma, Cause::kQueue, 0, 2);
    spend(cutter, kGdma, Cause::kBusy, 2, 10);
    CHECK(cutter.retired(kBdc, {20}) == 0);
    spend(cutter, kBdc, Cause::kQueue, 0, 3);
    spend(cutter, kBdc, Cause::kOtherEngine, 3, 10);
    spend(cutter, kBdc, Cause::kBusy, 10, 20);
    CHECK(cutter.retired(kGdma, {30}) == 1);
    spend(cutter, kGdma, Cause::kOtherEngine, 10, 22);
    spend(cutter, kGdma, Cause::kBusy, 22, 30);
    spend(cutter, kMcu, Cause::kOtherEngine, 6, 32);
    spend(cutter, kGdma, Cause::kIdle, 30, 32);
    spend(cutter, kBdc, Cause::kIdle, 20, 32);

    Account whole(tests::reference_engines());
    whole.span = {32 + 5};
    const auto set = [&](std::size_t engine, Cause cause, std::int64_t time) {
        whole.engines[engine][cause] = {time};
        if (cause == Cause::kBusy) whole.engines[engine].busy.add(0, {time});
    };
    set(kGdma, Cause::kQueue, 2);
    set(kGdma, Cause::kBusy, 16);
    set(kGdma, Cause::kOtherEngine, 12);
    set(kGdma, Cause::kIdle, 2 + 5);
    set(kBdc, Cause::kQueue, 3);
    set(kBdc, Cause::kBusy, 10);
    set(kBdc, Cause::kOtherEngine, 7);
    set(kBdc, Cause::kIdle, 12 + 5);
    set(kMcu, Cause::kBusy, 6);
    set(kMcu, Cause::kOtherEngine, 26);
    set(kMcu, Cause::kIdle, 5);
    return whole;
}

}  // namespace

TEST_CASE("A turn lasts from the completion of what came before to its own") {
    AccountCutter cutter(tests::reference_engines());
    cutter.launch_accounted(share(cutter));
    REQUIRE(cutter.slices().size() == 2);

    // Owner 0 from 1 to 20.
    const AccountSlice& first = cutter.slices()[0];
    CHECK(first.begin.value == 1);
    CHECK(first.end.value == 20);
    CHECK(first.account.span.value == 19);
    CHECK(first.account.engines[kGdma][Cause::kQueue].value == 1);         // 1-2
    CHECK(first.account.engines[kGdma][Cause::kBusy].value == 8);          // 2-10
    CHECK(first.account.engines[kGdma][Cause::kOtherEngine].value == 10);  // 10-20 of 10-22
    CHECK(first.account.engines[kBdc][Cause::kQueue].value == 2);          // 1-3
    CHECK(first.account.engines[kBdc][Cause::kBusy].value == 10);
    CHECK(first.account.engines[kMcu][Cause::kBusy].value == 5);  // 1-6: for both owners

    // Owner 1 from 20 to 30.
    const AccountSlice& second = cutter.slices()[1];
    CHECK(second.account.span.value == 10);
    CHECK(second.account.engines[kGdma][Cause::kOtherEngine].value == 2);
    CHECK(second.account.engines[kGdma][Cause::kBusy].value == 8);
    CHECK(second.account.engines[kBdc][Cause::kIdle].value == 10);
    CHECK(second.account.engines[kMcu][Cause::kOtherEngine].value == 10);

    // 0-1 and 30-32, and the host's 5.
    CHECK(cutter.rest().span.value == 1 + 2 + 5);
    CHECK(cutter.rest().engines[kBdc][Cause::kQueue].value == 1);
    CHECK(cutter.rest().engines[kBdc][Cause::kIdle].value == 2 + 5);
}

TEST_CASE("Events belong to the owner that issued the command or made the access") {
    using models::energy::EventCounts;
    using models::energy::Memory;
    using models::energy::Unit;
    AccountCutter cutter(tests::reference_engines());
    cutter.start({0});
    Account whole(tests::reference_engines());
    models::energy::Traffic one;
    one[Memory::kDram].read = 1;
    cutter.accessed(one);  // belongs to no owner
    cutter.turn(0, {0});
    cutter.accessed(one);
    cutter.turn(1, {0});
    cutter.accessed(one);
    cutter.accessed(one);
    for (int i = 0; i < 3; ++i) whole.events.add(Unit::kMcu, one);
    CHECK_THROWS_AS(AccountCutter(cutter).launch_accounted(whole), InternalError);  // one too few
    whole.events.add(Unit::kMcu, one);
    cutter.launch_accounted(whole);
    const auto reads = [](const EventCounts& counts) {
        return counts.of(Unit::kMcu)[Memory::kDram].read;
    };
    CHECK(reads(cutter.rest().events) == 1);
    CHECK(reads(cutter.slices()[0].account.events) == 1);
    CHECK(reads(cutter.slices()[1].account.events) == 2);
}

TEST_CASE("Slices that do not add up to the launch are an internal error") {
    AccountCutter cutter(tests::reference_engines());
    Account whole = share(cutter);
    // One unit of the GDMA's time has another cause.
    whole.engines[kGdma][Cause::kQueue].value -= 1;
    whole.engines[kGdma][Cause::kIdle].value += 1;
    CHECK_THROWS_AS(cutter.launch_accounted(whole), InternalError);
}

TEST_CASE("An owner that returns after another has the sum of its turns") {
    // A loop (0) has a body (1). The loop issues a command that ends at 10, the body one that ends
    // at 30, the loop one that ends at 35.
    AccountCutter cutter(tests::reference_engines());
    cutter.start({0});
    Account whole(tests::reference_engines());
    whole.span = {35};
    const auto command = [&](std::size_t owner, std::int64_t begin, std::int64_t end) {
        cutter.turn(owner, {begin});
        cutter.submitted(kBdc);
        cutter.retired(kBdc, {end});
        spend(cutter, kBdc, Cause::kBusy, begin, end);
        for (const std::size_t other : {kGdma, kMcu})
            spend(cutter, other, Cause::kIdle, begin, end);
    };
    command(0, 0, 10);
    command(1, 10, 30);
    command(0, 30, 35);
    whole.engines[kBdc][Cause::kBusy] = {35};
    whole.engines[kBdc].busy.add(0, {35});
    for (const std::size_t other : {kGdma, kMcu}) whole.engines[other][Cause::kIdle] = {35};
    cutter.launch_accounted(whole);
    CHECK(cutter.slices()[0].account.span.value == 15);
    CHECK(cutter.slices()[0].begin.value == 0);
    CHECK(cutter.slices()[0].end.value == 35);
    CHECK(cutter.slices()[1].account.span.value == 20);
    CHECK(cutter.rest().span.value == 0);
}
