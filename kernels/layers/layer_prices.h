// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "kernels/layers/layer_plan.h"
#include "kernels/planning/host.h"

namespace okksim::kernels::layers {

/// Planner: what works and transfers cost by themselves on a host's machine. Searches ask for the
/// same ones again and again: of groups that share operators, and of the same group with other
/// sizes of parts. Attributes, lists and programs of the calls must outlive it.
class LayerPrices {
 public:
    explicit LayerPrices(Host& host) : host_(host) {}

    Host& host() const { return host_; }
    /// Of the compute engine, and of the control processor.
    Work of(const LayerCall& call, const LayerPlan& plan, const LayerWork& work);
    /// Of the data mover.
    Duration of(const LayerCall& call, const LayerPlan& plan, const LayerTransfer& transfer);

 private:
    /// All that the commands depend on, in words.
    using Key = std::vector<std::int64_t>;
    struct Hash {
        std::size_t operator()(const Key& key) const;
    };
    class KeyWriter;

    template <typename Firmware>
    const Work& known(const Firmware& firmware);

    Host& host_;
    Key key_;  ///< of the question at hand
    std::unordered_map<Key, Work, Hash> known_;
};

}  // namespace okksim::kernels::layers
