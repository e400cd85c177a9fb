// SPDX-License-Identifier: Apache-2.0
// RESIZE against the specification's loop (section 2.12.1) in 64-bit integers and double precision.
#include <bit>
#include <cmath>

#include "tests/kernels/operators/operator_run.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::tests;
using kernels::DeviceTensor;
using tosa::DType;
using Values = std::vector<std::int64_t>;

struct Axis {
    std::int64_t n, d, offset, border, in, out;
};

/// A legal axis with a random scale; `most_n` bounds the numerator.
Axis random_axis(RandomSource& random, std::int64_t most_n, std::int64_t most_in) {
    while (true) {
        Axis axis{};
        axis.n = random.between(1, most_n);
        axis.d = random.one_in(3) ? random.between(1, 16 * axis.n - 1)
                                  : random.between(1, std::max<std::int64_t>(1, axis.n));
        axis.in = random.between(1, most_in);
        axis.offset = random.one_in(2) ? 0 : random.between(-axis.n, axis.n);
        // The largest output that a legal border allows.
        const std::int64_t reach = (axis.in - 1) * axis.n - axis.offset;
        if (reach + axis.n - 1 < 0) continue;
        axis.out = (reach + axis.n - 1) / axis.d + 1;
        axis.border = (axis.out - 1) * axis.d - reach;
        if (axis.border >= -16 * axis.n && axis.border < axis.n && axis.out <= 400) return axis;
    }
}

struct Sample {
    std::int64_t low, high, fraction;
};

/// Neighbours and weight of one output position, as in the specification.
Sample sample(const Axis& axis, std::int64_t o) {
    const std::int64_t y = o * axis.d + axis.offset;
    const auto iy =
        static_cast<std::int64_t>(std::floor(static_cast<double>(y) / static_cast<double>(axis.n)));
    return {std::max<std::int64_t>(iy, 0), std::min(iy + 1, axis.in - 1), y - iy * axis.n};
}

struct Case {
    Axis y, x;
    std::int32_t batches, channels;
};

/// Calls `body(output index, four input indices, sample y, sample x)` for every output element;
/// indices are row major.
template <typename Body>
void for_each_output(const Case& test, const Body& body) {
    std::size_t at = 0;
    for (std::int64_t b = 0; b < test.batches; ++b) {
        for (std::int64_t oy = 0; oy < test.y.out; ++oy) {
            for (std::int64_t ox = 0; ox < test.x.out; ++ox) {
                const Sample y = sample(test.y, oy);
                const Sample x = sample(test.x, ox);
                for (std::int64_t c = 0; c < test.channels; ++c) {
                    const auto index = [&](std::int64_t iy, std::int64_t ix) {
                        return static_cast<std::size_t>(
                            ((b * test.y.in + iy) * test.x.in + ix) * test.channels + c);
                    };
                    body(at++, index, y, x);
                }
            }
        }
    }
}

struct MachineSize {
    int lanes;
    int local_bytes;
};
constexpr MachineSize kMachines[] = {{4, 16384}, {8, 32768}, {64, 524288}};

/// A random case with its tensors on a machine.
struct Trial {
    Trial(std::uint64_t seed, DType in_type, DType out_type, tosa::ResizeMode resize_mode)
        : random(seed),
          size(random.element(kMachines)),
          machine(size.lanes, size.local_bytes),
          run(machine),
          mode(resize_mode) {
        const std::int64_t most_n = random.pick({1, 2, 3, 8, 16, 100, 2048});
        const std::int64_t most_in = random.pick({1, 4, 20, 40});
        do {
            test.y = random_axis(random, most_n, most_in);
            test.x = random_axis(random, most_n, most_in);
            test.batches = static_cast<std::int32_t>(random.between(1, 3));
            test.channels = static_cast<std::int32_t>(random.between(1, 20));
        } while (test.y.out * test.x.out * test.batches * test.channels > 30000);
        input = tensor(in_type, test.y.in, test.x.in);
        output = tensor(out_type, test.y.out, test.x.out);
    }

    DeviceTensor tensor(DType type, std::int64_t h, std::int64_t w) {
        const std::vector<std::int32_t> dims{test.batches, static_cast<std::int32_t>(h),
                                             static_cast<std::int32_t>(w), test.channels};
        if (random.one_in(4)) return run.tensor(type, dims);
        return run.tensor(type, dims, {0, 3, 1, 2});
    }
    DeviceTensor list(const Values& values) {
        DeviceTensor tensor = run.tensor(DType::kShape, {static_cast<std::int32_t>(values.size())});
        tensor.constant = true;
        run.write(tensor, values);
        return tensor;
    }
    void execute() {
        const Axis& y = test.y;
        const Axis& x = test.x;
        INFO("scale " << y.n << "/" << y.d << " " << x.n << "/" << x.d << ", offset " << y.offset
                      << " " << x.offset << ", " << test.batches << "x" << y.in << "x" << x.in
                      << "x" << test.channels << " to " << y.out << "x" << x.out << ", lanes "
                      << size.lanes);
        CHECK_NOTHROW(run.run(tosa::OpCode::kResize, tosa::ResizeAttributes{mode},
                              {input, list({y.n, y.d, x.n, x.d}), list({y.offset, x.offset}),
                               list({y.border, x.border})},
                              {output}));
    }

    RandomSource random;
    MachineSize size;
    KernelMachine machine;
    OperatorRun run;
    tosa::ResizeMode mode;
    Case test{};
    DeviceTensor input, output;
};

std::int64_t sign_extended(std::int64_t bits, int width) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(bits) << (64 - width)) >>
           (64 - width);
}

constexpr std::uint64_t kTrials = 200;

}  // namespace

TEST_CASE("nearest neighbour takes the closest sample", "[kernels][resize]") {
    for (std::uint64_t seed = 0; seed < kTrials; ++seed) {
        CAPTURE(seed);
        const DType type =
            std::array{DType::kI8, DType::kI16, DType::kFp16, DType::kFp32}[seed % 4];
        Trial trial(seed, type, type, tosa::ResizeMode::kNearestNeighbor);
        const Values values = trial.run.fill(trial.input, trial.random);
        trial.execute();
        Values wanted(static_cast<std::size_t>(trial.output.count()));
        for_each_output(trial.test, [&](std::size_t at, const auto& index, Sample y, Sample x) {
            const std::int64_t iy = 2 * y.fraction >= trial.test.y.n ? y.high : y.low;
            const std::int64_t ix = 2 * x.fraction >= trial.test.x.n ? x.high : x.low;
            wanted[at] = values[index(iy, ix)];
        });
        REQUIRE(trial.run.read(trial.output) == wanted);
    }
}

TEST_CASE("integer bilinear sums are exact", "[kernels][resize]") {
    for (std::uint64_t seed = 100; seed < 100 + kTrials; ++seed) {
        CAPTURE(seed);
        const bool wide = seed % 2 == 0;
        Trial trial(seed, wide ? DType::kI16 : DType::kI8, wide ? DType::kI48 : DType::kI32,
                    tosa::ResizeMode::kBilinear);
        Values values = trial.run.fill(trial.input, trial.random);
        if (trial.random.one_in(4)) {
            // The largest magnitude in every element: sums reach their bound.
            std::fill(values.begin(), values.end(), wide ? -32768 : -128);
            trial.run.write(trial.input, values);
        }
        trial.execute();
        Values wanted(static_cast<std::size_t>(trial.output.count()));
        const Axis& ay = trial.test.y;
        const Axis& ax = trial.test.x;
        for_each_output(trial.test, [&](std::size_t at, const auto& index, Sample y, Sample x) {
            const auto value = [&](std::int64_t iy, std::int64_t ix) {
                return sign_extended(values[index(iy, ix)], wide ? 16 : 8);
            };
            wanted[at] = value(y.low, x.low) * (ay.n - y.fraction) * (ax.n - x.fraction) +
                         value(y.low, x.high) * (ay.n - y.fraction) * x.fraction +
                         value(y.high, x.low) * y.fraction * (ax.n - x.fraction) +
                         value(y.high, x.high) * y.fraction * x.fraction;
        });
        Values got = trial.run.read(trial.output);
        for (auto& value : got) value = sign_extended(value, wide ? 64 : 32);
        REQUIRE(got == wanted);
    }
}

TEST_CASE("floating-point bilinear stays close to double precision", "[kernels][resize]") {
    for (std::uint64_t seed = 200; seed < 200 + kTrials; ++seed) {
        CAPTURE(seed);
        const bool half = seed % 2 == 0;
        const DType type = half ? DType::kBf16 : DType::kFp32;
        Trial trial(seed, type, type, tosa::ResizeMode::kBilinear);
        const int drop = half ? 16 : 0;
        const auto decode = [&](std::int64_t bits) {
            return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << drop);
        };
        Values values(static_cast<std::size_t>(trial.input.count()));
        for (auto& value : values) {
            const auto number = static_cast<float>(trial.random.between(-10000, 10000)) / 100.0f;
            value = std::bit_cast<std::uint32_t>(number) >> drop;
        }
        trial.run.write(trial.input, values);
        trial.execute();
        const Values got = trial.run.read(trial.output);
        // Results are at most 100 in magnitude. There, bf16 numbers are up to 0.5 apart, so
        // rounding adds 0.25. fp32 has a few relative roundings of 2^-24, far below 0.0001.
        const double bound = half ? 0.2501 : 0.0001;
        const Axis& ay = trial.test.y;
        const Axis& ax = trial.test.x;
        for_each_output(trial.test, [&](std::size_t at, const auto& index, Sample y, Sample x) {
            const double dy = static_cast<double>(y.fraction) / static_cast<double>(ay.n);
            const double dx = static_cast<double>(x.fraction) / static_cast<double>(ax.n);
            const auto value = [&](std::int64_t iy, std::int64_t ix) {
                return static_cast<double>(decode(values[index(iy, ix)]));
            };
            const double wanted =
                value(y.low, x.low) * (1 - dy) * (1 - dx) + value(y.low, x.high) * (1 - dy) * dx +
                value(y.high, x.low) * dy * (1 - dx) + value(y.high, x.high) * dy * dx;
            if (std::abs(static_cast<double>(decode(got[at])) - wanted) > bound) {
                FAIL("element " << at << ": " << decode(got[at]) << ", wanted " << wanted);
            }
        });
    }
}
