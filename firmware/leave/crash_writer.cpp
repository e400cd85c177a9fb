// SPDX-License-Identifier: Apache-2.0
#include "firmware/leave/crash_writer.h"

#include <utility>

#include "firmware/leave/signal_guard.h"

namespace okksim::firmware {

CrashWriter::CrashWriter(std::vector<Write> writes, LastReport last_report, bool owns_program)
    : CrashThread(std::move(writes), last_report, owns_program,
                  {&hold_fault_signals, &release_fault_signals}) {}

}  // namespace okksim::firmware
