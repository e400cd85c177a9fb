// SPDX-License-Identifier: Apache-2.0
// Common code of the example host programs: status checks, timed launches and comparison. The
// options --dump and --check run the same case through `okksim kernel`.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <type_traits>
#include <vector>

#include "bmlib_runtime.h"

namespace example {

/// Ends the program if a call of the host API failed; the API has already logged the reason.
inline void require(bm_status_t status, const char* what) {
    if (status == BM_SUCCESS) return;
    std::fprintf(stderr, "%s failed with status %d\n", what, static_cast<int>(status));
    std::exit(1);
}

/// Returns reproducible values in [low, high), equal with every standard library.
inline std::vector<float> random_values(std::size_t count, float low, float high,
                                        std::uint32_t seed = 1) {
    std::vector<float> values(count);
    std::uint32_t state = seed * 2654435761U + 1;
    for (float& value : values) {
        state = state * 1664525U + 1013904223U;
        value = low + (high - low) * (static_cast<float>(state >> 8) / 16777216.0F);
    }
    return values;
}

template <typename T>
bm_device_mem_t allocate(bm_handle_t handle, std::size_t count) {
    bm_device_mem_t memory;
    require(bm_malloc_device_byte(handle, &memory, static_cast<unsigned int>(count * sizeof(T))),
            "bm_malloc_device_byte");
    return memory;
}

template <typename T>
bm_device_mem_t upload(bm_handle_t handle, const std::vector<T>& values) {
    const bm_device_mem_t memory = allocate<T>(handle, values.size());
    require(bm_memcpy_s2d(handle, memory, const_cast<T*>(values.data())), "bm_memcpy_s2d");
    return memory;
}

template <typename T>
std::vector<T> download(bm_handle_t handle, bm_device_mem_t memory) {
    std::vector<T> values(bm_mem_get_device_size(memory) / sizeof(T));
    require(bm_memcpy_d2s(handle, values.data(), memory), "bm_memcpy_d2s");
    return values;
}

/// Launches a kernel, waits, and prints the host time and the simulated time.
inline void launch(bm_handle_t handle, const char* kernel, const void* args, std::size_t size) {
    const auto start = std::chrono::steady_clock::now();
    require(okkernel_launch_sync(handle, kernel, args, static_cast<unsigned int>(size)), kernel);
    const std::chrono::duration<double, std::micro> elapsed =
        std::chrono::steady_clock::now() - start;
    std::printf("%s: elapsed %.0f us, simulated %.3f us\n", kernel, elapsed.count(),
                okksim_last_launch_us(handle));
}

/// True if |actual - expected| <= tolerance * max(1, |expected|) everywhere. Prints the first
/// element that differs.
template <typename T>
bool matches(const std::vector<T>& actual, const std::vector<T>& expected, double tolerance) {
    if (actual.size() != expected.size()) {
        std::printf("WRONG: %zu elements, expected %zu\n", actual.size(), expected.size());
        return false;
    }
    for (std::size_t i = 0; i < actual.size(); ++i) {
        const double want = static_cast<double>(expected[i]);
        const double got = static_cast<double>(actual[i]);
        if (std::abs(got - want) <= tolerance * std::fmax(1.0, std::abs(want))) continue;
        std::printf("WRONG: element %zu is %.9g, expected %.9g\n", i, got, want);
        return false;
    }
    std::printf("correct: %zu elements\n", actual.size());
    return true;
}

/// Runs the same case without a device in this process. `--dump DIR` writes the inputs as
/// DIR/*.npy. It also writes DIR/arguments, with one command-line argument of `okksim kernel` per
/// line, which saves the result as DIR/result.npy. `--check DIR` compares that file. Describe the
/// fields of the argument struct in order with out(), in() and arg().
class KernelCommand {
 public:
    KernelCommand(int argc, char** argv, const std::string& kernel) {
        if (argc == 3 && (std::string(argv[1]) == "--dump" || std::string(argv[1]) == "--check")) {
            option_ = argv[1];
            folder_ = argv[2];
        } else if (argc != 1) {
            std::fprintf(stderr, "usage: %s [--dump DIR | --check DIR]\n", argv[0]);
            std::exit(2);
        }
        lines_ = "--launch\n" + kernel + "\n";
    }

    template <typename T>
    KernelCommand& out(const std::vector<T>& values) {
        const std::string type = descr<T>() == "<f4" ? "f32" : descr<T>() == "|i1" ? "i8" : "i32";
        lines_ += "--out\n" + folder_ + "/result.npy:" + type + "[" +
                  std::to_string(values.size()) + "]\n";
        return *this;
    }
    template <typename T>
    KernelCommand& in(const std::vector<T>& values) {
        const std::string file = folder_ + "/input" + std::to_string(inputs_++) + ".npy";
        if (option_ == "--dump") write_npy(file, values);
        lines_ += "--in\n" + file + "\n";
        return *this;
    }
    KernelCommand& arg(int value) {
        lines_ += "--arg\ni32=" + std::to_string(value) + "\n";
        return *this;
    }
    KernelCommand& arg(float value) {
        char text[32];
        std::snprintf(text, sizeof text, "%.9g", static_cast<double>(value));
        lines_ += std::string("--arg\nf32=") + text + "\n";
        return *this;
    }

    /// True if the command line has --dump or --check; run() then does the whole work.
    bool requested() const { return !option_.empty(); }

    template <typename T>
    int run(const std::vector<T>& expected, double tolerance) const {
        if (option_ == "--check") {
            return matches(read_npy<T>(folder_ + "/result.npy"), expected, tolerance) ? 0 : 1;
        }
        std::ofstream file(folder_ + "/arguments");
        file << lines_;
        return finish(file, folder_ + "/arguments");
    }

 private:
    template <typename T>
    static std::string descr() {
        static_assert(std::is_same_v<T, float> || std::is_same_v<T, std::int8_t> ||
                      std::is_same_v<T, std::int32_t>);
        return std::is_same_v<T, float> ? "<f4" : sizeof(T) == 1 ? "|i1" : "<i4";
    }

    static int finish(std::ofstream& file, const std::string& name) {
        file.close();
        if (file) return 0;
        std::fprintf(stderr, "%s cannot be written\n", name.c_str());
        return 1;
    }

    /// Format 1.0: magic, version, 16-bit header length, header padded to 64 bytes, data.
    template <typename T>
    static void write_npy(const std::string& name, const std::vector<T>& values) {
        std::string header = "{'descr': '" + descr<T>() + "', 'fortran_order': False, 'shape': (" +
                             std::to_string(values.size()) + ",), }";
        header.resize((header.size() + 10 + 1 + 63) / 64 * 64 - 10 - 1, ' ');
        header += '\n';
        std::ofstream file(name, std::ios::binary);
        file.write("\x93NUMPY\x01\x00", 8);
        file.put(static_cast<char>(header.size() & 0xFF));
        file.put(static_cast<char>(header.size() >> 8));
        file << header;
        file.write(reinterpret_cast<const char*>(values.data()),
                   static_cast<std::streamsize>(values.size() * sizeof(T)));
        if (finish(file, name) != 0) std::exit(1);
    }

    template <typename T>
    static std::vector<T> read_npy(const std::string& name) {
        std::ifstream file(name, std::ios::binary);
        std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
        if (bytes.size() < 10 || bytes.find("'" + descr<T>() + "'") == std::string::npos) {
            std::fprintf(stderr, "%s is missing or not of type %s\n", name.c_str(),
                         descr<T>().c_str());
            std::exit(1);
        }
        const std::size_t start =
            10 + static_cast<unsigned char>(bytes[8]) + 256 * static_cast<unsigned char>(bytes[9]);
        std::vector<T> values((bytes.size() - start) / sizeof(T));
        std::copy_n(bytes.data() + start, values.size() * sizeof(T),
                    reinterpret_cast<char*>(values.data()));
        return values;
    }

    std::string option_;
    std::string folder_ = ".";
    std::string lines_;
    int inputs_ = 0;
};

}  // namespace example
