// SPDX-License-Identifier: Apache-2.0
#include "kernels/rows/float_row_program.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "isa/limits.h"
#include "kernels/pointwise/fusion.h"
#include "kernels/rows/reduced_axis.h"
#include "kernels/tosa/operator_row.h"

namespace okksim::kernels::rows {
namespace {

using tosa::DType;
using tosa::OpCode;

std::size_t index_of(int value) { return static_cast<std::size_t>(value); }

class FloatRowBuilder {
 public:
    FloatRowBuilder(const Members& members, const ReadConstant& read)
        : members_(members), read_(read) {}

    /// With blocks of as many rows as possible.
    std::optional<FloatRowProgram> run() {
        const bool has_products =
            std::any_of(members_.begin(), members_.end(),
                        [](const Follower& member) { return member.op == OpCode::kMatmul; });
        // Matrices may lie apart.
        if (members_.empty() || !find_space(has_products ? 1 : kMaxRank)) return std::nullopt;
        std::optional<FloatRowProgram> made = in_space();
        while (!made && space_.block_dimensions() > 1) {
            if (!find_space(space_.block_dimensions() - 1)) return std::nullopt;
            made = in_space();
        }
        return made;
    }

 private:
    bool find_space(std::size_t block_dimensions) {
        std::vector<DeviceTensor> tensors;
        std::optional<int> axis;
        const DeviceTensor* whole = nullptr;
        for (const Follower& member : members_) {
            const auto own = static_cast<std::size_t>(float_row_operands(member.op));
            if (own == 0 || member.inputs.size() < own) return false;
            const bool is_product = member.op == OpCode::kMatmul;
            // A product of a result has columns of its own, and ends the group.
            if (is_product && whole != nullptr) break;
            tensors.push_back(member.output);
            whole = &member.output;
            if (is_product) continue;
            for (std::size_t k = 0; k < own; ++k) tensors.push_back(member.inputs[k]);
            const std::optional<int> reduced = reduced_axis(member);
            if (reduced && axis && *axis != *reduced) return false;
            if (reduced) axis = reduced;
        }
        if (whole == nullptr) return false;
        const bool all_fp32 =
            std::all_of(tensors.begin(), tensors.end(), [](const DeviceTensor& tensor) {
                return tensor.type == DType::kFp32 && tensor.rank > 0;
            });
        if (!all_fp32) return false;
        // The order of the rows is that of the result, or of what has the most elements.
        for (const DeviceTensor& tensor : tensors) {
            if (tensor.count() > whole->count()) whole = &tensor;
        }
        const std::optional<RowSpace> space =
            RowSpace::of(tensors, axis.value_or(innermost(*whole)), *whole, block_dimensions);
        if (space) space_ = *space;
        return space.has_value();
    }

    static int innermost(const DeviceTensor& tensor) {
        int axis = tensor.rank - 1;
        for (int i = tensor.rank; i-- > 0;) {
            const auto at = static_cast<std::size_t>(i), best = static_cast<std::size_t>(axis);
            if (tensor.dims[at] == 1) continue;
            if (tensor.dims[best] == 1 || tensor.strides[at] < tensor.strides[best]) axis = i;
        }
        return axis;
    }

    std::optional<FloatRowProgram> in_space() {
        program_ = {};
        results_.clear();
        loaded_.clear();
        own_columns_ = 0;
        program_.rows = space_.rows();
        program_.columns = space_.columns();
        program_.block_rows = space_.block_rows();
        for (std::size_t m = 0; m < members_.size(); ++m) {
            if (!add(m)) return std::nullopt;
        }
        const DeviceTensor& output = members_.back().output;
        const std::optional<RowStrides> strides =
            own_columns_ > 0 ? matrix_strides(output) : space_.strides(output);
        if (!strides || !settle_softmax()) return std::nullopt;
        program_.result = *strides;
        program_.is_open = program_.is_open || (own_columns_ == 0 && space_.repeats_rows(output)) ||
                           !has_rows(program_.values[index_of(results_.back())].extent);
        return std::move(program_);
    }

    /// Of a space of one row all values have it.
    RowExtent extent_of(const DeviceTensor& tensor) const {
        const RowExtent extent = space_.extent(tensor);
        if (space_.rows() > 1) return extent;
        return has_columns(extent) ? RowExtent::kFull : RowExtent::kRows;
    }

    /// Adds a member; false where the group cannot have it.
    bool add(std::size_t m) {
        const Follower& member = members_[m];
        if (own_columns_ > 0) return false;
        if (member.op == OpCode::kMatmul) return add_product(m);
        const RowExtent extent = extent_of(member.output);
        FloatRowCommand command;
        command.op = member.op;
        command.member = m;
        const auto own = static_cast<std::size_t>(float_row_operands(member.op));
        if (!with_constant(m, command)) {
            for (std::size_t k = 0; k < own; ++k) {
                const std::optional<int> value = operand(m, k);
                if (!value) return false;
                command.operands[k] = *value;
            }
        } else if (command.operands[0] < 0) {
            return false;
        }
        if (reduced_axis(member)) {
            const bool is_sum = member.op == OpCode::kReduceSum;
            command.function = is_sum ? FloatRowFunction::kSum : FloatRowFunction::kLargest;
            const RowExtent from = program_.values[index_of(command.operands[0])].extent;
            if (from != RowExtent::kFull) return false;
        }
        program_.values.push_back({extent});
        command.result = static_cast<int>(program_.values.size()) - 1;
        results_.push_back(command.result);
        program_.commands.push_back(command);
        return true;
    }

    /// One product reads memory alone, one a result.
    bool add_product(std::size_t m) {
        const Follower& member = members_[m];
        const bool is_first = m == 0;
        const std::int64_t rows = member.output.dims[1], columns = member.output.dims[2];
        const std::int64_t terms = member.inputs[1].dims[1];
        const bool is_space = space_.columns() > 1 && space_.block_rows() == rows &&
                              (is_first ? columns : terms) == space_.columns();
        if (!is_space || is_first != (member.operands[0] < 0) || member.operands[1] >= 0) {
            return false;
        }
        if (member.inputs[0].type != DType::kFp32 || member.inputs[1].type != DType::kFp32 ||
            member.output.type != DType::kFp32) {
            return false;
        }
        if (columns > isa::kMostWindowExtent || terms > isa::kMostChannels) return false;
        FloatRowCommand command{FloatRowFunction::kProduct, member.op, m};
        if (is_first) {
            command.operands[0] = matrix(m, 0, terms);
        } else {
            command.operands[0] = results_[index_of(member.operands[0])];
            if (program_.values[index_of(command.operands[0])].extent != RowExtent::kFull) {
                return false;
            }
            own_columns_ = columns;
        }
        command.operands[1] = matrix(m, 1, columns);
        program_.values.back().channels = terms;
        program_.values.push_back({RowExtent::kFull, std::nullopt, own_columns_});
        command.result = static_cast<int>(program_.values.size()) - 1;
        results_.push_back(command.result);
        program_.commands.push_back(command);
        return true;
    }

    /// A factor in memory as a value.
    int matrix(std::size_t m, std::size_t k, std::int64_t columns) {
        const StoredValue stored{m, k, matrix_strides(members_[m].inputs[k])};
        program_.values.push_back({RowExtent::kFull, stored, columns});
        return static_cast<int>(program_.values.size()) - 1;
    }

    static RowStrides matrix_strides(const DeviceTensor& tensor) {
        return {.row = tensor.strides[1], .column = tensor.strides[2], .block = tensor.strides[0]};
    }

    /// Arithmetic with one known number takes no operand for it. True: it is such; without the
    /// operand where that cannot be had.
    bool with_constant(std::size_t m, FloatRowCommand& command) {
        const Follower& member = members_[m];
        const bool can =
            member.op == OpCode::kAdd || member.op == OpCode::kSub || member.op == OpCode::kMul;
        if (!can) return false;
        for (const std::size_t k : {std::size_t{1}, std::size_t{0}}) {
            const std::optional<float> number = constant(m, k);
            if (!number) continue;
            command.constant = *number;
            command.function = FloatRowFunction::kAddConstant;
            if (member.op == OpCode::kMul) command.function = FloatRowFunction::kMultiplyConstant;
            if (member.op == OpCode::kSub && k == 1) command.constant = -*number;
            if (member.op == OpCode::kSub && k == 0) {
                command.function = FloatRowFunction::kSubtractFrom;
            }
            command.operands[0] = operand(m, 1 - k).value_or(-1);
            return true;
        }
        return false;
    }

    std::optional<float> constant(std::size_t m, std::size_t k) const {
        const Follower& member = members_[m];
        if (member.operands[k] >= 0 || member.inputs[k].count() != 1) return std::nullopt;
        const auto known = read_(m, k);
        if (!known || known->size() != 1) return std::nullopt;
        return std::bit_cast<float>(static_cast<std::uint32_t>(known->front()));
    }

    /// A result, or what is loaded, once.
    std::optional<int> operand(std::size_t m, std::size_t k) {
        const Follower& member = members_[m];
        if (member.operands[k] >= 0) return results_[index_of(member.operands[k])];
        StoredPlace place{m, k};
        if (const auto earlier = Follower::earlier(member.operands[k])) place = *earlier;
        for (const auto& [known, value] : loaded_) {
            if (known.member == place.member && known.input == place.input) return value;
        }
        const DeviceTensor& tensor = member.inputs[k];
        const std::optional<RowStrides> strides = space_.strides(tensor);
        if (!strides) return std::nullopt;
        program_.values.push_back({extent_of(tensor), StoredValue{m, k, *strides}});
        const int value = static_cast<int>(program_.values.size()) - 1;
        loaded_.emplace_back(place, value);
        return value;
    }

    // ---- Softmax ----

    std::vector<FloatRowCommand*> readers(int value) {
        std::vector<FloatRowCommand*> all;
        for (FloatRowCommand& command : program_.commands) {
            if (command.operands[0] == value || command.operands[1] == value) {
                all.push_back(&command);
            }
        }
        return all;
    }

    /// Largest values of rows do not tell of NaN, so they may only be taken from their row before
    /// an EXP whose results are divided by their sum: that gives NaN for the whole row wherever one
    /// of it is, as the operators one by one do. False: there is another use of one.
    bool settle_softmax() {
        for (FloatRowCommand& largest : program_.commands) {
            if (largest.function != FloatRowFunction::kLargest) continue;
            const std::vector<FloatRowCommand*> differences = readers(largest.result);
            program_.is_open = program_.is_open || differences.empty();
            for (const FloatRowCommand* difference : differences) {
                const bool is_one = difference->op == OpCode::kSub &&
                                    difference->operands[0] == largest.operands[0] &&
                                    difference->operands[1] == largest.result;
                if (!is_one || !settle_powers(difference->result)) return false;
            }
        }
        return true;
    }

    bool settle_powers(int difference) {
        const std::vector<FloatRowCommand*> powers = readers(difference);
        program_.is_open = program_.is_open || powers.empty();
        for (FloatRowCommand* power : powers) {
            if (power->op != OpCode::kExp || !settle_shares(power->result)) return false;
            power->function = FloatRowFunction::kPower;
        }
        return true;
    }

    bool settle_shares(int power) {
        FloatRowCommand* sum = nullptr;
        FloatRowCommand* product = nullptr;
        for (FloatRowCommand* reader : readers(power)) {
            FloatRowCommand*& place = reader->function == FloatRowFunction::kSum ? sum : product;
            if (place != nullptr) return false;
            place = reader;
        }
        FloatRowCommand* share = nullptr;
        if (sum != nullptr) {
            const std::vector<FloatRowCommand*> shares = readers(sum->result);
            if (shares.size() > 1) return false;
            if (!shares.empty()) share = shares.front();
        }
        if (share != nullptr && share->op != OpCode::kReciprocal) return false;
        if (share != nullptr) share->function = FloatRowFunction::kShare;
        program_.is_open = program_.is_open || product == nullptr;
        if (product == nullptr) return share == nullptr || readers(share->result).empty();
        if (share == nullptr || product->op != OpCode::kMul ||
            product->function != FloatRowFunction::kBody) {
            return false;
        }
        const int other =
            product->operands[0] == power ? product->operands[1] : product->operands[0];
        return other == share->result && readers(share->result).size() == 1;
    }

    const Members& members_;
    const ReadConstant& read_;
    RowSpace space_;
    FloatRowProgram program_;
    std::vector<int> results_;  ///< values, by member
    std::vector<std::pair<StoredPlace, int>> loaded_;
    std::int64_t own_columns_ = 0;  ///< of the result of a product of a result
};

}  // namespace

bool FloatRowProgram::has_powers() const {
    return std::any_of(commands.begin(), commands.end(), [](const FloatRowCommand& command) {
        return command.function == FloatRowFunction::kPower;
    });
}

bool FloatRowProgram::has_products() const {
    return std::any_of(commands.begin(), commands.end(), [](const FloatRowCommand& command) {
        return command.function == FloatRowFunction::kProduct;
    });
}

std::uint64_t FloatRowProgram::argument_words() const {
    std::uint64_t words = 9;
    // Which operand it is and how it lies; the extent, and what a product has of its own.
    const std::uint64_t own = has_products() ? 2 : 0;
    for (const FloatRowValue& value : values) words += (value.stored ? 8 : 1) + own;
    // Function and operator, operands and result, the constant.
    return words + 3 * commands.size();
}

int float_row_operands(OpCode op) {
    if (op == OpCode::kReduceSum || op == OpCode::kReduceMax) return 1;
    if (op == OpCode::kMatmul) return 2;
    const int leading = leading_operands(op);
    return has_float_body(op) && leading <= 2 ? leading : 0;
}

std::optional<FloatRowProgram> float_row_program(const Members& members, const ReadConstant& read) {
    return FloatRowBuilder(members, read).run();
}

bool is_float_row_group(const OperatorCall& call) {
    if (call.followers.empty() || call.outputs[0].type != DType::kFp32) return false;
    const bool is_product = call.op == OpCode::kMatmul;
    if (!is_product && tosa::gives_sums(tosa::operator_row(call.op).fusion)) return false;
    for (std::size_t i = 0; i < call.followers.size(); ++i) {
        if (!can_follow(call, call.followers.first(i), call.followers[i])) return true;
    }
    return false;
}

}  // namespace okksim::kernels::rows
