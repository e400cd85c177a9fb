// SPDX-License-Identifier: Apache-2.0
// Random copies and sums of tensors with any strides, over 70 lanes. A table with one state per
// word (written, unwritten, undefined) is the reference.
#include "isa/layout.h"
#include "isa/tensors.h"
#include "models/bdc/bdc_semantics.h"
#include "models/memory/undefined_words.h"
#include "tests/support/catch.h"
#include "tests/support/random_source.h"
#include "tests/support/small_machine.h"

namespace okksim::models {
namespace {

constexpr std::int32_t kLanes = 70;  // more than a word of a mask has bits
constexpr std::int64_t kLocalBytes = 4096;
constexpr std::int64_t kWords = kLocalBytes / 4;
/// Tensors are in these parts of a lane, so that results overlap no source.
constexpr std::int64_t kParts = 4;
constexpr std::int64_t kPartWords = kWords / kParts;

enum class State : std::uint8_t { kUnwritten, kDefined, kUndefined };

struct RandomTensor {
    std::int32_t lane = 0;
    std::int64_t first = 0;  ///< word of the lane
    isa::Dim4 stride;

    isa::LocalAddr address() const {
        return {static_cast<std::uint32_t>(lane * kLocalBytes + first * 4)};
    }
    /// Number of an element's word; the words of lane 0 come first.
    std::size_t place(std::int32_t n, std::int32_t c, std::int32_t h, std::int32_t w) const {
        const std::int64_t word =
            first + n * stride.n + (lane + c) / kLanes * stride.c + h * stride.h + w * stride.w;
        return static_cast<std::size_t>((lane + c) % kLanes * kWords + word);
    }
};

class Table {
 public:
    explicit Table(std::uint64_t seed) : random_(seed) {}

    void step() {
        shape_ = {static_cast<std::int32_t>(random_.between(1, 2)),
                  static_cast<std::int32_t>(random_.pick({1, 2, 6, 69, 70, 73})),
                  static_cast<std::int32_t>(random_.between(1, 3)),
                  static_cast<std::int32_t>(random_.between(1, 4))};
        lane_ = static_cast<std::int32_t>(random_.pick({0, 1, 62, 63, 64, 69}));
        const std::int64_t part = random_.below(kParts);
        const RandomTensor result = tensor(part, false);
        const RandomTensor a = tensor((part + 1) % kParts, true);
        const RandomTensor b = tensor((part + 2) % kParts, true);
        switch (random_.below(3)) {
            case 0:
                run(isa::Command::make(isa::Opcode::bdc_32bit_set_C,
                                       isa::VectorSet{result.address(), {}, shape_, result.stride}),
                    result, {});
                break;
            case 1:
                run(isa::Command::make(isa::Opcode::bdc_32bit_cpy,
                                       isa::VectorUnary{result.address(), a.address(), shape_,
                                                        result.stride, a.stride}),
                    result, {a});
                break;
            default: {
                isa::VectorBinary sum;
                sum.dst_addr = result.address();
                sum.src0_addr = a.address();
                sum.src1_addr = b.address();
                sum.shape = shape_;
                sum.dst_stride = result.stride;
                sum.src0_stride = a.stride;
                sum.src1_stride = b.stride;
                run(isa::Command::make(isa::Opcode::bdc_32bit_xor, sum), result, {a, b});
            }
        }
    }

    /// A command that reads only one word.
    void probe() {
        const auto lane = random_.below(kLanes);
        const auto word = random_.below(kWords);
        const isa::Dim4 one{1, 1, 1, 1};
        const isa::Command load = isa::Command::make(
            isa::Opcode::bdc_32bit_cpy,
            isa::VectorUnary{
                {0}, {static_cast<std::uint32_t>(lane * kLocalBytes + word * 4)}, one, one, one});
        const State state = states_[static_cast<std::size_t>(lane * kWords + word)];
        CAPTURE(lane, word);
        const isa::TensorViews views = isa::tensor_views(load, machine_);
        CHECK((map_.find_unwritten(load, views, local_, system_).has_value()) ==
              (state == State::kUnwritten));
        CHECK(undefined_.reads(load, views) == (state == State::kUndefined));
    }

 private:
    RandomTensor tensor(std::int64_t part, bool may_repeat) {
        RandomTensor result;
        result.lane = lane_;
        const auto gap = [&] { return static_cast<std::int32_t>(random_.below(2)); };
        isa::Dim4& stride = result.stride;
        stride.w = 1 + gap();
        stride.h = shape_.w * stride.w + gap();
        stride.n = shape_.h * stride.h + gap();
        stride.c = shape_.n * stride.n + gap();
        if (may_repeat && random_.one_in(4)) stride.h = 0;
        if (may_repeat && random_.one_in(4)) stride.n = 0;
        result.first = part * kPartWords + random_.below(20);
        return result;
    }

    void run(const isa::Command& command, const RandomTensor& result,
             const std::vector<RandomTensor>& sources) {
        const isa::TensorViews views = isa::tensor_views(command, machine_);
        const bool bad = map_.find_unwritten(command, views, local_, system_) ||
                         undefined_.reads(command, views);
        bool is_bad = false;
        for (std::int32_t n = 0; n < shape_.n; ++n) {
            for (std::int32_t c = 0; c < shape_.c; ++c) {
                for (std::int32_t h = 0; h < shape_.h; ++h) {
                    for (std::int32_t w = 0; w < shape_.w; ++w) {
                        bool defined = true;
                        for (const RandomTensor& source : sources) {
                            defined =
                                defined && states_[source.place(n, c, h, w)] == State::kDefined;
                        }
                        is_bad = is_bad || !defined;
                        states_[result.place(n, c, h, w)] =
                            defined ? State::kDefined : State::kUndefined;
                    }
                }
            }
        }
        CHECK(bad == is_bad);
        if (bad) undefined_.carry(command, views, map_, local_, system_, ++number_);
        execute_bdc(command, local_, pool_);
        map_.mark_results(command, views);
        undefined_.settle(command, views);
    }

    tests::RandomSource random_;
    isa::Dim4 shape_;
    std::int32_t lane_ = 0;
    std::uint32_t number_ = 0;
    isa::MachineShape machine_ = tests::small_machine(kLanes, kLocalBytes);
    LocalMemory local_{machine_};
    SystemMemory system_{machine_};
    WrittenMap map_{machine_};
    LanePool pool_;
    UndefinedWords undefined_{
        machine_, [this](const isa::Command& command) { execute_bdc(command, local_, pool_); }};
    std::vector<State> states_ = std::vector<State>(kLanes * kWords, State::kUnwritten);
};

}  // namespace

TEST_CASE("random tensors: every word is written, unwritten or undefined") {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        CAPTURE(seed);
        Table table(seed);
        for (int i = 0; i < 60; ++i) {
            table.step();
            for (int k = 0; k < 40; ++k) table.probe();
        }
    }
}

}  // namespace okksim::models
