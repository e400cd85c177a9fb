// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace okksim::firmware::broken_heap {

/// A kernel has broken the program's heap: nothing that `delete` is called for goes back to it any
/// more. Programs with an operator delete of their own, and sanitizers, go on with theirs.
void keep_all();
/// Whether that has happened.
bool keeps_all();

}  // namespace okksim::firmware::broken_heap
