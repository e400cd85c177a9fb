// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/graph/xmodel/xmodel_element.h"
#include "tests/reference/oplib/oplib_reference.h"
#include "tests/support/random_source.h"

namespace okksim::tests {

/// A random operator of OpLib: files in one or both vocabularies, inputs and expected outputs.
struct OplibCase {
    struct File {
        std::vector<std::uint8_t> bytes;
        bool is_channels_last = false;  ///< activations are N, H, W, C; names as in real files
    };
    struct Input {
        std::string name;
        reference::oplib::Array value;
    };
    std::string text;
    std::vector<File> files;
    std::vector<Input> inputs;
    sim::graph::xmodel::ElementType type;
    reference::oplib::Array expected;
    long double tolerance = 0;  ///< absolute, and relative to the expected value; 0: exact
};

/// Makes a case; equal seeds give equal cases.
OplibCase make_oplib_case(std::uint64_t seed);

/// The elements of a file or a .npy: little-endian; tensors of four dimensions as N, H, W, C.
std::vector<std::byte> encode(const reference::oplib::Array& array,
                              const sim::graph::xmodel::ElementType& type, bool is_channels_last);
/// The inverse, for an array of the shape of `like`.
reference::oplib::Array decode(std::span<const std::byte> bytes,
                               const sim::graph::xmodel::ElementType& type,
                               const reference::oplib::Array& like, bool is_channels_last);

}  // namespace okksim::tests
