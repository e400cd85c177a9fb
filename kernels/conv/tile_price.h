// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <boost/functional/hash.hpp>
#include <cstdint>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "kernels/conv/channel_round.h"
#include "kernels/conv/problem.h"
#include "kernels/conv/step_runner.h"
#include "kernels/conv/sum_rule.h"
#include "kernels/conv/tiling.h"
#include "kernels/planning/host.h"

namespace okksim::kernels::conv {

/// What the parts of a full step in the middle of a tiled problem cost.
struct StepWork {
    Work load_input, load_weights, load_operands, store;
    Work widen_input, widen_weights, products, finish;
};

/// Planner: prices the parts of steps by letting firmware issue their commands. Parts that several
/// tiles have in common are priced once.
class TilePrices {
 public:
    /// Extents and choices that the price of a part depends on.
    using Key = std::array<std::int32_t, 8>;

    /// All must outlive this.
    TilePrices(const Problem& problem, const SumRule& rule, Host& host)
        : problem_(problem), rule_(rule), host_(host) {}

    /// The tiling must fit the machine. Valid until the next call.
    const StepWork& of(const Tiling& tiling);
    /// No more than that, part by part, without a command: what other tiles have in common with it;
    /// no products. Valid until the next call.
    const StepWork& least(const Tiling& tiling);

 private:
    using Prices = std::unordered_map<Key, Work, boost::hash<Key>>;
    /// What of a tiling besides its order prices depend on.
    using Choice = std::tuple<Key, bool, bool>;
    /// Of a tiling, but for its products.
    struct Latest {
        Choice choice;
        StepWork work;
        bool is_complete = false;
    };
    /// What the products of a tile cost with their weights where two placements put them; other
    /// placements follow by the part of their banks that weights share with the others.
    struct Products {
        double apart_share = 0, together_share = 0;
        Work apart, together;
        Work at(double share) const;
    };
    /// What each part's price depends on.
    struct Keys {
        Key input, weights, output, all;
    };
    Keys keys_of(const Tiling& tiling) const;
    Latest& latest(const Tiling& tiling);
    Latest known(const Choice& choice, const Keys& keys) const;
    StepWork price(const Tiling& tiling);
    Room room() const;
    double share_of(const Tiling& tiling) const;
    Products price_products(const Tiling& tiling, StepRunner& runner,
                            StepRunner::PlacedStep placed);
    template <typename Price>
    const Work& once(Prices& known, const Key& key, const Price& price);

    const Problem& problem_;
    const SumRule& rule_;
    Host& host_;
    Prices load_input_, load_weights_, load_operands_, store_;
    Prices widen_input_, widen_weights_, finish_;
    std::unordered_map<Key, Products, boost::hash<Key>> products_;
    std::optional<Latest> latest_;  ///< orders of a tile share it
};

/// The same of an average step: the last part of a dimension may be smaller than the others.
StepWork average_work(const Problem& problem, const Tiling& tiling, int lanes, StepWork work);

/// Time that a tiling is expected to take, `work` being that of an average step: what keeps the
/// busiest engine busy, and what cannot overlap at both ends. Seldom more than it will be.
Duration overlapped_time(const Problem& problem, const Tiling& tiling, const StepWork& work);
/// Less than that at any rate: the control processor's time, `command` for each.
Duration issue_time(const Problem& problem, const Tiling& tiling, Duration command);
/// The same section by section, as the steps will run; `work` is that of a full step.
Duration stepwise_time(const Problem& problem, const Tiling& tiling, int lanes,
                       const StepWork& work);

}  // namespace okksim::kernels::conv
