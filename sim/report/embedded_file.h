// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

/// Embeds a file's bytes in the program, between `symbol` and `symbol`_end. `file` is a macro with
/// the file's path (okksim_embed in CMake).
#define OKKSIM_EMBED(symbol, file)                                                             \
    asm(".section .rodata\n" #symbol ": .incbin \"" file "\"\n" #symbol "_end:\n.previous\n"); \
    extern "C" {                                                                               \
    extern const char symbol[];                                                                \
    extern const char symbol##_end[];                                                          \
    }

namespace okksim::sim::report {

/// Returns the text between the two symbols of an embedded file.
inline std::string_view embedded(const char* begin, const char* end) {
    return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace okksim::sim::report
