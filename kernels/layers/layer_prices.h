// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "kernels/layers/layer_plan.h"
#include "kernels/planning/host.h"

namespace okksim::kernels::layers {

/// Planner: isolated cost of works and transfers on a host's machine. Searches request the same
/// ones repeatedly: from groups that share operators, and from one group with other sizes of parts.
/// This object needs the attributes, lists and programs of the calls as long as it exists.
class LayerPrices {
 public:
    explicit LayerPrices(Host& host) : host_(host) {}

    Host& host() const { return host_; }
    /// Cost on the compute engine and the control processor.
    Work of(const LayerCall& call, const LayerPlan& plan, const LayerWork& work);
    /// Time on the GDMA.
    Duration of(const LayerCall& call, const LayerPlan& plan, const LayerTransfer& transfer);

 private:
    /// All inputs of the commands, in words.
    using Key = std::vector<std::int64_t>;
    struct Hash {
        std::size_t operator()(const Key& key) const;
    };
    class KeyWriter;

    template <typename Firmware>
    const Work& known(const Firmware& firmware);

    Host& host_;
    Key key_;  ///< of the current request
    std::unordered_map<Key, Work, Hash> known_;
};

}  // namespace okksim::kernels::layers
