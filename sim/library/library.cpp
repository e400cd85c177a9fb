// SPDX-License-Identifier: Apache-2.0
// libokksim: the library for host programs and kernel libraries, in place of the vendor's kit.
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "firmware/host/device.h"
#include "firmware/host/program_end.h"
#include "firmware/host/runtime.h"
#include "sim/library/environment_device.h"

namespace {

/// Loading the library gives bm_dev_request() the timed chip.
[[maybe_unused]] const bool installed = [] {
    okksim::firmware::host::set_device_factory(okksim::sim::make_device_from_environment);
    okksim::firmware::host::end_on_outside_calls();
    return true;
}();

/// Runs after the program's own exit handlers, when all findings are known.
[[gnu::destructor]] void end_with_own_code() {
    auto& runtime = okksim::firmware::host::Runtime::instance();
    const std::scoped_lock lock(runtime.mutex());
    const auto code = runtime.end_program();
    if (!code) return;
    std::fflush(nullptr);
    std::_Exit(*code);
}

}  // namespace
