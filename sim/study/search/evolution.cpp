// SPDX-License-Identifier: Apache-2.0
// NSGA-II of pagmo, with steps to the neighbours of the Pareto front between its generations.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <pagmo/algorithms/nsga2.hpp>
#include <pagmo/bfe.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>
#include <pagmo/utils/multi_objective.hpp>
#include <random>
#include <set>
#include <utility>

#include "sim/study/search/search_engine.h"

namespace okksim::sim::search {
namespace {

using Objectives = std::vector<double>;

// pagmo requires a multiple of four. A small population learns sooner, as points are expensive.
constexpr std::size_t kPopulation = 40;
// Chosen by measurement (README.md). With few values per axis, most crossovers repeat known points.
constexpr double kCrossover = 0.95, kCrossoverIndex = 10, kMutation = 0.25, kMutationIndex = 20;
/// Generations without a new point after which the search ends.
constexpr int kMostIdle = 30;
/// Axis size from which a step to a neighbour spans several values.
constexpr std::uint32_t kSteps = 32;
/// The objectives of invalid points, which every valid point dominates.
constexpr double kWorst = 1e30;

class Evolution {
 public:
    explicit Evolution(const SearchProblem& problem)
        : problem_(problem), source_(problem.seed), all_(1) {
        for (const std::uint32_t size : problem.sizes) all_ *= size;
    }

    void run();

    /// Returns the objectives of positions. New positions are evaluated together.
    std::vector<Objectives> evaluate(const std::vector<Position>& positions);
    const SearchProblem& problem() const { return problem_; }
    /// pagmo requires at least two objectives, so a single one is duplicated.
    std::size_t objectives() const { return std::max<std::size_t>(problem_.objectives, 2); }
    /// Converts coordinates in [0, 1].
    Position position(const double* coordinates) const;

 private:
    std::vector<double> coordinates(const Position& position) const;
    std::uint32_t below(std::uint32_t count) {
        return static_cast<std::uint32_t>((std::uint64_t{source_()} * count) >> 32);
    }
    std::vector<Position> corners() const;
    std::vector<Position> spread(std::size_t count);
    std::vector<Position> neighbours() const;
    void take_best(pagmo::population& population, const std::vector<Position>& more);

    const SearchProblem& problem_;
    std::mt19937 source_;
    double all_;                            ///< number of positions
    std::map<Position, Objectives> known_;  ///< empty for an invalid point
    std::vector<Position> order_;           ///< positions with objectives
};

/// The problem in the form that pagmo expects.
struct PagmoProblem {
    Evolution* evolution = nullptr;

    pagmo::vector_double::size_type get_nobj() const { return evolution->objectives(); }
    std::pair<pagmo::vector_double, pagmo::vector_double> get_bounds() const {
        const std::size_t axes = evolution->problem().sizes.size();
        return {pagmo::vector_double(axes, 0.0), pagmo::vector_double(axes, 1.0)};
    }
    pagmo::vector_double fitness(const pagmo::vector_double& coordinates) const {
        return evolution->evaluate({evolution->position(coordinates.data())}).front();
    }
};

/// Evaluates a whole generation at once.
struct PagmoBatch {
    Evolution* evolution = nullptr;

    pagmo::vector_double operator()(const pagmo::problem&, const pagmo::vector_double& all) const {
        const std::size_t axes = evolution->problem().sizes.size();
        std::vector<Position> positions;
        for (std::size_t i = 0; i < all.size(); i += axes) {
            positions.push_back(evolution->position(all.data() + i));
        }
        pagmo::vector_double values;
        for (const Objectives& objectives : evolution->evaluate(positions)) {
            values.insert(values.end(), objectives.begin(), objectives.end());
        }
        return values;
    }
};

Position Evolution::position(const double* coordinates) const {
    Position position;
    for (std::size_t i = 0; i < problem_.sizes.size(); ++i) {
        const auto index = static_cast<std::uint32_t>(coordinates[i] * problem_.sizes[i]);
        position.push_back(std::min(index, problem_.sizes[i] - 1));
    }
    return position;
}

std::vector<double> Evolution::coordinates(const Position& position) const {
    std::vector<double> middle;
    for (std::size_t i = 0; i < position.size(); ++i) {
        middle.push_back((position[i] + 0.5) / problem_.sizes[i]);
    }
    return middle;
}

std::vector<Objectives> Evolution::evaluate(const std::vector<Position>& positions) {
    std::vector<Position> asked;
    std::set<Position> once;
    for (const Position& position : positions) {
        if (!known_.contains(position) && once.insert(position).second) asked.push_back(position);
    }
    const std::vector<Objectives> answers =
        asked.empty() ? std::vector<Objectives>() : problem_.evaluate(asked);
    for (std::size_t i = 0; i < asked.size(); ++i) {
        Objectives& known = known_[asked[i]] = answers[i];
        if (known.empty()) continue;
        known.resize(objectives(), known.front());
        order_.push_back(asked[i]);
    }
    std::vector<Objectives> values;
    for (const Position& position : positions) {
        const Objectives& objectives = known_.at(position);
        values.push_back(objectives.empty() ? Objectives(this->objectives(), kWorst) : objectives);
    }
    return values;
}

/// Returns combinations of the ends of the axes, at most half a population.
std::vector<Position> Evolution::corners() const {
    std::vector<Position> corners{Position(problem_.sizes.size(), 0)};
    for (std::size_t axis = 0; axis < problem_.sizes.size(); ++axis) {
        if (problem_.sizes[axis] < 2 || 4 * corners.size() > kPopulation) continue;
        const std::size_t count = corners.size();
        for (std::size_t i = 0; i < count; ++i) {
            corners.push_back(corners[i]);
            corners.back()[axis] = problem_.sizes[axis] - 1;
        }
    }
    return corners;
}

/// Returns the positions of a Latin hypercube.
std::vector<Position> Evolution::spread(std::size_t count) {
    std::vector<Position> positions(count, Position(problem_.sizes.size()));
    std::vector<std::uint32_t> order(count);
    for (std::size_t axis = 0; axis < problem_.sizes.size(); ++axis) {
        std::iota(order.begin(), order.end(), 0U);
        for (std::size_t i = count; i > 1; --i) {
            std::swap(order[i - 1], order[below(static_cast<std::uint32_t>(i))]);
        }
        for (std::size_t i = 0; i < count; ++i) {
            const double place = order[i] + source_() * 0x1p-32;
            positions[i][axis] = static_cast<std::uint32_t>(place / static_cast<double>(count) *
                                                            problem_.sizes[axis]);
        }
    }
    return positions;
}

/// Returns at most one population of new points one step from the Pareto front, widest gaps first.
std::vector<Position> Evolution::neighbours() const {
    std::vector<Objectives> values;
    for (const Position& position : order_) values.push_back(known_.at(position));
    if (values.empty()) return {};
    std::vector<pagmo::pop_size_t> front{0};
    if (values.size() > 1) front = std::get<0>(pagmo::fast_non_dominated_sorting(values)).front();
    std::vector<Objectives> of_front;
    for (const auto i : front) of_front.push_back(values[i]);
    std::vector<double> gaps{0.0};
    if (of_front.size() > 1) gaps = pagmo::crowding_distance(of_front);
    // The distance is NaN if an objective is equal for all points.
    std::ranges::replace_if(
        gaps, [](double gap) { return std::isnan(gap); }, 0.0);
    std::vector<std::size_t> by_gap(front.size());
    std::iota(by_gap.begin(), by_gap.end(), std::size_t{0});
    std::ranges::stable_sort(by_gap, std::greater{}, [&](std::size_t i) { return gaps[i]; });
    std::vector<Position> found;
    for (const std::size_t i : by_gap) {
        for (std::size_t axis = 0; axis < problem_.sizes.size(); ++axis) {
            const std::uint32_t size = problem_.sizes[axis], step = std::max(1U, size / kSteps);
            for (const std::uint32_t to :
                 {order_[front[i]][axis] - step, order_[front[i]][axis] + step}) {
                Position next = order_[front[i]];
                next[axis] = to;  // below zero it wraps to a large number
                if (to < size && !known_.contains(next)) found.push_back(std::move(next));
                if (found.size() == kPopulation) return found;
            }
        }
    }
    return found;
}

/// Replaces the population by the best of the population and the other points.
void Evolution::take_best(pagmo::population& population, const std::vector<Position>& more) {
    std::vector<pagmo::vector_double> places = population.get_x(), values = population.get_f();
    for (const Position& position : more) places.push_back(coordinates(position));
    for (Objectives& objectives : evaluate(more)) values.push_back(std::move(objectives));
    const auto best = pagmo::select_best_N_mo(values, population.size());
    for (std::size_t i = 0; i < best.size(); ++i) {
        population.set_xf(i, places[best[i]], values[best[i]]);
    }
}

void Evolution::run() {
    const pagmo::problem problem{PagmoProblem{this}};
    pagmo::population population{problem, 0, problem_.seed};
    pagmo::nsga2 algorithm(1, kCrossover, kCrossoverIndex, kMutation, kMutationIndex,
                           problem_.seed);
    algorithm.set_bfe(pagmo::bfe{PagmoBatch{this}});
    std::vector<Position> first = corners();
    const auto more = spread(kPopulation - first.size());
    first.insert(first.end(), more.begin(), more.end());
    // If constraints or failures leave too few points, further points are tried.
    evaluate(first);
    for (int i = 0; i < kMostIdle && order_.size() < kPopulation / 2; ++i) {
        const auto others = spread(kPopulation);
        evaluate(others);
        first.insert(first.end(), others.begin(), others.end());
    }
    const std::vector<Objectives> values = evaluate(first);
    for (std::size_t i = 0; i < kPopulation; ++i) {
        population.push_back(coordinates(first[i]), values[i]);
    }
    take_best(population, {first.begin() + kPopulation, first.end()});
    for (int idle = 0; idle < kMostIdle && static_cast<double>(known_.size()) < all_; ++idle) {
        const std::size_t before = known_.size();
        population = algorithm.evolve(population);
        take_best(population, neighbours());
        // Without a new point, the search continues elsewhere.
        if (known_.size() == before) take_best(population, spread(kPopulation));
        if (known_.size() > before) idle = 0;
    }
}

}  // namespace
}  // namespace okksim::sim::search

extern "C" __attribute__((visibility("default"))) void okksim_search_engine(
    const okksim::sim::search::SearchProblem& problem) {
    okksim::sim::search::Evolution(problem).run();
}
