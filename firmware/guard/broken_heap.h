// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace okksim::firmware::broken_heap {

/// From this call on, `delete` returns nothing to the heap, because a kernel has broken it.
/// Sanitizers and programs with an own operator delete do not change.
void keep_all();
/// Returns whether keep_all() has been called.
bool keeps_all();

}  // namespace okksim::firmware::broken_heap
