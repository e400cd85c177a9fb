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

/// Groups of instructions beyond the API reference, in the order of isa/features.def. Pure.
class GroupSet {
 public:
    GroupSet() = default;
    explicit GroupSet(std::uint32_t bits) : bits_(bits) {}
    GroupSet(isa::Feature group) : bits_(isa::feature_bit(group)) {}  // NOLINT: a set of one

    /// Every group that there is.
    static GroupSet every();
    /// Those that a machine has.
    static GroupSet of(const models::FeatureParams& features);
    /// Of "requantise,lookup". ConfigError for other words, with what may have been meant.
    static GroupSet from(const std::string& list);

    bool has(isa::Feature group) const { return (bits_ & isa::feature_bit(group)) != 0; }
    bool has(GroupSet others) const { return (others.bits_ & ~bits_) == 0; }
    bool empty() const { return bits_ == 0; }
    GroupSet with(GroupSet others) const { return GroupSet(bits_ | others.bits_); }
    GroupSet without(GroupSet others) const { return GroupSet(bits_ & ~others.bits_); }
    bool operator==(const GroupSet&) const = default;

    /// With the groups that these need, and those that these need ...
    GroupSet with_needed() const;
    /// With the groups that need one of these, directly or not.
    GroupSet with_needing() const;

    std::vector<isa::Feature> list() const;
    /// "int8_mac, fused_rescale"; "none".
    std::string text() const;

 private:
    std::uint32_t bits_ = 0;
};

}  // namespace okksim::sim::worth
