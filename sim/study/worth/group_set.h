// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/features.h"

namespace okksim::models {
struct FeatureParams;
}  // namespace okksim::models

namespace okksim::sim::worth {

/// A set of instruction groups beyond the API reference, in the order of isa/features.def. Pure.
class GroupSet {
 public:
    GroupSet() = default;
    explicit GroupSet(std::uint32_t bits) : bits_(bits) {}
    GroupSet(isa::Feature group) : bits_(isa::feature_bit(group)) {}  // NOLINT: a set of one

    /// Returns the set of all groups.
    static GroupSet every();
    /// Returns the groups that a machine has.
    static GroupSet of(const models::FeatureParams& features);
    /// Parses "requantise,lookup". ConfigError for unknown names, with a suggestion.
    static GroupSet from(const std::string& list);

    bool has(isa::Feature group) const { return (bits_ & isa::feature_bit(group)) != 0; }
    bool has(GroupSet others) const { return (others.bits_ & ~bits_) == 0; }
    bool empty() const { return bits_ == 0; }
    GroupSet with(GroupSet others) const { return GroupSet(bits_ | others.bits_); }
    GroupSet without(GroupSet others) const { return GroupSet(bits_ & ~others.bits_); }
    bool operator==(const GroupSet&) const = default;

    /// Returns the set with all groups that it needs, directly or indirectly.
    GroupSet with_needed() const;
    /// Returns the set with all groups that need one of its groups, directly or indirectly.
    GroupSet with_needing() const;

    std::vector<isa::Feature> list() const;
    /// Returns "int8_mac, fused_rescale", or "none".
    std::string text() const;

 private:
    std::uint32_t bits_ = 0;
};

}  // namespace okksim::sim::worth
