// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/graph/compose/windows.h"

namespace okksim::sim::graph::compose {

/// A feature map and windows that TOSA accepts: no negative padding, an exact fit.
struct Fitted {
    TensorIndex x;
    Windows windows;
    std::vector<std::int64_t> counts;  ///< of windows
};

/// Padding that TOSA's operator accepts: any, less than the kernel, or none.
enum class PaddingLimit { kAny, kBelowKernel, kNone };

/// Crops elements that no window reads, and adds padding of `value` where TOSA's padding does not
/// suffice. Windows that end after the padding extend it.
Fitted fitted(OperatorBuilder& ops, TensorIndex x, const Windows& windows, bool ceil_mode,
              double value, PaddingLimit limit);

/// Returns the shape [N, spatial..., C] with other spatial sizes.
Shape map_shape(const Shape& maps, const std::vector<std::int64_t>& spatial);
/// Adds a spatial direction of size 1, so that one direction becomes two.
Windows as_plane(const Windows& windows);
TensorIndex as_plane(OperatorBuilder& ops, TensorIndex x);

}  // namespace okksim::sim::graph::compose
