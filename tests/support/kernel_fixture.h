// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "firmware/calls/context.h"
#include "kernels/prim/local_tensor.h"
#include "models/chip/functional_port.h"
#include "tests/support/small_machine.h"

namespace okksim::tests {

/// A machine without time, on which tests run kernels written as lambdas.
class KernelMachine {
 public:
    explicit KernelMachine(std::int32_t lanes = 8, std::int64_t local_bytes = 512 * 1024,
                           std::int64_t global_bytes = 1024 * 1024, std::uint32_t groups = 0);

    models::FunctionalPort& port() { return port_; }
    int lanes() const { return port_.machine().lanes; }

    /// Runs the kernel; a fault fails the test case with the fault's message. Returns counts of the
    /// issued calls.
    firmware::CallCounts run(const std::function<void()>& kernel);

    /// Elements of a tensor in local memory in the order n, c, h, w.
    std::vector<std::uint32_t> load(const kernels::prim::LocalTensor& tensor);
    void store(const kernels::prim::LocalTensor& tensor, std::span<const std::uint32_t> words);

 private:
    /// Host pointer of every element.
    std::vector<std::uint32_t*> elements(const kernels::prim::LocalTensor& tensor);

    models::FunctionalPort port_;
    firmware::Context context_;
};

/// A primitive under test: writes dst from the sources.
using Primitive = std::function<void(const kernels::prim::LocalTensor& dst,
                                     std::span<const kernels::prim::LocalTensor> sources,
                                     kernels::prim::Scratch& scratch)>;

/// Result of apply(): the words, the BDC commands of one call, and the most scratch planes in use.
struct Applied {
    std::vector<std::uint32_t> words;
    std::uint64_t commands = 0;
};

/// Runs a primitive over columns of words of equal length, tile by tile, with a scratch of exactly
/// `planes` planes. A pattern fills local memory beyond the operands, so that reads of
/// uninitialised memory show.
Applied apply(const Primitive& primitive, int planes,
              std::span<const std::vector<std::uint32_t>> columns);

}  // namespace okksim::tests
