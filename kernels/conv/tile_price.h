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

/// Cost of each part of a full step in the middle of a tiled problem.
struct StepWork {
    Work load_input, load_weights, load_operands, store;
    Work widen_input, widen_weights, products, finish;
};

/// Planner: prices the parts of steps by letting firmware issue their commands. A part that several
/// tiles have in common is priced once.
class TilePrices {
 public:
    /// Extents and choices that the price of a part depends on.
    using Key = std::array<std::int32_t, 8>;

    /// All arguments must outlive this object.
    TilePrices(const Problem& problem, const SumRule& rule, Host& host)
        : problem_(problem), rule_(rule), host_(host) {}

    /// The tiling must fit the machine. Valid until the next call.
    const StepWork& of(const Tiling& tiling);
    /// A lower bound of of(), part by part, without issuing commands: from prices shared with other
    /// tiles. Does not include products. Valid until the next call.
    const StepWork& least(const Tiling& tiling);

 private:
    using Prices = std::unordered_map<Key, Work, boost::hash<Key>>;
    /// Properties of a tiling that prices depend on. The order is not one of them.
    using Choice = std::tuple<Key, bool, bool>;
    /// Prices of the latest tiling. Those of its products depend on the order and are set last.
    struct Latest {
        Choice choice;
        StepWork work;
        bool is_complete = false;
    };
    /// Cost of a tile's products for two placements of their weights. Other placements are
    /// interpolated by the fraction of banks that weights share with other operands.
    struct Products {
        double apart_share = 0, together_share = 0;
        Work apart, together;
        Work at(double share) const;
    };
    /// Properties that the price of each part depends on.
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
    std::optional<Latest> latest_;  ///< shared by all orders of a tile
};

/// Cost of an average step: the last part of a dimension may be smaller than the others.
StepWork average_work(const Problem& problem, const Tiling& tiling, int lanes, StepWork work);

/// Expected time of a tiling, with the `work` of an average step. It adds the time of the busiest
/// engine and the parts at both ends that cannot overlap. It seldom exceeds the actual time.
Duration overlapped_time(const Problem& problem, const Tiling& tiling, const StepWork& work);
/// A lower bound of overlapped_time(): the control processor's time, `command` for each command.
Duration issue_time(const Problem& problem, const Tiling& tiling, Duration command);
/// Expected time of a tiling section by section, with the `work` of a full step.
Duration stepwise_time(const Problem& problem, const Tiling& tiling, int lanes,
                       const StepWork& work);

}  // namespace okksim::kernels::conv
