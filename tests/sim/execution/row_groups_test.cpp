// SPDX-License-Identifier: Apache-2.0
// Integer operators that share a kernel along rows give the same bytes and report the same
// conditions as separate kernels.
#include <algorithm>
#include <cstring>
#include <optional>

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

struct Value {
    TensorIndex tensor;
    DType type;
    Shape shape;
    bool is_read = false;
};

/// A random graph of integer operators on one row space, with its inputs.
class RandomRows {
 public:
    explicit RandomRows(std::uint64_t seed) : random_(seed) {}

    graph::Graph make() {
        const auto rank = static_cast<std::size_t>(random_.between(1, 4));
        for (std::size_t i = 0; i < rank; ++i)
            space_.push_back(random_.between(1, i == 0 ? 3 : 20));
        axis_ = static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(rank)));
        space_[axis_] = random_.pick({1, 2, 3, 7, 16, 33, 100});
        add_input(DType::kI8, space_);
        widen(0);
        const std::int64_t steps = random_.between(3, 14);
        for (std::int64_t i = 0; i < steps; ++i) step();
        finish();
        return builder_.finish();
    }
    const std::vector<HostTensor>& inputs() const { return inputs_; }

 private:
    void add(OpCode op, Attributes attributes, const std::vector<std::size_t>& from, DType type,
             const Shape& shape, const std::vector<TensorIndex>& constants = {}) {
        std::vector<TensorIndex> operands;
        for (const std::size_t i : from) {
            operands.push_back(values_[i].tensor);
            values_[i].is_read = true;
        }
        operands.insert(operands.end(), constants.begin(), constants.end());
        values_.push_back(
            {builder_.add(op, std::move(attributes), operands, type, shape), type, shape});
    }

    void add_input(DType type, const Shape& shape) {
        const std::uint64_t count = *graph::element_count(shape);
        Bytes bytes;
        for (std::uint64_t i = 0; i < count; ++i) {
            std::int64_t value = static_cast<std::int64_t>(random_.bits());
            // Words of any size, so that sums fit and do not fit.
            if (type == DType::kI32) value >>= random_.between(32, 60);
            for (int k = 0; k < kernels::stored_bytes(type); ++k) {
                bytes.push_back(static_cast<std::byte>(value >> (8 * k)));
            }
        }
        inputs_.push_back(graph::make_host_tensor(type, shape, std::move(bytes)));
        values_.push_back({builder_.input(type, shape), type, shape});
    }

    /// Returns the shape of the space, or a part of it.
    Shape part() {
        Shape shape = space_;
        if (random_.one_in(3)) shape[axis_] = 1;
        if (random_.one_in(3)) {
            for (std::size_t i = 0; i < shape.size(); ++i) {
                if (i != axis_) shape[i] = 1;
            }
        }
        // Rows that repeat along one dimension and not along others.
        const auto i = static_cast<std::size_t>(random_.below(std::ssize(shape)));
        if (i != axis_ && random_.one_in(3)) shape[i] = 1;
        return shape;
    }

    std::optional<std::size_t> any(DType type) {
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i < values_.size(); ++i) {
            if (values_[i].type == type) found.push_back(i);
        }
        if (found.empty()) return std::nullopt;
        // In most cases one of the last values.
        const auto count = static_cast<std::int64_t>(found.size());
        const std::int64_t from = random_.one_in(3) ? 0 : std::max<std::int64_t>(0, count - 3);
        return found[static_cast<std::size_t>(random_.between(from, count - 1))];
    }

    static Shape broadcast(const Shape& a, const Shape& b) {
        Shape shape = a;
        for (std::size_t i = 0; i < a.size(); ++i) shape[i] = std::max(a[i], b[i]);
        return shape;
    }

    void rescale(std::size_t from, DType to, std::int64_t low_shift, std::int64_t high_shift) {
        const Value value = values_[from];
        const std::int64_t channels = value.shape.back();
        const bool per_channel = random_.one_in(3);
        const std::int64_t count = per_channel ? channels : 1;
        std::vector<std::int64_t> multipliers, shifts;
        for (std::int64_t c = 0; c < count; ++c) {
            multipliers.push_back(random_.between(1 << 30, 0x7FFFFFFF));
            shifts.push_back(random_.between(low_shift, high_shift));
        }
        const auto zero = [&](DType type) {
            const std::int64_t most = type == DType::kI8 ? 127 : 0;
            return builder_.constant(type, {1}, {random_.between(-most, most)});
        };
        const bool twice = random_.one_in(3);
        const RescaleAttributes attributes{
            true, twice ? RoundingMode::kDoubleRound : RoundingMode::kSingleRound, per_channel};
        add(OpCode::kRescale, attributes, {from}, to, value.shape,
            {builder_.constant(DType::kI32, {count}, multipliers),
             builder_.constant(DType::kI8, {count}, shifts), zero(value.type), zero(to)});
    }

    /// Bytes as words of up to 255 * 2^6.
    void widen(std::size_t from) { rescale(from, DType::kI32, 25, 33); }

    void step() {
        const std::optional<std::size_t> word = any(DType::kI32), byte = any(DType::kI8),
                                         half = any(DType::kI16), flag = any(DType::kBool);
        switch (random_.below(14)) {
            case 0: return widen(*byte);
            case 1: return rescale(*word, DType::kI8, 32, 42);
            case 2: return rescale(*word, DType::kI16, 32, 40);
            case 3: return add_input(random_.one_in(2) ? DType::kI8 : DType::kI32, part());
            case 4: return reduce(OpCode::kReduceSum, ReduceSumAttributes{axis()}, *word);
            case 5:
                return reduce(OpCode::kReduceMax, ReduceMaxAttributes{axis()},
                              random_.one_in(2) ? *byte : *word);
            case 6: return look_up(half.value_or(*byte));
            case 7: return shift(*word);
            case 8:
                return add(OpCode::kClz, NoAttributes{}, {*word}, DType::kI32,
                           values_[*word].shape);
            case 9:
                if (!flag) return compare(*word, *any(DType::kI32));
                return select(*flag, *word, *any(DType::kI32));
            case 10: return clamp(half && random_.one_in(2) ? *half : *byte);
            case 11: return multiply(*word, *any(DType::kI32));
            default: return combine(*word, *any(DType::kI32));
        }
    }

    std::int32_t axis() const { return static_cast<std::int32_t>(axis_); }

    void reduce(OpCode op, Attributes attributes, std::size_t from) {
        Shape shape = values_[from].shape;
        shape[axis_] = 1;
        add(op, std::move(attributes), {from}, values_[from].type, shape);
    }

    void look_up(std::size_t from) {
        const Value value = values_[from];
        const bool is_byte = value.type == DType::kI8;
        std::vector<std::int64_t> entries;
        for (int i = 0; i < (is_byte ? 256 : 513); ++i) {
            entries.push_back(is_byte ? random_.between(-128, 127) : random_.between(-9000, 9000));
        }
        const auto count = static_cast<std::int64_t>(entries.size());
        add(OpCode::kTable, NoAttributes{}, {from}, is_byte ? DType::kI8 : DType::kI32, value.shape,
            {builder_.constant(is_byte ? DType::kI8 : DType::kI16, {count}, entries)});
    }

    /// Shifts by constants, or by values that may be illegal shift amounts.
    void shift(std::size_t from) {
        const Shape one(space_.size(), 1);
        const TensorIndex amount = builder_.constant(DType::kI32, one, {random_.between(0, 31)});
        constexpr OpCode kOps[] = {OpCode::kArithmeticRightShift, OpCode::kLogicalLeftShift,
                                   OpCode::kLogicalRightShift};
        const OpCode op = random_.element(kOps);
        Attributes attributes = NoAttributes{};
        if (op == OpCode::kArithmeticRightShift) {
            attributes = ArithmeticRightShiftAttributes{random_.one_in(2)};
        }
        if (random_.one_in(4)) {
            const std::size_t by = *any(DType::kI32);
            const Shape shape = broadcast(values_[from].shape, values_[by].shape);
            return add(op, std::move(attributes), {from, by}, DType::kI32, shape);
        }
        add(op, std::move(attributes), {from}, DType::kI32, values_[from].shape, {amount});
    }

    void compare(std::size_t a, std::size_t b) {
        constexpr OpCode kOps[] = {OpCode::kEqual, OpCode::kGreater, OpCode::kGreaterEqual};
        add(random_.element(kOps), NoAttributes{}, {a, b}, DType::kBool,
            broadcast(values_[a].shape, values_[b].shape));
    }

    void select(std::size_t condition, std::size_t a, std::size_t b) {
        add(OpCode::kSelect, NoAttributes{}, {condition, a, b}, DType::kI32,
            broadcast(values_[condition].shape, broadcast(values_[a].shape, values_[b].shape)));
    }

    void clamp(std::size_t from) {
        const auto limit = [&](std::int64_t value) {
            ElementBytes element;
            std::memcpy(element.bytes.data(), &value, 2);
            element.size = values_[from].type == DType::kI8 ? 1 : 2;
            return element;
        };
        add(OpCode::kClamp,
            ClampAttributes{limit(random_.between(-100, 0)), limit(random_.between(0, 100))},
            {from}, values_[from].type, values_[from].shape);
    }

    void multiply(std::size_t a, std::size_t b) {
        const std::int64_t shift = random_.pick({0, 0, 1, 8, 14, 30, 63});
        add(OpCode::kMul, NoAttributes{}, {a, b}, DType::kI32,
            broadcast(values_[a].shape, values_[b].shape),
            {builder_.constant(DType::kI8, {1}, {shift})});
    }

    void combine(std::size_t a, std::size_t b) {
        constexpr OpCode kOps[] = {OpCode::kAdd, OpCode::kSub, OpCode::kMaximum, OpCode::kMinimum};
        const OpCode op = random_.element(kOps);
        Attributes attributes = NoAttributes{};
        if (op == OpCode::kMaximum) attributes = MaximumAttributes{};
        if (op == OpCode::kMinimum) attributes = MinimumAttributes{};
        if (random_.one_in(4)) {
            const Shape one(space_.size(), 1);
            const std::int64_t constant =
                random_.pick({0, 1, -1, 1000, INT32_MIN, INT32_MAX, 1 << 30});
            return add(op, std::move(attributes), {a}, DType::kI32, values_[a].shape,
                       {builder_.constant(DType::kI32, one, {constant})});
        }
        add(op, std::move(attributes), {a, b}, DType::kI32,
            broadcast(values_[a].shape, values_[b].shape));
    }

    /// Converts all unread values to words and joins them to one result.
    void finish() {
        for (std::size_t i = 0; i < values_.size(); ++i) {
            if (values_[i].is_read || values_[i].type == DType::kI32) continue;
            if (values_[i].type == DType::kBool) {
                const std::size_t word = *any(DType::kI32);
                select(i, word, word);
            } else {
                rescale(i, DType::kI32, 34, 35);
            }
        }
        std::optional<std::size_t> all;
        const std::size_t count = values_.size();
        for (std::size_t i = 0; i < count; ++i) {
            if (values_[i].is_read) continue;
            if (all) {
                add(OpCode::kMaximum, MaximumAttributes{}, {*all, i}, DType::kI32,
                    broadcast(values_[*all].shape, values_[i].shape));
                all = values_.size() - 1;
            } else {
                all = i;
            }
        }
        if (random_.one_in(2)) rescale(*all, DType::kI8, 34, 46);
        builder_.output(values_.back().tensor);
    }

    RandomSource random_;
    GraphBuilder builder_;
    std::vector<HostTensor> inputs_;
    std::vector<Value> values_;
    Shape space_;
    std::size_t axis_ = 0;
};

void check_rows(const std::vector<std::string>& settings, std::uint64_t first_seed, int cases) {
    const Machine machine = load_machine("okk-next", settings);
    int shared = 0, faults = 0;
    for (int i = 0; i < cases; ++i) {
        const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(i);
        CAPTURE(seed);
        RandomRows rows(seed);
        const graph::Graph graph = rows.make();
        graph::validate_graph(graph);
        const GroupRun together = run_group(graph, rows.inputs(), machine, true);
        const GroupRun apart = run_group(graph, rows.inputs(), machine, false);
        if (together.kernels < apart.kernels) ++shared;
        if (apart.fault) ++faults;
        INFO(together.fault_text << " | " << apart.fault_text);
        CHECK(together.fault == apart.fault);
        if (!apart.fault) CHECK(together.output == apart.output);
    }
    CHECK(shared > cases * 2 / 3);
    CHECK(faults > cases / 20);
    CHECK(faults < cases / 2);
}

}  // namespace

TEST_CASE("rows share kernels and give the same bytes") { check_rows({}, 1, 150); }

TEST_CASE("rows in many tiles give the same bytes") {
    check_rows({"chip.lanes=8", "chip.local_memory_bytes=32768"}, 1000, 100);
    check_rows({"chip.lanes=4", "chip.local_memory_bytes=16384"}, 2000, 60);
}

TEST_CASE("rows on a machine without moves that transpose") {
    check_rows({"features.dma_layout=false"}, 3000, 60);
}
