// SPDX-License-Identifier: Apache-2.0
// libokksim: what host programs and kernel libraries link with instead of the vendor's kit.
#include "firmware/host/device.h"
#include "sim/device/chip_device.h"

namespace {

/// Loading the library gives bm_dev_request() the timed chip.
[[maybe_unused]] const bool installed = [] {
    okksim::firmware::host::set_device_factory(okksim::sim::make_device_from_environment);
    return true;
}();

}  // namespace
