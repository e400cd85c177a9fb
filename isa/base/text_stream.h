// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ios>
#include <sstream>
#include <string>

namespace okksim {

/// A stream that rethrows exceptions of its string buffer. A standard stream ends silently when
/// memory is used up, as if the text were complete.
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
