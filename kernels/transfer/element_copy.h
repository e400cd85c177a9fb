// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "firmware/okk.h"
#include "firmware/okk_features.h"
#include "isa/base/errors.h"

/// Copy functions of the GDMA by the bytes of an element: 1, 2 or 4.
namespace okksim::kernels {

using CopyCommand = decltype(&okk_gdma_32bit_cpy_S2S);
using LoadCommand = decltype(&okk_gdma_32bit_cpy_S2L);
using StoreCommand = decltype(&okk_gdma_32bit_cpy_L2S);

/// Within system memory.
inline CopyCommand copy_command(int element_bytes) {
    switch (element_bytes) {
        case 1: return okk_gdma_8bit_cpy_S2S;
        case 2: return okk_gdma_16bit_cpy_S2S;
        case 4: return okk_gdma_32bit_cpy_S2S;
        default: OKKSIM_CHECK(false);
    }
}

/// System memory to local memory.
inline LoadCommand load_command(int element_bytes) {
    switch (element_bytes) {
        case 1: return okk_gdma_8bit_cpy_S2L;
        case 2: return okk_gdma_16bit_cpy_S2L;
        case 4: return okk_gdma_32bit_cpy_S2L;
        default: OKKSIM_CHECK(false);
    }
}

/// Local memory to system memory.
inline StoreCommand store_command(int element_bytes) {
    switch (element_bytes) {
        case 1: return okk_gdma_8bit_cpy_L2S;
        case 2: return okk_gdma_16bit_cpy_L2S;
        case 4: return okk_gdma_32bit_cpy_L2S;
        default: OKKSIM_CHECK(false);
    }
}

/// Number of elements from which separate commands for blocks are faster than one command that
/// alternates between them in system memory. Each restart costs 2.4 ns more than continuing; the
/// start of a command costs 1.2 us (docs/explanation/fidelity.md).
inline constexpr std::int64_t kElementsOfOwnCommand = 512;

/// Element type of commands that copy elements of `element_bytes` bytes.
inline okk_element_t moved_type(int element_bytes) {
    switch (element_bytes) {
        case 1: return OKK_INT8;
        case 2: return OKK_INT16;
        case 4: return OKK_INT32;
        default: OKKSIM_CHECK(false);
    }
}

}  // namespace okksim::kernels
