// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/bench/text_figures.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <string>

#include "isa/base/errors.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/lab/bench/host_limits.h"
#include "sim/lab/bench/turns.h"

namespace okksim::sim::bench {
namespace {

constexpr std::size_t kBytes = 8 << 20;
constexpr std::size_t kNumbers = 1 << 19;
/// Targets of the project in percent of the plain decoder.
constexpr double kHexShare = 30;
constexpr double kListShare = 50;

std::string text_with(const std::string& elements, const std::string& type) {
    return "func.func @main() -> " + type + " {\n  %c = \"tosa.const\"() <{values = dense<" +
           elements + "> : " + type + "}> : () -> " + type + "\n  return %c : " + type + "\n}\n";
}

std::string hex_digits() {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string digits(2 * kBytes, '0');
    for (std::size_t i = 0; i < digits.size(); ++i) digits[i] = kDigits[i * 7 % 16];
    return digits;
}

/// Decodes one value after the other in the simplest way: the unit of the target.
std::size_t plain_decode(std::string_view digits, std::vector<std::uint8_t>& bytes) {
    static const auto kValues = [] {
        std::array<std::uint8_t, 256> values{};
        for (std::size_t i = 0; i < 16; ++i)
            values[static_cast<std::size_t>("0123456789ABCDEF"[i])] = static_cast<std::uint8_t>(i);
        return values;
    }();
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] =
            static_cast<std::uint8_t>(kValues[static_cast<unsigned char>(digits[2 * i])] << 4 |
                                      kValues[static_cast<unsigned char>(digits[2 * i + 1])]);
    }
    return bytes.size();
}

template <typename Number>
std::size_t plain_numbers(std::string_view list, std::vector<Number>& numbers) {
    const char* at = list.data();
    const char* end = list.data() + list.size();
    std::size_t count = 0;
    for (; at < end && count < numbers.size(); at += 2) {  // ", "
        at = std::from_chars(at, end, numbers[count++]).ptr;
    }
    return count;
}

class TextBench {
 public:
    TextBench(const BenchOptions& options, const std::function<void(Figure)>& done)
        : rounds_(options.quick ? 5 : 15), done_(done) {}

    template <typename Plain>
    void measure(const std::string& name, const std::string& elements, const std::string& type,
                 double target, const char* unit, Plain&& plain) {
        const std::string text = text_with(elements, type);
        const auto read = [&] {
            const auto bytes = std::as_bytes(std::span(text));
            const graph::Graph graph = graph::read_graph(bytes, nullptr, "text");
            OKKSIM_CHECK(graph.main().tensors.size() == 1);
        };
        constexpr double kRoundSeconds = 0.02;
        const double megabytes = static_cast<double>(elements.size()) * 1e-6;
        double best = 0, best_plain = 0;
        const auto share = [&] { return 100 * best / best_plain; };
        const auto round = [&] {
            best_plain = std::max(best_plain, runs_per_second(kRoundSeconds, plain));
            best = std::max(best, runs_per_second(kRoundSeconds, read));
        };
        take_turns(rounds_, round, [&] { return share() >= target; });
        done_({name, share(), unit, target, false,
               fmt::format("{:.0f} MB/s of text", best * megabytes)});
    }

 private:
    int rounds_;
    const std::function<void(Figure)>& done_;
};

}  // namespace

void measure_texts(const BenchOptions& options, const std::function<void(Figure)>& done) {
    TextBench bench(options, done);
    const std::string digits = hex_digits();
    std::vector<std::uint8_t> bytes(kBytes);
    bench.measure("MLIR text, constant as hexadecimal string", "\"0x" + digits + "\"",
                  fmt::format("tensor<{}xi8>", kBytes), kHexShare, "% of a plain decoder",
                  [&] { OKKSIM_CHECK(plain_decode(digits, bytes) == kBytes); });
    std::string reals, integers;
    for (std::size_t i = 0; i < kNumbers; ++i) {
        const char* separator = i == 0 ? "" : ", ";
        reals += fmt::format("{}{:.6e}", separator, static_cast<double>(i % 1009) * 0.0123 - 5);
        integers += fmt::format("{}{}", separator, static_cast<int>(i * 7919 % 200003) - 100000);
    }
    std::vector<double> doubles(kNumbers);
    bench.measure("MLIR text, constant as list of reals", "[" + reals + "]",
                  fmt::format("tensor<{}xf32>", kNumbers), kListShare, "% of std::from_chars",
                  [&] { OKKSIM_CHECK(plain_numbers(reals, doubles) == kNumbers); });
    std::vector<std::int64_t> whole(kNumbers);
    bench.measure("MLIR text, constant as list of integers", "[" + integers + "]",
                  fmt::format("tensor<{}xi32>", kNumbers), kListShare, "% of std::from_chars",
                  [&] { OKKSIM_CHECK(plain_numbers(integers, whole) == kNumbers); });
}

}  // namespace okksim::sim::bench
