// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "firmware/calls/context.h"
#include "models/chip/functional_port.h"
#include "tests/reference/okk/image.h"
#include "tests/support/random_calls.h"

namespace okksim::tests {

/// Runs the same calls on the firmware API with the functional model and on the slow reference,
/// starting from the same memory.
class OkkDuel {
 public:
    OkkDuel(const isa::MachineShape& machine, bool sdk_quirks, int threads = 1);

    /// New random contents of local memory and of the windows of system memory that calls use.
    void fill(RandomSource& random);

    /// Makes one valid call on both sides and compares all memory byte by byte, except work
    /// tensors. Returns std::nullopt if equal, else the first difference. Afterwards both sides
    /// hold the same bytes. If a quirk moves a call out of memory that the documented layout stays
    /// inside, both sides refuse it.
    std::optional<std::string> run(const RandomCall& call);
    /// Compares the call with the reference of another function.
    std::optional<std::string> run_against(const RandomCall& call,
                                           const std::string& reference_function);

 private:
    void forgive_work(const RandomCall& call);
    std::optional<std::string> compare();
    void copy_to_model();
    void copy_from_model();
    std::byte* window(std::size_t index) {
        return port_.system_memory().pointer(image_.system[index].start,
                                             image_.system[index].bytes.size());
    }

    isa::MachineShape machine_;
    bool sdk_quirks_;
    models::FunctionalPort port_;
    firmware::Context context_;
    reference::Image image_;
};

}  // namespace okksim::tests
