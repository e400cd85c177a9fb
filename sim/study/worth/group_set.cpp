// SPDX-License-Identifier: Apache-2.0
#include "sim/study/worth/group_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "isa/base/closest_word.h"
#include "isa/base/errors.h"
#include "isa/base/text_stream.h"
#include "models/chip/feature_params.h"

namespace okksim::sim::worth {
namespace {

std::vector<std::string> keys(const std::vector<isa::Feature>& groups) {
    std::vector<std::string> all;
    for (const isa::Feature group : groups) all.emplace_back(isa::feature_info(group).key);
    return all;
}

isa::Feature group_from(const std::string& word) {
    for (const isa::Feature group : GroupSet::every().list()) {
        if (word == isa::feature_info(group).key) return group;
    }
    const std::vector<std::string> known = keys(GroupSet::every().list());
    const bool is_base = word == isa::feature_info(isa::Feature::kBase).key;
    throw ConfigError(
        "--groups", is_base ? fmt::format("every machine has \"{}\"; choose from {}", word,
                                          fmt::join(known, ", "))
                            : fmt::format("\"{}\" is no instruction group{}; the groups are {}",
                                          word, did_you_mean(word, known), fmt::join(known, ", ")));
}

}  // namespace

GroupSet GroupSet::every() {
    GroupSet all;
    for (const isa::FeatureInfo& info : isa::kFeatures) all = all.with(info.feature);
    return all.without(isa::Feature::kBase);
}

GroupSet GroupSet::of(const models::FeatureParams& features) {
    return GroupSet(features.present()).without(isa::Feature::kBase);
}

GroupSet GroupSet::from(const std::string& list) {
    GroupSet groups;
    TextReader words(list);
    for (std::string word; std::getline(words, word, ',');) groups = groups.with(group_from(word));
    if (groups.empty()) {
        throw ConfigError("--groups", fmt::format("names no group; the groups are {}",
                                                  fmt::join(keys(every().list()), ", ")));
    }
    return groups;
}

GroupSet GroupSet::with_needed() const {
    GroupSet all = *this;
    for (GroupSet before; before != all;) {
        before = all;
        for (const isa::Feature group : before.list()) {
            all = all.with(GroupSet(isa::feature_info(group).needs));
        }
    }
    return all.without(isa::Feature::kBase);
}

GroupSet GroupSet::with_needing() const {
    GroupSet all = *this;
    for (const isa::Feature group : every().list()) {
        const bool needs_one =
            !GroupSet(group).with_needed().without(*this).has(GroupSet(group).with_needed());
        if (needs_one) all = all.with(group);
    }
    return all;
}

std::vector<isa::Feature> GroupSet::list() const {
    std::vector<isa::Feature> groups;
    for (const isa::FeatureInfo& info : isa::kFeatures) {
        if (has(info.feature)) groups.push_back(info.feature);
    }
    return groups;
}

std::string GroupSet::text() const {
    return empty() ? "none" : fmt::format("{}", fmt::join(keys(list()), ", "));
}

}  // namespace okksim::sim::worth
