// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace okksim::models::bdc {

/// A buffer of words that only ever grows, so that a stream of commands allocates nothing in its
/// steady state. One object per thread and purpose (thread_local); contents are undefined.
class Scratch {
 public:
    Scratch() = default;
    ~Scratch();
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    /// Returns at least `count` floats, 64-byte aligned, valid until the next call. Throws
    /// std::bad_alloc.
    float* floats(std::int64_t count) { return words<float>(count); }
    /// Returns at least `count` words of a type of 32 bits, as floats() does.
    template <typename Word>
    Word* words(std::int64_t count) {
        static_assert(sizeof(Word) == sizeof(float));
        return static_cast<Word*>(count <= capacity_ ? data_ : grow(count));
    }

 private:
    void* grow(std::int64_t count);

    void* data_ = nullptr;
    std::int64_t capacity_ = 0;  ///< words
};

}  // namespace okksim::models::bdc
