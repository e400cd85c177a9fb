// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <tlm>

namespace okksim::models {

/// Carries out an ordinary transaction on host bytes: copies its data and sets its response status.
/// `bytes` shows what the payload's addresses hold; nullptr: they do not lie in the memory. Byte
/// enables and streaming are refused with the status that TLM-2.0 has for them; a
/// TLM_IGNORE_COMMAND moves nothing. Returns whether the transaction was carried out.
bool carry_out(tlm::tlm_generic_payload& payload, std::byte* bytes);

/// The same for transport_dbg, which takes neither byte enables nor a streaming width: the number
/// of bytes copied.
unsigned carry_out_debug(tlm::tlm_generic_payload& payload, std::byte* bytes);

/// Grants direct access to the `bytes` bytes from address `start` on, which `data` holds; always
/// true.
bool grant_direct(tlm::tlm_dmi& grant, std::uint64_t start, std::uint64_t bytes, std::byte* data);

}  // namespace okksim::models
