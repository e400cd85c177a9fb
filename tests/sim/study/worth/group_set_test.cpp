// SPDX-License-Identifier: Apache-2.0
// Sets of groups: dependencies and names.
#include "sim/study/worth/group_set.h"

#include "isa/base/errors.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using Catch::Contains;
using isa::Feature;
using sim::worth::GroupSet;

TEST_CASE("worth/groups take along what they need, and what needs them") {
    // fused_rescale needs int8_mac and requantise.
    const GroupSet fused(Feature::kFusedRescale);
    CHECK(fused.with_needed() == fused.with(Feature::kInt8Mac).with(Feature::kRequantise));
    CHECK(fused.with_needing() == fused);
    const GroupSet products(Feature::kInt8Mac);
    CHECK(products.with_needed() == products);
    CHECK(products.with_needing() ==
          products.with(Feature::kFusedRescale).with(Feature::kInt16Mac));
    const GroupSet alone(Feature::kLookup);
    CHECK(alone.with_needed() == alone);
    CHECK(alone.with_needing() == alone);
    CHECK(GroupSet::every().with_needing() == GroupSet::every());
    CHECK_FALSE(GroupSet::every().has(Feature::kBase));
    CHECK(GroupSet().with_needing().empty());
}

TEST_CASE("worth/groups by their names") {
    const GroupSet two = GroupSet::from("lookup,requantise");
    CHECK(two == GroupSet(Feature::kRequantise).with(Feature::kLookup));
    CHECK(two.text() == "requantise, lookup");  // in the table's order
    CHECK(GroupSet().text() == "none");
    CHECK_THROWS_WITH(GroupSet::from("lokup"), Contains("did you mean \"lookup\"?"));
    CHECK_THROWS_WITH(GroupSet::from("int8"), Contains("the groups are int8_mac, requantise"));
    CHECK_THROWS_WITH(GroupSet::from("lookup,,convert"), Contains("is no instruction group"));
    CHECK_THROWS_WITH(GroupSet::from("base"), Contains("every machine has"));
    CHECK_THROWS_AS(GroupSet::from(""), ConfigError);
}

}  // namespace
