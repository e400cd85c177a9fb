// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <tlm>

namespace okksim::models {

/// Carries out an ordinary transaction on host bytes: copies its data and sets its response status.
/// `bytes` is the host data at the payload's address; nullptr: the address is outside the memory.
/// Byte enables and streaming are refused with the status of TLM-2.0 for them. A TLM_IGNORE_COMMAND
/// copies nothing. Returns true if the transaction was carried out.
bool carry_out(tlm::tlm_generic_payload& payload, std::byte* bytes);

/// Carries out a transport_dbg transaction, which ignores byte enables and streaming width. Returns
/// the number of bytes copied.
unsigned carry_out_debug(tlm::tlm_generic_payload& payload, std::byte* bytes);

/// Grants direct access to the `bytes` bytes from address `start` on, which `data` holds. Returns
/// true.
bool grant_direct(tlm::tlm_dmi& grant, std::uint64_t start, std::uint64_t bytes, std::byte* data);

}  // namespace okksim::models
