// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ios>
#include <sstream>
#include <string>

namespace okksim {

/// A stream that throws what its string throws: the standard's own ends in silence when memory is
/// used up, as if the text were over.
class TextReader : public std::istringstream {
 public:
    explicit TextReader(const std::string& text) : std::istringstream(text) {
        exceptions(std::ios::badbit);
    }
};

class TextWriter : public std::ostringstream {
 public:
    TextWriter() { exceptions(std::ios::badbit); }
};

}  // namespace okksim
