// SPDX-License-Identifier: Apache-2.0
#include "models/sync/sync_unit.h"

namespace okksim::models {

void SyncUnit::completed(isa::Engine engine, isa::CommandId id) {
    completed_[index(engine)] = id;
    completion_[index(engine)].notify(sc_core::SC_ZERO_TIME);
    if (idle()) idle_.notify(sc_core::SC_ZERO_TIME);
}

void SyncUnit::reset() {
    submitted_ = {};
    completed_ = {};
}

}  // namespace okksim::models
