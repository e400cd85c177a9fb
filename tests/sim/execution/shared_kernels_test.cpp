// SPDX-License-Identifier: Apache-2.0
// Operators that share a kernel give the same bytes as separate kernels. Floating-point operands
// have few bits, so all sums are exact. Different tiles therefore do not change results by the
// order of additions.
#include <cstring>

#include "sim/graph/builder.h"
#include "sim/graph/validate/validate.h"
#include "tests/support/catch.h"
#include "tests/support/group_run.h"
#include "tests/support/random_source.h"

namespace {

using namespace okksim;
using namespace okksim::sim;
using namespace okksim::tosa;
using graph::GraphBuilder;
using graph::HostTensor;
using graph::Shape;
using graph::TensorIndex;
using tests::GroupRun;
using tests::RandomSource;
using tests::run_group;
using Bytes = std::vector<std::byte>;

/// Little-endian bit patterns of 0, 1, -1, 0.5, 2 and -3.
std::uint32_t short_number(DType type, std::size_t which) {
    constexpr std::uint32_t kFp32[] = {0,          0x3F800000, 0xBF800000,
                                       0x3F000000, 0x40000000, 0xC0400000};
    constexpr std::uint32_t kFp16[] = {0, 0x3C00, 0xBC00, 0x3800, 0x4000, 0xC200};
    if (type == DType::kFp16) return kFp16[which];
    return type == DType::kFp32 ? kFp32[which] : kFp32[which] >> 16;
}

Bytes random_bytes(RandomSource& random, DType type, const Shape& shape) {
    const std::uint64_t count = *graph::element_count(shape);
    const auto width = static_cast<std::size_t>(kernels::stored_bytes(type));
    Bytes bytes;
    for (std::uint64_t i = 0; i < count; ++i) {
        std::uint32_t bits = static_cast<std::uint32_t>(random.bits());
        if (is_floating_point(type))
            bits = short_number(type, static_cast<std::size_t>(random.below(6)));
        if (type == DType::kI4) bits = static_cast<std::uint32_t>(random.between(-7, 7));
        for (std::size_t k = 0; k < width; ++k) {
            bytes.push_back(static_cast<std::byte>(bits >> (8 * k)));
        }
    }
    return bytes;
}

ElementBytes element(std::uint32_t bits, std::uint32_t size) {
    ElementBytes element;
    std::memcpy(element.bytes.data(), &bits, size);
    element.size = size;
    return element;
}

/// A random graph of one group, with its inputs.
class RandomGroup {
 public:
    explicit RandomGroup(std::uint64_t seed) : random_(seed) {}

    graph::Graph make() {
        TensorIndex value = random_.one_in(4) ? pointwise() : convolution();
        if (type_ == DType::kI32) {
            value = rescale(value);
            if (type_ == DType::kI8 && random_.one_in(2)) value = clamp(value);
        } else {
            value = float_followers(value);
        }
        builder_.output(value);
        return builder_.finish();
    }
    /// A product of matrices whose sums are scaled.
    graph::Graph make_product() {
        type_ = DType::kI32;
        shape_ = {random_.between(1, 5), random_.pick({1, 3, 16, 65, 130}),
                  random_.pick({1, 2, 33, 64, 140})};
        const std::int64_t terms = random_.pick({1, 3, 4, 17, 64, 301});
        const TensorIndex left = input(DType::kI8, {shape_[0], shape_[1], terms});
        const TensorIndex right = input(DType::kI8, {shape_[0], terms, shape_[2]});
        const TensorIndex sums = builder_.add(
            OpCode::kMatmul, NoAttributes{},
            {left, right, zero_point(DType::kI8), zero_point(DType::kI8)}, type_, shape_);
        TensorIndex value = rescale(sums, /*per_channel=*/false);
        if (type_ == DType::kI8 && random_.one_in(2)) value = clamp(value);
        builder_.output(value);
        return builder_.finish();
    }
    const std::vector<HostTensor>& inputs() const { return inputs_; }

 private:
    TensorIndex input(DType type, const Shape& shape) {
        inputs_.push_back(graph::make_host_tensor(type, shape, random_bytes(random_, type, shape)));
        return builder_.input(type, shape);
    }

    TensorIndex pointwise() {
        type_ = DType::kFp32;
        shape_ = {random_.between(1, 2), random_.between(1, 9), random_.between(1, 30),
                  random_.between(1, 20)};
        const TensorIndex a = input(type_, shape_);
        const bool broadcast = random_.one_in(2);
        const TensorIndex b = input(type_, broadcast ? Shape{1, 1, 1, shape_[3]} : shape_);
        return builder_.add(OpCode::kAdd, NoAttributes{}, {a, b}, type_, shape_);
    }

    TensorIndex convolution() {
        const bool depthwise = random_.one_in(3);
        constexpr DType kInputs[] = {DType::kI8, DType::kI8, DType::kFp32, DType::kFp16,
                                     DType::kBf16};
        const DType in = random_.element(kInputs);
        const bool narrow_weights = in == DType::kI8 && random_.one_in(4);
        const DType weight = narrow_weights ? DType::kI4 : in;
        type_ = in == DType::kI8 ? DType::kI32 : in;
        // Up to 9 * 300 products of 255 * 128: more than one exact pass of 2^24.
        const std::int64_t channels = random_.pick({1, 3, 8, 17, 70, 300});
        // 4 lanes of 16 KiB hold the constants of 224 channels at a time.
        const bool many = channels < 10 && random_.one_in(2);
        const std::int64_t outputs =
            depthwise ? channels : random_.between(many ? 225 : 1, many ? 300 : 40);
        const std::int64_t taps = random_.pick({1, 2, 3});
        const std::int64_t edge = random_.between(3, 24);
        const std::int64_t out = edge - taps + 1;
        shape_ = {random_.between(1, 2), out, out, outputs};
        const TensorIndex x = input(in, {shape_[0], edge, edge, channels});
        const Shape of_weights =
            depthwise ? Shape{taps, taps, channels, 1} : Shape{outputs, taps, taps, channels};
        const TensorIndex w =
            builder_.constant_bytes(weight, of_weights, weights(weight, of_weights));
        const std::vector<TensorIndex> operands{
            x, w, bias(outputs), zero_point(in),
            builder_.constant_bytes(weight, {1}, zeros(weight))};
        const DType sum = type_ == DType::kI32 ? DType::kI32 : DType::kFp32;
        if (depthwise) {
            return builder_.add(OpCode::kDepthwiseConv2d,
                                DepthwiseConv2dAttributes{{}, {1, 1}, {1, 1}, false, sum}, operands,
                                type_, shape_);
        }
        return builder_.add(OpCode::kConv2d, Conv2dAttributes{{}, {1, 1}, {1, 1}, false, sum},
                            operands, type_, shape_);
    }

    Bytes weights(DType type, const Shape& shape) {
        if (type != DType::kI4) return random_bytes(random_, type, shape);
        // Constants hold two 4-bit elements per byte.
        Bytes bytes((*graph::element_count(shape) + 1) / 2);
        for (std::byte& byte : bytes) {
            const auto nibble = [&] { return static_cast<unsigned>(random_.between(-7, 7)) & 15U; };
            byte = static_cast<std::byte>(nibble() | nibble() << 4U);
        }
        return bytes;
    }
    static Bytes zeros(DType type) {
        return Bytes(static_cast<std::size_t>(kernels::stored_bytes(type)));
    }
    TensorIndex zero_point(DType type) {
        Bytes bytes = zeros(type);
        if (type == DType::kI8) bytes[0] = static_cast<std::byte>(random_.pick({0, 3, 0x80}));
        return builder_.constant_bytes(type, {1}, std::move(bytes));
    }
    /// Integers: sometimes so large that sums and bias need more than 24 bits.
    TensorIndex bias(std::int64_t channels) {
        if (type_ != DType::kI32) {
            return builder_.constant_bytes(type_, {channels},
                                           random_bytes(random_, type_, {channels}));
        }
        const std::int64_t most = random_.pick({0, 100, 70000, 1 << 30});
        std::vector<std::int64_t> values;
        for (std::int64_t c = 0; c < channels; ++c) values.push_back(random_.between(-most, most));
        return builder_.constant(DType::kI32, {channels}, values);
    }

    TensorIndex rescale(TensorIndex value) { return rescale(value, random_.one_in(2)); }
    TensorIndex rescale(TensorIndex value, bool per_channel) {
        const std::int64_t count = per_channel ? shape_[3] : 1;
        std::vector<std::int64_t> multipliers, shifts;
        for (std::int64_t c = 0; c < count; ++c) {
            multipliers.push_back(random_.one_in(8) ? random_.below(1 << 20)
                                                    : random_.between(1 << 30, 0x7FFFFFFF));
            shifts.push_back(random_.between(32, 46));
        }
        constexpr DType kOutputs[] = {DType::kI8, DType::kI8, DType::kI16, DType::kI32};
        const DType to = random_.element(kOutputs);
        const bool twice = random_.one_in(3);
        const RescaleAttributes attributes{
            true, twice ? RoundingMode::kDoubleRound : RoundingMode::kSingleRound, per_channel};
        const std::int64_t zero = to == DType::kI8 ? random_.between(-128, 127) : 0;
        type_ = to;
        return builder_.add(
            OpCode::kRescale, attributes,
            {value, builder_.constant(DType::kI32, {count}, multipliers),
             builder_.constant(DType::kI8, {count}, shifts),
             builder_.constant(DType::kI32, {1}, {0}), builder_.constant(to, {1}, {zero})},
            to, shape_);
    }

    TensorIndex clamp(TensorIndex value) {
        if (type_ == DType::kI8) {
            const auto low = static_cast<std::uint32_t>(random_.between(-128, 0));
            const auto high = static_cast<std::uint32_t>(random_.between(0, 127));
            return builder_.add(OpCode::kClamp, ClampAttributes{element(low, 1), element(high, 1)},
                                {value}, type_, shape_);
        }
        const auto size = static_cast<std::uint32_t>(kernels::stored_bytes(type_));
        const auto mode =
            random_.one_in(2) ? NanPropagationMode::kPropagate : NanPropagationMode::kIgnore;
        // -1 (or -3) to 2.
        const std::uint32_t low = short_number(type_, random_.one_in(2) ? 2 : 5);
        return builder_.add(
            OpCode::kClamp,
            ClampAttributes{element(low, size), element(short_number(type_, 4), size), mode},
            {value}, type_, shape_);
    }

    TensorIndex float_followers(TensorIndex value) {
        if (type_ != DType::kFp32) return clamp(value);
        if (random_.one_in(3)) return clamp(value);
        if (random_.one_in(2)) return clamp(with_stored(value));
        constexpr OpCode kFunctions[] = {OpCode::kSigmoid, OpCode::kTanh, OpCode::kErf,
                                         OpCode::kFloor,   OpCode::kExp,  OpCode::kCos};
        const TensorIndex inner = builder_.add(random_.element(kFunctions), NoAttributes{},
                                               {clamp(value)}, type_, shape_);
        const TensorIndex other =
            builder_.add(random_.element(kFunctions), NoAttributes{}, {inner}, type_, shape_);
        constexpr OpCode kBinary[] = {OpCode::kAdd, OpCode::kSub, OpCode::kMaximum,
                                      OpCode::kMinimum};
        const OpCode op = random_.element(kBinary);
        const bool swapped = random_.one_in(2);
        return builder_.add(op, binary_attributes(op),
                            {swapped ? other : inner, swapped ? inner : other}, type_, shape_);
    }
    /// An operator on the value and one or two tensors in memory.
    TensorIndex with_stored(TensorIndex value) {
        const TensorIndex stored = input(type_, shape_);
        const bool swapped = random_.one_in(2);
        const TensorIndex sum =
            builder_.add(OpCode::kSub, NoAttributes{},
                         {swapped ? stored : value, swapped ? value : stored}, type_, shape_);
        if (random_.one_in(2)) return sum;
        return builder_.add(OpCode::kAdd, NoAttributes{}, {sum, input(type_, shape_)}, type_,
                            shape_);
    }
    static Attributes binary_attributes(OpCode op) {
        if (op == OpCode::kMaximum) return MaximumAttributes{NanPropagationMode::kPropagate};
        if (op == OpCode::kMinimum) return MinimumAttributes{NanPropagationMode::kIgnore};
        return NoAttributes{};
    }

    RandomSource random_;
    GraphBuilder builder_;
    std::vector<HostTensor> inputs_;
    DType type_ = DType::kUnknown;  ///< of the latest value
    Shape shape_;
};

void check_groups(const std::vector<std::string>& settings, std::uint64_t first_seed, int cases) {
    const Machine machine = load_machine("bm1684", settings);
    for (int i = 0; i < cases; ++i) {
        const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(i);
        CAPTURE(seed);
        RandomGroup group(seed);
        const graph::Graph graph = group.make();
        graph::validate_graph(graph);
        const GroupRun together = run_group(graph, group.inputs(), machine, true);
        const GroupRun apart = run_group(graph, group.inputs(), machine, false);
        CHECK(together.kernels == 1);
        CHECK(apart.kernels > 1);
        CHECK(together.fault == apart.fault);
        if (!apart.fault) CHECK(together.output == apart.output);
    }
}

}  // namespace

TEST_CASE("shared kernels give the same bytes on the reference machine") {
    check_groups({}, 1, 60);
}

TEST_CASE("shared kernels give the same bytes in many tiles") {
    check_groups({"chip.lanes=8", "chip.local_memory_bytes=32768"}, 1000, 60);
    check_groups({"chip.lanes=4", "chip.local_memory_bytes=16384"}, 2000, 40);
}

TEST_CASE("products of matrices scale their sums, with commands on bytes where there are some") {
    const Machine reference = load_machine("bm1684", {});
    const Machine next = load_machine("okk-next", {});
    const Machine small =
        load_machine("okk-next", {"chip.lanes=8", "chip.local_memory_bytes=32768",
                                  "features.fused_rescale=false", "features.dma_layout=false"});
    for (std::uint64_t seed = 4000; seed < 4030; ++seed) {
        CAPTURE(seed);
        RandomGroup group(seed);
        const graph::Graph graph = group.make_product();
        graph::validate_graph(graph);
        const GroupRun apart = run_group(graph, group.inputs(), reference, false);
        CHECK(apart.kernels > 1);
        CHECK_FALSE(apart.fault);
        for (const Machine* machine : {&reference, &next, &small}) {
            CAPTURE(machine->label());
            const GroupRun together = run_group(graph, group.inputs(), *machine, true);
            CHECK(together.kernels == 1);
            CHECK(together.output == apart.output);
            CHECK(run_group(graph, group.inputs(), *machine, false).output == apart.output);
        }
    }
}

TEST_CASE("stored operands follow the channels that go in parts") {
    // 4 lanes of 16 KiB: a quarter holds the fp32 bias of 4 * 1024 channels.
    constexpr std::int64_t kChannels = 4500;
    const Shape shape{1, 1, 2, kChannels};
    RandomSource random(5);
    GraphBuilder b;
    const auto constant = [&](const Shape& of) {
        return b.constant_bytes(DType::kFp32, of, random_bytes(random, DType::kFp32, of));
    };
    const Shape in{1, 1, 2, 1};
    const TensorIndex x = b.input(DType::kFp32, in);
    const TensorIndex stored = b.input(DType::kFp32, shape);
    const TensorIndex sum =
        b.add(OpCode::kConv2d, Conv2dAttributes{{}, {1, 1}, {1, 1}, false, DType::kFp32},
              {x, constant({kChannels, 1, 1, 1}), constant({kChannels}), b.constant({1}, {0.0F}),
               b.constant({1}, {0.0F})},
              DType::kFp32, shape);
    b.output(b.add(OpCode::kAdd, NoAttributes{}, {sum, stored}, DType::kFp32, shape));
    const graph::Graph graph = b.finish();
    const std::vector<HostTensor> inputs{
        graph::make_host_tensor(DType::kFp32, in, random_bytes(random, DType::kFp32, in)),
        graph::make_host_tensor(DType::kFp32, shape, random_bytes(random, DType::kFp32, shape))};
    const Machine machine =
        load_machine("bm1684", {"chip.lanes=4", "chip.local_memory_bytes=16384"});
    const GroupRun together = run_group(graph, inputs, machine, true);
    CHECK(together.kernels == 1);
    CHECK(together.output == run_group(graph, inputs, machine, false).output);
}

TEST_CASE("a stored operand lives until its follower has run") {
    // TANH's result is read by the follower alone; the copy of x in channel-first order comes
    // between.
    const Shape shape{1, 4, 4, 8};
    RandomSource random(6);
    GraphBuilder b;
    const auto constant = [&](const Shape& of) {
        return b.constant_bytes(DType::kFp32, of, random_bytes(random, DType::kFp32, of));
    };
    const TensorIndex x = b.input(DType::kFp32, shape);
    const TensorIndex stored = b.add(OpCode::kTanh, NoAttributes{}, {x}, DType::kFp32, shape);
    const TensorIndex sum =
        b.add(OpCode::kConv2d, Conv2dAttributes{{}, {1, 1}, {1, 1}, false, DType::kFp32},
              {x, constant({8, 1, 1, 8}), constant({8}), b.constant({1}, {0.0F}),
               b.constant({1}, {0.0F})},
              DType::kFp32, shape);
    b.output(b.add(OpCode::kAdd, NoAttributes{}, {sum, stored}, DType::kFp32, shape));
    const graph::Graph graph = b.finish();
    const std::vector<HostTensor> inputs{
        graph::make_host_tensor(DType::kFp32, shape, random_bytes(random, DType::kFp32, shape))};
    const Machine machine = load_machine("bm1684", {});
    CHECK(run_group(graph, inputs, machine, true).output ==
          run_group(graph, inputs, machine, false).output);
}

TEST_CASE("a sum that leaves int32 is reported before it is scaled") {
    const auto fault_with = [](std::int64_t bias, bool fuse) {
        GraphBuilder b;
        const Shape shape{1, 1, 1, 1};
        const TensorIndex x = b.input(DType::kI8, {1, 1, 1, 2});
        const TensorIndex sum = b.add(
            OpCode::kConv2d, Conv2dAttributes{{}, {1, 1}, {1, 1}, false, DType::kI32},
            {x, b.constant(DType::kI8, {1, 1, 1, 2}, {1, 1}), b.constant(DType::kI32, {1}, {bias}),
             b.constant(DType::kI8, {1}, {0}), b.constant(DType::kI8, {1}, {0})},
            DType::kI32, shape);
        b.output(
            b.add(OpCode::kRescale, RescaleAttributes{true, RoundingMode::kSingleRound, false},
                  {sum, b.constant(DType::kI32, {1}, {1 << 30}), b.constant(DType::kI8, {1}, {40}),
                   b.constant(DType::kI32, {1}, {0}), b.constant(DType::kI8, {1}, {0})},
                  DType::kI8, shape));
        const graph::Graph graph = b.finish();
        const Bytes ones(2, std::byte{1});
        const std::vector<HostTensor> inputs{
            graph::make_host_tensor(DType::kI8, {1, 1, 1, 2}, ones)};
        return run_group(graph, inputs, load_machine("bm1684", {}), fuse).fault;
    };
    // 1 + 1 + bias against 2^31 - 1.
    constexpr std::int64_t kMost = (std::int64_t{1} << 31) - 1;
    for (const bool fuse : {false, true}) {
        CHECK_FALSE(fault_with(kMost - 2, fuse).has_value());
        CHECK(fault_with(kMost - 1, fuse) == FaultCode::kUnpredictable);
    }
}
