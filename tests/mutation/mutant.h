// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <initializer_list>
#include <type_traits>
#include <utility>

// Warnings about suspicious code must not stop a mutant's build; other flags equal those of the
// program.
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wbool-operation"
#pragma GCC diagnostic ignored "-Wint-in-bool-context"
#pragma GCC diagnostic ignored "-Wbool-compare"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Warray-bounds"
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Waggressive-loop-optimizations"
#pragma GCC diagnostic ignored "-Wmisleading-indentation"

/// Support code for mutated sources (make_mutants.py). One build contains every mutant, and
/// $OKKSIM_MUTANT selects one. The file $OKKSIM_MUTANTS_REACHED has a byte per mutant, set when the
/// mutant's line executes. This code is never part of the program.
namespace okksim::mutation {

inline int from_environment() {
    const char* text = std::getenv("OKKSIM_MUTANT");
    return text == nullptr ? -1 : std::atoi(text);
}

inline unsigned char* open_reached() {
    constexpr std::size_t kMostMutants = 1 << 16;
    const char* path = std::getenv("OKKSIM_MUTANTS_REACHED");
    if (path == nullptr) return nullptr;
    const int file = open(path, O_RDWR | O_CREAT, 0600);
    if (file < 0 || ftruncate(file, kMostMutants) != 0) std::abort();
    void* bytes = mmap(nullptr, kMostMutants, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (bytes == MAP_FAILED) std::abort();
    return static_cast<unsigned char*>(bytes);
}

inline const int active = from_environment();
inline unsigned char* const reached = open_reached();

/// True if this mutant is selected. Constants are never mutated.
constexpr bool on(int id) {
    if (std::is_constant_evaluated()) return false;
    if (reached != nullptr) reached[id] = 1;
    return active == id;
}

constexpr int constant(int id, int value) { return on(id) ? value + 1 : value; }

template <int id, typename T>
constexpr T min(const T& a, const T& b) {
    return on(id) ? (a < b ? b : a) : (b < a ? b : a);
}
template <int id, typename T>
constexpr T max(const T& a, const T& b) {
    return on(id) ? (b < a ? b : a) : (a < b ? b : a);
}

/// An operator is written as `a OP NAME<id>{} OP b`, which keeps its precedence.
#define OKKSIM_MUTATED_OPERATOR(name, op, other)                                 \
    template <int id>                                                            \
    struct name {};                                                              \
    template <int id, typename T>                                                \
    struct name##_left {                                                         \
        T value;                                                                 \
    };                                                                           \
    template <int id, typename T>                                                \
    constexpr name##_left<id, T> operator op(const T& value, name<id>) {         \
        return {value};                                                          \
    }                                                                            \
    template <int id, typename T, typename U>                                    \
    constexpr auto operator op(const name##_left<id, T>& left, const U& right) { \
        using Result = decltype(left.value op right);                            \
        return on(id) ? static_cast<Result>(left.value other right)              \
                      : static_cast<Result>(left.value op right);                \
    }

OKKSIM_MUTATED_OPERATOR(lt, <, <=)
OKKSIM_MUTATED_OPERATOR(le, <=, <)
OKKSIM_MUTATED_OPERATOR(gt, >, >=)
OKKSIM_MUTATED_OPERATOR(ge, >=, >)
OKKSIM_MUTATED_OPERATOR(eq, ==, !=)
OKKSIM_MUTATED_OPERATOR(ne, !=, ==)
OKKSIM_MUTATED_OPERATOR(plus, +, -)
OKKSIM_MUTATED_OPERATOR(minus, -, +)
OKKSIM_MUTATED_OPERATOR(times, *, +)
OKKSIM_MUTATED_OPERATOR(over, /, *)
OKKSIM_MUTATED_OPERATOR(modulo, %, /)
OKKSIM_MUTATED_OPERATOR(bit_and, &, |)
OKKSIM_MUTATED_OPERATOR(bit_or, |, &)
OKKSIM_MUTATED_OPERATOR(shift_left, <<, >>)
OKKSIM_MUTATED_OPERATOR(shift_right, >>, <<)
#undef OKKSIM_MUTATED_OPERATOR

}  // namespace okksim::mutation
