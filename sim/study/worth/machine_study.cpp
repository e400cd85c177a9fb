// SPDX-License-Identifier: Apache-2.0
#include "sim/study/worth/machine_study.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/base/errors.h"
#include "isa/base/text_stream.h"

namespace okksim::sim::worth {
namespace {

std::string path_of(isa::Feature group) {
    return std::string("features.") + isa::feature_info(group).key;
}

std::string switched(isa::Feature group, bool on) {
    return fmt::format("{}={}", path_of(group), on);
}

bool is_switch(const std::string& path) {
    const auto& groups = GroupSet::every().list();
    return std::ranges::any_of(groups, [&](isa::Feature group) { return path == path_of(group); });
}

/// Builds the points and their machines.
class StudyMaker {
 public:
    explicit StudyMaker(const StudyChoice& choice) : choice_(choice), family_(choice.machine) {
        study_.base = family_.with(choice.settings);
        own_ = GroupSet::of(*study_.base.params.features);
        const GroupSet usual = own_.empty() ? GroupSet::every() : own_;
        study_.groups = choice.groups.value_or(usual);
        study_.all = own_.with(study_.groups);
        check_groups();
    }

    MachineStudy make() && {
        add(PointKind::kAll, {}, study_.all);
        add(PointKind::kNone, study_.groups, without(study_.groups));
        const std::vector<isa::Feature> groups = study_.groups.list();
        for (const isa::Feature group : groups) add(PointKind::kWithout, group, without(group));
        for (const isa::Feature group : groups) {
            add(PointKind::kOnly, group,
                without(study_.groups).with(GroupSet(group).with_needed()));
        }
        for (std::size_t i = 0; i < groups.size(); ++i) {
            for (std::size_t j = i + 1; j < groups.size(); ++j) add_pair(groups[i], groups[j]);
        }
        for (const std::string& parameter : choice_.parameters) add_values(parameter);
        return std::move(study_);
    }

 private:
    GroupSet without(GroupSet groups) const { return study_.all.without(groups.with_needing()); }

    void check_groups() const {
        for (const isa::Feature group : study_.groups.list()) {
            const bool is_refused = std::ranges::find(choice_.settings, switched(group, false)) !=
                                    choice_.settings.end();
            if (is_refused && !own_.has(group)) {
                throw ConfigError(
                    "--groups",
                    fmt::format(
                        "names {}, but --set {} removes it from the machine; drop one of them",
                        isa::feature_info(group).key, switched(group, false)));
            }
            const GroupSet missing = GroupSet(group).with_needed().without(study_.all);
            if (missing.empty()) continue;
            throw ConfigError(
                "--groups",
                fmt::format("{} cannot have {}: it needs {}, which the machine lacks; also name "
                            "that, or choose another machine",
                            study_.base.label(), isa::feature_info(group).key, missing.text()));
        }
    }

    /// Adds a pair, unless removing one group also removes the other.
    void add_pair(isa::Feature first, isa::Feature second) {
        if (GroupSet(first).with_needing().has(second)) return;
        if (GroupSet(second).with_needing().has(first)) return;
        const GroupSet both = GroupSet(first).with(second);
        add(PointKind::kWithoutPair, both, without(both));
    }

    [[noreturn]] static void refuse_values(const std::string& text) {
        throw ConfigError("--parameter " + text,
                          "expected section.key=value,value, e.g. "
                          "features.rescale_multipliers=1,2,4");
    }

    void add_values(const std::string& text) {
        const auto sign = text.find('=');
        const std::string path = text.substr(0, sign);
        if (sign == std::string::npos || sign == 0 || sign + 1 == text.size()) {
            refuse_values(text);
        }
        if (is_switch(path)) {
            throw ConfigError("--parameter " + text, "is a group; --groups turns groups off");
        }
        TextReader values(text.substr(sign + 1));
        for (std::string value; std::getline(values, value, ',');) {
            if (value.empty() || path.find('.') == std::string::npos) refuse_values(text);
            add(PointKind::kParameter, {}, study_.all, path, value);
        }
    }

    void add(PointKind kind, GroupSet named, GroupSet groups, const std::string& parameter = {},
             const std::string& value = {}) {
        std::vector<std::string> settings = choice_.settings;
        for (const isa::Feature group : GroupSet::every().list()) {
            const bool on = groups.has(group);
            if (on != own_.has(group)) settings.push_back(switched(group, on));
        }
        if (!parameter.empty()) settings.push_back(parameter + '=' + value);
        Machine machine = family_.with(settings);
        const auto same = std::ranges::find(study_.machines, machine.hash(), &Machine::hash);
        const auto index = static_cast<std::size_t>(same - study_.machines.begin());
        if (same == study_.machines.end()) study_.machines.push_back(std::move(machine));
        study_.points.push_back({kind, named, groups, parameter, value, index});
    }

    const StudyChoice& choice_;
    MachineFamily family_;
    GroupSet own_;  ///< of the machine as given
    MachineStudy study_;
};

}  // namespace

const char* kind_name(PointKind kind) {
    switch (kind) {
        case PointKind::kAll: return "all";
        case PointKind::kNone: return "none";
        case PointKind::kWithout: return "without";
        case PointKind::kOnly: return "only";
        case PointKind::kWithoutPair: return "without pair";
        case PointKind::kParameter: return "parameter";
    }
    __builtin_unreachable();
}

std::string Point::name(GroupSet all) const {
    switch (kind) {
        case PointKind::kAll:
        case PointKind::kNone: return kind_name(kind);
        case PointKind::kParameter: return parameter + "=" + value;
        case PointKind::kOnly: {
            const GroupSet needed = named.with_needed().without(named);
            return "only " + named.text() + (needed.empty() ? "" : " with " + needed.text());
        }
        case PointKind::kWithout:
        case PointKind::kWithoutPair: {
            const GroupSet along = all.without(groups).without(named);
            return "without " + named.text() + (along.empty() ? "" : " and so " + along.text());
        }
    }
    __builtin_unreachable();
}

const Point* MachineStudy::find(PointKind kind, GroupSet named) const {
    const auto found = std::ranges::find_if(
        points, [&](const Point& point) { return point.kind == kind && point.named == named; });
    return found == points.end() ? nullptr : &*found;
}

MachineStudy make_study(const StudyChoice& choice) { return StudyMaker(choice).make(); }

std::vector<AssumedValue> assumed_values(const Machine& machine, isa::Feature group) {
    std::vector<AssumedValue> values;
    for (const ParameterRecord& parameter : machine.parameters) {
        const std::string& source = parameter.source;
        const bool is_assumed = source.starts_with("assumed") || source.starts_with("standard");
        if (is_assumed && parameter.group == isa::feature_info(group).key) {
            values.push_back({parameter.path, parameter.value, source});
        }
    }
    return values;
}

}  // namespace okksim::sim::worth
