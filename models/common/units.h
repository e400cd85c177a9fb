// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <compare>
#include <cstdint>

namespace okksim::models {

/// Cycles of one clock domain.
struct Cycles {
    std::int64_t value = 0;
    auto operator<=>(const Cycles&) const = default;
    constexpr Cycles operator+(Cycles other) const { return {value + other.value}; }
    constexpr Cycles& operator+=(Cycles other) {
        value += other.value;
        return *this;
    }
};

/// Simulated time or duration across clock domains; the resolution of the whole simulator.
struct Picoseconds {
    std::int64_t value = 0;
    auto operator<=>(const Picoseconds&) const = default;
    constexpr Picoseconds operator+(Picoseconds other) const { return {value + other.value}; }
    constexpr Picoseconds operator-(Picoseconds other) const { return {value - other.value}; }
    constexpr Picoseconds& operator+=(Picoseconds other) {
        value += other.value;
        return *this;
    }
    constexpr double microseconds() const { return static_cast<double>(value) * 1e-6; }
};

constexpr double kPicosecondsPerMicrosecond = 1e6;

/// Converts nanoseconds to a duration, rounded to the resolution.
inline Picoseconds from_nanoseconds(double nanoseconds) {
    return {static_cast<std::int64_t>(std::llround(nanoseconds * 1e3))};
}

/// Converts cycles of a clock to time. One IEEE division per call, so all hosts round equally.
class Clock {
 public:
    explicit Clock(double megahertz) : megahertz_(megahertz) {}
    Picoseconds duration(Cycles cycles) const {
        return {static_cast<std::int64_t>(std::llround(static_cast<double>(cycles.value) *
                                                       kPicosecondsPerMicrosecond / megahertz_))};
    }
    double megahertz() const { return megahertz_; }

 private:
    double megahertz_;
};

}  // namespace okksim::models
