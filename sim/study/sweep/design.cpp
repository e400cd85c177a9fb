// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/design.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/random/sobol.hpp>
#include <numeric>
#include <random>

#include "isa/base/closest_word.h"
#include "isa/base/errors.h"
#include "isa/base/printable.h"
#include "sim/study/sweep/workload_variants.h"

namespace okksim::sim::sweep {
namespace {

/// Limit on the attempts for each requested point, as constraints may reject many.
constexpr std::uint64_t kMostTries = 1000;

/// Returns a uniform number in [0, 1) that is the same on every host.
double uniform(std::mt19937_64& source) { return static_cast<double>(source() >> 11) * 0x1p-53; }

}  // namespace

Design::Design(const SweepSpec& spec, const Machine& base)
    : spec_(spec), names_(base), broken_(spec.constraints.size()) {
    for (const std::string& text : spec.constraints) {
        constraints_.emplace_back(text, spec.where("constraints"));
        for (const std::string& name : constraints_.back().names()) {
            if (names_.path(name) && is_of_workload(*names_.path(name))) {
                throw ConfigError(spec.where("constraints"),
                                  fmt::format("\"{}\": {} is a property of networks, and "
                                              "constraints are about machines; remove it",
                                              printable(text), printable(name)));
            }
            if (names_.path(name)) continue;
            throw ConfigError(spec.where("constraints"),
                              fmt::format("\"{}\": {} is no parameter{}", printable(text),
                                          printable(name), did_you_mean(name, names_.known())));
        }
    }
}

std::uint64_t Design::most_points() const {
    if (spec_.points != 0) return spec_.points;
    if (spec_.sampling == Sampling::kEach) {
        std::uint64_t sum = 1;
        for (const Axis& axis : spec_.axes) sum += axis.values.size();
        return sum;
    }
    std::uint64_t count = 1;
    for (const Axis& axis : spec_.axes) {
        if (count > UINT64_MAX / axis.values.size()) return UINT64_MAX;
        count *= axis.values.size();
    }
    return count;
}

bool Design::keeps_constraints(const PointSettings& point) const {
    for (std::size_t i = 0; i < constraints_.size(); ++i) {
        const auto value = constraints_[i].value(
            [&](const std::string& name) { return names_.value(name, point); });
        if (value && *value != 0) continue;
        ++broken_[i];
        return false;
    }
    return true;
}

PointSettings Design::at(const std::vector<double>& position) const {
    PointSettings point;
    for (std::size_t i = 0; i < spec_.axes.size(); ++i) {
        for (auto& setting : spec_.axes[i].at(position[i]).settings) {
            point.push_back(std::move(setting));
        }
    }
    return point;
}

std::vector<PointSettings> Design::grid() const {
    std::vector<PointSettings> points;
    std::vector<std::size_t> index(spec_.axes.size(), 0);
    while (true) {
        PointSettings point;
        for (std::size_t i = 0; i < index.size(); ++i) {
            const auto& settings = spec_.axes[i].values[index[i]].settings;
            point.insert(point.end(), settings.begin(), settings.end());
        }
        if (keeps_constraints(point)) points.push_back(std::move(point));
        // The last axis changes fastest.
        std::size_t axis = index.size();
        while (axis > 0 && ++index[axis - 1] == spec_.axes[axis - 1].values.size()) {
            index[--axis] = 0;
        }
        if (axis == 0) return points;
    }
}

std::vector<PointSettings> Design::each() const {
    std::vector<PointSettings> points;
    if (keeps_constraints({})) points.emplace_back();
    for (const Axis& axis : spec_.axes) {
        for (const AxisValue& value : axis.values) {
            if (keeps_constraints(value.settings)) points.push_back(value.settings);
        }
    }
    return points;
}

template <typename Next>
std::vector<PointSettings> Design::choose(const Next& next) const {
    std::vector<PointSettings> points;
    for (std::uint64_t tries = 0; points.size() < spec_.points; ++tries) {
        if (tries >= kMostTries * (points.size() + 1)) break;
        PointSettings point = at(next());
        if (keeps_constraints(point)) points.push_back(std::move(point));
    }
    return points;
}

std::vector<PointSettings> Design::random() const {
    std::mt19937_64 source(spec_.seed);
    return choose([&] {
        std::vector<double> position(spec_.axes.size());
        for (double& value : position) value = uniform(source);
        return position;
    });
}

std::vector<PointSettings> Design::sobol() const {
    boost::random::sobol source(std::max<std::size_t>(spec_.axes.size(), 1));
    // The first points of the sequence are corners and centres of the axes, so they are skipped.
    source.discard(spec_.seed * std::max<std::size_t>(spec_.axes.size(), 1));
    return choose([&] {
        std::vector<double> position(spec_.axes.size());
        for (double& value : position) {
            value = static_cast<double>(source() - boost::random::sobol::min()) /
                    (static_cast<double>(boost::random::sobol::max()) + 1.0);
        }
        return position;
    });
}

std::vector<PointSettings> Design::latin() const {
    std::mt19937_64 source(spec_.seed);
    const auto count = static_cast<std::size_t>(spec_.points);
    std::vector<std::vector<double>> positions(count, std::vector<double>(spec_.axes.size()));
    std::vector<std::size_t> order(count);
    for (std::size_t axis = 0; axis < spec_.axes.size(); ++axis) {
        std::iota(order.begin(), order.end(), std::size_t{0});
        for (std::size_t i = count; i > 1; --i) {
            std::swap(order[i - 1],
                      order[static_cast<std::size_t>(uniform(source) * static_cast<double>(i))]);
        }
        for (std::size_t i = 0; i < count; ++i) {
            positions[i][axis] =
                (static_cast<double>(order[i]) + uniform(source)) / static_cast<double>(count);
        }
    }
    std::vector<PointSettings> points;
    for (const auto& position : positions) {
        PointSettings point = at(position);
        if (keeps_constraints(point)) points.push_back(std::move(point));
    }
    return points;
}

std::vector<PointSettings> Design::points() const {
    std::ranges::fill(broken_, 0);
    std::vector<PointSettings> points;
    switch (spec_.sampling) {
        case Sampling::kGrid: points = grid(); break;
        case Sampling::kRandom: points = random(); break;
        case Sampling::kLatin: points = latin(); break;
        case Sampling::kSobol: points = sobol(); break;
        case Sampling::kEach: points = each(); break;
        case Sampling::kSearch: break;
    }
    if (points.empty()) refuse_all();
    return points;
}

void Design::refuse_all() const {
    const auto worst = std::ranges::max_element(broken_) - broken_.begin();
    throw ConfigError(
        spec_.where("constraints"),
        fmt::format("no point of the axes fulfils all constraints; \"{}\" fails most often",
                    printable(spec_.constraints.at(static_cast<std::size_t>(worst)))));
}

}  // namespace okksim::sim::sweep
