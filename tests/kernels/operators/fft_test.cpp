// SPDX-License-Identifier: Apache-2.0
// FFT2D and RFFT2D against the sums of sections 2.3.6 and 2.3.9 in double precision. Lanes hold a
// whole transform in some cases and only a part of it in others.
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>

#include "tests/kernels/operators/operator_run.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::tests;
using kernels::DeviceTensor;
using tosa::DType;
using tosa::OpCode;
using Complex = std::complex<double>;
using Values = std::vector<std::int64_t>;

/// Transforms along both axes, one sum per result and axis.
std::vector<Complex> transform(std::vector<Complex> values, int batches, int height, int width,
                               double sign) {
    const auto along = [&](int lines, int line_step, int length, int step, std::size_t base) {
        for (int line = 0; line < lines; ++line) {
            std::vector<Complex> result(static_cast<std::size_t>(length));
            for (int k = 0; k < length; ++k) {
                for (int n = 0; n < length; ++n) {
                    const double turn = static_cast<double>(std::int64_t{k} * n % length) / length;
                    result[static_cast<std::size_t>(k)] +=
                        values[base + static_cast<std::size_t>(line * line_step + n * step)] *
                        std::polar(1.0, -sign * 2.0 * std::numbers::pi * turn);
                }
            }
            for (int k = 0; k < length; ++k) {
                values[base + static_cast<std::size_t>(line * line_step + k * step)] =
                    result[static_cast<std::size_t>(k)];
            }
        }
    };
    for (int b = 0; b < batches; ++b) {
        const auto base = static_cast<std::size_t>(b) * static_cast<std::size_t>(height * width);
        along(height, width, width, 1, base);
        along(width, 1, height, width, base);
    }
    return values;
}

struct Case {
    int lanes;
    std::int64_t local_bytes;
    int batches, height, width;
};
// A lane of 4 KiB holds transforms of 64 positions.
const std::vector<Case> kCases{{64, 512 * 1024, 2, 64, 128}, {8, 32 * 1024, 3, 8, 1},
                               {4, 16 * 1024, 1, 1, 16},     {4, 16 * 1024, 2, 32, 512},
                               {4, 4 * 1024, 2, 256, 4},     {4, 4 * 1024, 1, 2, 512},
                               {8, 32 * 1024, 5, 2, 2},      {8, 32 * 1024, 1, 1, 1}};

double value_of(std::int64_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

Values random_elements(std::size_t count, RandomSource& random) {
    Values data;
    for (std::size_t i = 0; i < count; ++i) {
        const auto value = static_cast<float>(random.between(-1000, 1000)) * 0.001f;
        data.push_back(std::bit_cast<std::uint32_t>(value));
    }
    return data;
}

/// Errors stay within a few units of the sum of magnitudes, at most height * width.
void check(OperatorRun& operators, const DeviceTensor& real, const DeviceTensor& imaginary,
           const std::vector<Complex>& wanted, const Case& test, int kept) {
    const Values re = operators.read(real), im = operators.read(imaginary);
    double worst = 0;
    for (int row = 0; row < test.batches * test.height; ++row) {
        for (int x = 0; x < kept; ++x) {
            const Complex expected = wanted[static_cast<std::size_t>(row * test.width + x)];
            const auto at = static_cast<std::size_t>(row * kept + x);
            worst = std::max(worst, std::abs(expected.real() - value_of(re[at])));
            worst = std::max(worst, std::abs(expected.imag() - value_of(im[at])));
        }
    }
    CAPTURE(test.height, test.width, test.local_bytes);
    CHECK(worst <= 4e-7 * std::sqrt(test.height * test.width) * 4);
}

}  // namespace

TEST_CASE("FFT2D forward and inverse") {
    RandomSource random(1);
    for (const Case& test : kCases) {
        for (const bool inverse : {false, true}) {
            KernelMachine machine(test.lanes, test.local_bytes);
            OperatorRun operators(machine);
            const std::vector<std::int32_t> dims{test.batches, test.height, test.width};
            const auto re = operators.tensor(DType::kFp32, dims);
            const auto im = operators.tensor(DType::kFp32, dims);
            const auto out_re = operators.tensor(DType::kFp32, dims);
            const auto out_im = operators.tensor(DType::kFp32, dims);
            const auto count = static_cast<std::size_t>(re.count());
            const Values re_data = random_elements(count, random),
                         im_data = random_elements(count, random);
            operators.write(re, re_data);
            operators.write(im, im_data);
            operators.run(OpCode::kFft2d, tosa::Fft2dAttributes{inverse, false}, {re, im},
                          {out_re, out_im});
            std::vector<Complex> values(count);
            for (std::size_t i = 0; i < count; ++i) {
                values[i] = {value_of(re_data[i]), value_of(im_data[i])};
            }
            const auto wanted =
                transform(values, test.batches, test.height, test.width, inverse ? -1.0 : 1.0);
            check(operators, out_re, out_im, wanted, test, test.width);
        }
    }
}

TEST_CASE("RFFT2D keeps the first half of the columns") {
    RandomSource random(2);
    for (const Case& test : kCases) {
        KernelMachine machine(test.lanes, test.local_bytes);
        OperatorRun operators(machine);
        const int kept = test.width / 2 + 1;
        const auto input = operators.tensor(DType::kFp32, {test.batches, test.height, test.width});
        const auto out_re = operators.tensor(DType::kFp32, {test.batches, test.height, kept});
        const auto out_im = operators.tensor(DType::kFp32, {test.batches, test.height, kept});
        const auto count = static_cast<std::size_t>(input.count());
        const Values data = random_elements(count, random);
        operators.write(input, data);
        operators.run(OpCode::kRfft2d, tosa::Rfft2dAttributes{false}, {input}, {out_re, out_im});
        std::vector<Complex> values(count);
        for (std::size_t i = 0; i < count; ++i) values[i] = value_of(data[i]);
        const auto wanted = transform(values, test.batches, test.height, test.width, 1.0);
        check(operators, out_re, out_im, wanted, test, kept);
    }
}
