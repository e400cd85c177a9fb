// SPDX-License-Identifier: Apache-2.0
// Sections 2.10 and 2.11 against the specification's loops over all data positions: random shapes,
// storage orders and element widths on machines of several sizes.
#include <numeric>

#include "tests/kernels/operators/operator_run.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::tests;
using kernels::DeviceTensor;
using tosa::DType;
using Dims = std::vector<std::int32_t>;
using Index = std::vector<std::int64_t>;
using Values = std::vector<std::int64_t>;

/// One type per stored width.
constexpr DType kWidths[] = {DType::kI8, DType::kBf16, DType::kFp32, DType::kI48};

struct MachineSize {
    int lanes;
    int local_bytes;
};
constexpr MachineSize kMachines[] = {{4, 16384}, {8, 32768}, {64, 524288}};

std::int64_t offset_of(const Dims& dims, const Index& index) {
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < dims.size(); ++i) offset = offset * dims[i] + index[i];
    return offset;
}

/// Calls `body` for every index of a shape, in row-major order.
template <typename Body>
void for_each_position(const Dims& dims, const Body& body) {
    Index index(dims.size(), 0);
    while (true) {
        body(index);
        std::size_t i = dims.size();
        while (i > 0 && ++index[i - 1] == dims[i - 1]) index[--i] = 0;
        if (i == 0) return;
    }
}

/// Expected values when output position `index` has the value of input position `source(index)`.
template <typename Source>
Values expected(const Values& input, const Dims& input_dims, const Dims& dims,
                const Source& source) {
    Values values;
    for_each_position(dims, [&](const Index& index) {
        values.push_back(input[static_cast<std::size_t>(offset_of(input_dims, source(index)))]);
    });
    return values;
}

/// Random shapes of about `elements` elements.
Dims random_dims(RandomSource& random, std::int64_t elements, int least_rank = 1) {
    Dims dims(static_cast<std::size_t>(random.between(least_rank, kernels::kMaxRank)), 1);
    std::int64_t left = elements;
    while (left > 1) {
        auto& dim =
            dims[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(dims.size())))];
        const std::int64_t factor = std::min(left, random.between(2, random.one_in(3) ? 40 : 5));
        dim *= static_cast<std::int32_t>(factor);
        left = left / factor;
    }
    return dims;
}

std::vector<int> random_order(RandomSource& random, std::size_t rank) {
    std::vector<int> order(rank);
    std::iota(order.begin(), order.end(), 0);
    if (random.one_in(2)) return order;
    for (std::size_t i = rank; i > 1; --i) {
        std::swap(order[i - 1],
                  order[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i)))]);
    }
    return order;
}

/// A machine, its tensors and the random numbers of one trial.
struct Trial {
    explicit Trial(std::uint64_t seed)
        : random(seed),
          size(random.element(kMachines)),
          machine(size.lanes, size.local_bytes),
          run(machine),
          type(random.element(kWidths)),
          elements(random.one_in(3) ? random.between(5000, 20000) : random.between(1, 400)) {}

    DeviceTensor tensor(const Dims& dims) {
        return run.tensor(type, dims, random_order(random, dims.size()));
    }
    DeviceTensor list(const Values& values) {
        DeviceTensor tensor = run.tensor(DType::kShape, {static_cast<std::int32_t>(values.size())});
        tensor.constant = true;
        run.write(tensor, values);
        return tensor;
    }

    RandomSource random;
    MachineSize size;
    KernelMachine machine;
    OperatorRun run;
    DType type;
    std::int64_t elements;
};

constexpr std::uint64_t kTrials = 150;

}  // namespace

TEST_CASE("transpose permutes dimensions", "[kernels][layout]") {
    for (std::uint64_t seed = 0; seed < kTrials; ++seed) {
        CAPTURE(seed);
        Trial trial(seed);
        const Dims dims = random_dims(trial.random, trial.elements);
        std::vector<int> perms(dims.size());
        std::iota(perms.begin(), perms.end(), 0);
        for (std::size_t i = perms.size(); i > 1; --i) {
            std::swap(
                perms[i - 1],
                perms[static_cast<std::size_t>(trial.random.below(static_cast<std::int64_t>(i)))]);
        }
        Dims out_dims;
        for (const int perm : perms) out_dims.push_back(dims[static_cast<std::size_t>(perm)]);
        const DeviceTensor input = trial.tensor(dims);
        const DeviceTensor output = trial.tensor(out_dims);
        const Values values = trial.run.fill(input, trial.random);
        trial.run.run(tosa::OpCode::kTranspose,
                      tosa::TransposeAttributes{{perms.begin(), perms.end()}}, {input}, {output});
        const auto source = [&](const Index& index) {
            Index from(index.size());
            for (std::size_t i = 0; i < index.size(); ++i) {
                from[static_cast<std::size_t>(perms[i])] = index[i];
            }
            return from;
        };
        REQUIRE(trial.run.read(output) == expected(values, dims, out_dims, source));
    }
}

TEST_CASE("identity changes the storage order", "[kernels][layout]") {
    for (std::uint64_t seed = 1000; seed < 1000 + kTrials; ++seed) {
        CAPTURE(seed);
        Trial trial(seed);
        const Dims dims = random_dims(trial.random, trial.elements);
        const DeviceTensor input = trial.tensor(dims);
        const DeviceTensor output = trial.tensor(dims);
        const Values values = trial.run.fill(input, trial.random);
        trial.run.run(tosa::OpCode::kIdentity, tosa::NoAttributes{}, {input}, {output});
        REQUIRE(trial.run.read(output) == values);
    }
}

TEST_CASE("reverse turns one axis around", "[kernels][layout]") {
    for (std::uint64_t seed = 2000; seed < 2000 + kTrials; ++seed) {
        CAPTURE(seed);
        Trial trial(seed);
        const Dims dims = random_dims(trial.random, trial.elements);
        const auto axis =
            static_cast<std::size_t>(trial.random.below(static_cast<std::int64_t>(dims.size())));
        const DeviceTensor input = trial.tensor(dims);
        const DeviceTensor output = trial.tensor(dims);
        const Values values = trial.run.fill(input, trial.random);
        trial.run.run(tosa::OpCode::kReverse,
                      tosa::ReverseAttributes{static_cast<std::int32_t>(axis)}, {input}, {output});
        const auto source = [&](Index index) {
            index[axis] = dims[axis] - 1 - index[axis];
            return index;
        };
        REQUIRE(trial.run.read(output) == expected(values, dims, dims, source));
    }
}

TEST_CASE("slice takes a box", "[kernels][layout]") {
    for (std::uint64_t seed = 3000; seed < 3000 + kTrials; ++seed) {
        CAPTURE(seed);
        Trial trial(seed);
        const Dims dims = random_dims(trial.random, trial.elements);
        Values start;
        Dims size;
        for (const std::int32_t dim : dims) {
            const std::int64_t first = trial.random.one_in(2) ? 0 : trial.random.below(dim);
            start.push_back(first);
            size.push_back(static_cast<std::int32_t>(
                trial.random.one_in(2) ? dim - first : trial.random.between(1, dim - first)));
        }
        const DeviceTensor input = trial.tensor(dims);
        const DeviceTensor output = trial.tensor(size);
        const Values values = trial.run.fill(input, trial.random);
        trial.run.run(tosa::OpCode::kSlice, tosa::NoAttributes{},
                      {input, trial.list(start), trial.list({size.begin(), size.end()})}, {output});
        const auto source = [&](Index index) {
            for (std::size_t i = 0; i < index.size(); ++i) index[i] += start[i];
            return index;
        };
        REQUIRE(trial.run.read(output) == expected(values, dims, size, source));
    }
}

TEST_CASE("pad surrounds the input with one value", "[kernels][layout]") {
    for (std::uint64_t seed = 4000; seed < 4000 + kTrials; ++seed) {
        CAPTURE(seed);
        Trial trial(seed);
        const Dims dims = random_dims(trial.random, trial.elements / 4 + 1);
        Values padding;
        Dims out_dims = dims;
        for (std::size_t i = 0; i < dims.size(); ++i) {
            for (int side = 0; side < 2; ++side) {
                padding.push_back(trial.random.one_in(3) ? trial.random.below(4) : 0);
                out_dims[i] += static_cast<std::int32_t>(padding.back());
            }
        }
        const DeviceTensor input = trial.tensor(dims);
        const DeviceTensor output = trial.tensor(out_dims);
        if (output.count() > 25000) continue;  // global memory is small
        const DeviceTensor constant = trial.run.tensor(trial.type, {1});
        const std::int64_t filler = trial.run.fill(constant, trial.random)[0];
        const Values values = trial.run.fill(input, trial.random);
        trial.run.run(tosa::OpCode::kPad, tosa::NoAttributes{},
                      {input, trial.list(padding), constant}, {output});
        Values wanted;
        for_each_position(out_dims, [&](const Index& index) {
            Index from = index;
            bool inside = true;
            for (std::size_t i = 0; i < from.size(); ++i) {
                from[i] -= padding[2 * i];
                inside = inside && from[i] >= 0 && from[i] < dims[i];
            }
            wanted.push_back(inside ? values[static_cast<std::size_t>(offset_of(dims, from))]
                                    : filler);
        });
        REQUIRE(trial.run.read(output) == wanted);
    }
}

TEST_CASE("tile repeats the input", "[kernels][layout]") {
    for (std::uint64_t seed = 5000; seed < 5000 + kTrials; ++seed) {
        CAPTURE(seed);
        Trial trial(seed);
        const Dims dims = random_dims(trial.random, trial.elements / 16 + 1);
        Values multiples;
        Dims out_dims = dims;
        for (auto& dim : out_dims) {
            multiples.push_back(trial.random.one_in(2) ? trial.random.between(1, 9) : 1);
            dim *= static_cast<std::int32_t>(multiples.back());
        }
        const DeviceTensor input = trial.tensor(dims);
        const DeviceTensor output = trial.tensor(out_dims);
        if (output.count() > 60000) continue;
        const Values values = trial.run.fill(input, trial.random);
        trial.run.run(tosa::OpCode::kTile, tosa::NoAttributes{}, {input, trial.list(multiples)},
                      {output});
        const auto source = [&](Index index) {
            for (std::size_t i = 0; i < index.size(); ++i) index[i] %= dims[i];
            return index;
        };
        REQUIRE(trial.run.read(output) == expected(values, dims, out_dims, source));
    }
}

TEST_CASE("concat puts slabs behind each other", "[kernels][layout]") {
    for (std::uint64_t seed = 6000; seed < 6000 + kTrials; ++seed) {
        CAPTURE(seed);
        Trial trial(seed);
        const Dims dims = random_dims(trial.random, trial.elements);
        const auto axis =
            static_cast<std::size_t>(trial.random.below(static_cast<std::int64_t>(dims.size())));
        std::vector<DeviceTensor> inputs;
        std::vector<Dims> shapes;
        std::vector<Values> values;
        for (std::int32_t left = dims[axis]; left > 0; left -= shapes.back()[axis]) {
            shapes.push_back(dims);
            shapes.back()[axis] = static_cast<std::int32_t>(trial.random.between(1, left));
            inputs.push_back(trial.tensor(shapes.back()));
            values.push_back(trial.run.fill(inputs.back(), trial.random));
        }
        const DeviceTensor output = trial.tensor(dims);
        trial.run.run(tosa::OpCode::kConcat,
                      tosa::ConcatAttributes{static_cast<std::int32_t>(axis)}, inputs, {output});
        Values wanted;
        for_each_position(dims, [&](Index index) {
            std::size_t t = 0;
            while (index[axis] >= shapes[t][axis]) index[axis] -= shapes[t++][axis];
            wanted.push_back(values[t][static_cast<std::size_t>(offset_of(shapes[t], index))]);
        });
        REQUIRE(trial.run.read(output) == wanted);
    }
}

TEST_CASE("reshape keeps the row-major order of elements", "[kernels][layout]") {
    for (std::uint64_t seed = 7000; seed < 7000 + kTrials; ++seed) {
        CAPTURE(seed);
        Trial trial(seed);
        const Dims dims = random_dims(trial.random, trial.elements);
        std::int32_t count = 1;
        for (const std::int32_t dim : dims) count *= dim;
        const bool flat_output = trial.random.one_in(2);
        const DeviceTensor ordered = trial.tensor(dims);
        const DeviceTensor flat = trial.run.tensor(trial.type, {count});
        const DeviceTensor& input = flat_output ? ordered : flat;
        const DeviceTensor& output = flat_output ? flat : ordered;
        const Values values = trial.run.fill(input, trial.random);
        Values shape(output.dims.begin(), output.dims.begin() + output.rank);
        trial.run.run(tosa::OpCode::kReshape, tosa::NoAttributes{}, {input, trial.list(shape)},
                      {output});
        REQUIRE(trial.run.read(output) == values);
    }
}

TEST_CASE("gather and scatter move rows", "[kernels][layout]") {
    for (std::uint64_t seed = 8000; seed < 8000 + kTrials; ++seed) {
        CAPTURE(seed);
        Trial trial(seed);
        RandomSource& random = trial.random;
        const auto n = static_cast<std::int32_t>(random.between(1, 4));
        const auto k = static_cast<std::int32_t>(random.between(1, 60));
        const auto w = static_cast<std::int32_t>(random.between(1, k));
        const auto c = static_cast<std::int32_t>(random.between(1, 50));
        // Each index once per batch, often in runs of equal distance.
        Values indices;
        for (std::int32_t batch = 0; batch < n; ++batch) {
            Values all(static_cast<std::size_t>(k));
            std::iota(all.begin(), all.end(), 0);
            for (std::size_t i = all.size(); i > 1; --i) {
                if (random.one_in(3)) {
                    std::swap(
                        all[i - 1],
                        all[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i)))]);
                }
            }
            indices.insert(indices.end(), all.begin(), all.begin() + w);
        }
        const DeviceTensor values_in = trial.tensor({n, k, c});
        const DeviceTensor rows = trial.tensor({n, w, c});
        const DeviceTensor list = trial.run.tensor(DType::kI32, {n, w});
        const Values values = trial.run.fill(values_in, random);
        trial.run.write(list, indices);
        trial.run.run(tosa::OpCode::kGather, tosa::NoAttributes{}, {values_in, list}, {rows});
        const auto source = [&](Index index) {
            index[1] = indices[static_cast<std::size_t>(index[0] * w + index[1])];
            return index;
        };
        REQUIRE(trial.run.read(rows) == expected(values, {n, k, c}, {n, w, c}, source));

        const Values updates = trial.run.fill(rows, random);
        const DeviceTensor output = trial.tensor({n, k, c});
        trial.run.run(tosa::OpCode::kScatter, tosa::NoAttributes{}, {values_in, list, rows},
                      {output});
        Values wanted = values;
        for_each_position({n, w, c}, [&](const Index& index) {
            const Index to = source(index);
            wanted[static_cast<std::size_t>(offset_of({n, k, c}, to))] =
                updates[static_cast<std::size_t>(offset_of({n, w, c}, index))];
        });
        REQUIRE(trial.run.read(output) == wanted);
    }
}

TEST_CASE("gather and scatter refuse what the specification calls unpredictable",
          "[kernels][layout]") {
    KernelMachine machine;
    OperatorRun run(machine);
    const DeviceTensor values = run.tensor(DType::kI8, {1, 4, 2});
    const DeviceTensor rows = run.tensor(DType::kI8, {1, 2, 2});
    const DeviceTensor output = run.tensor(DType::kI8, {1, 4, 2});
    const DeviceTensor list = run.tensor(DType::kI32, {1, 2});
    run.write(list, {3, 4});
    CHECK_THROWS_WITH(run.run(tosa::OpCode::kGather, tosa::NoAttributes{}, {values, list}, {rows}),
                      Catch::Contains("4 at [0,1]"));
    run.write(list, {2, 2});
    CHECK_NOTHROW(run.run(tosa::OpCode::kGather, tosa::NoAttributes{}, {values, list}, {rows}));
    CHECK_THROWS_WITH(
        run.run(tosa::OpCode::kScatter, tosa::NoAttributes{}, {values, list, rows}, {output}),
        Catch::Contains("2 again at [0,1]"));
}

TEST_CASE("large moves take few commands", "[kernels][layout]") {
    KernelMachine machine(64, 524288);
    OperatorRun run(machine);
    RandomSource random(1);
    // [300, 200] transposed: 60000 single elements, which local memory transposes in one tile with
    // a few commands.
    const DeviceTensor input = run.tensor(DType::kFp32, {300, 200});
    const DeviceTensor output = run.tensor(DType::kFp32, {200, 300});
    run.fill(input, random);
    const auto counts =
        run.run(tosa::OpCode::kTranspose, tosa::TransposeAttributes{{1, 0}}, {input}, {output});
    CHECK(counts.commands[isa::Engine::kGdma] <= 6);
    // A reshape of values in the same storage order is one copy.
    const DeviceTensor flat = run.tensor(DType::kFp32, {60000});
    const DeviceTensor shape = run.tensor(DType::kShape, {1});
    run.write(shape, {60000});
    const auto before = run.run(tosa::OpCode::kIdentity, tosa::NoAttributes{}, {flat}, {flat});
    const auto after =
        run.run(tosa::OpCode::kReshape, tosa::NoAttributes{}, {input, shape}, {flat});
    CHECK(after.commands[isa::Engine::kGdma] - before.commands[isa::Engine::kGdma] == 1);
}
