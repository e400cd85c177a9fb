// SPDX-License-Identifier: Apache-2.0
#include "kernels/processor_bytes.h"

namespace okksim::kernels {
namespace {

thread_local std::uint64_t touched = 0;

}  // namespace

void count_processor_bytes(std::uint64_t bytes) { touched += bytes; }

std::uint64_t processor_bytes() { return touched; }

}  // namespace okksim::kernels
