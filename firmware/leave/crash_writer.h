// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "firmware/leave/crash_thread.h"

namespace okksim::firmware {

/// A CrashThread with the handlers of SignalGuard. They handle fault signals while the writer
/// lives, also between launches.
class CrashWriter : public CrashThread {
 public:
    CrashWriter(std::vector<Write> writes, LastReport last_report, bool owns_program);
};

}  // namespace okksim::firmware
