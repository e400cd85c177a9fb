// SPDX-License-Identifier: Apache-2.0
#include "kernels/rows/float_row_builder.h"

namespace okksim::kernels::rows {

using tosa::OpCode;

std::vector<FloatRowCommand*> FloatRowBuilder::readers(int value) {
    std::vector<FloatRowCommand*> all;
    for (FloatRowCommand& command : program_.commands) {
        if (command.operands[0] == value || command.operands[1] == value) {
            all.push_back(&command);
        }
    }
    return all;
}

bool FloatRowBuilder::settle_softmax() {
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

bool FloatRowBuilder::settle_powers(int difference) {
    const std::vector<FloatRowCommand*> powers = readers(difference);
    program_.is_open = program_.is_open || powers.empty();
    for (FloatRowCommand* power : powers) {
        if (power->op != OpCode::kExp || !settle_shares(power->result)) return false;
        power->function = FloatRowFunction::kPower;
    }
    return true;
}

bool FloatRowBuilder::settle_shares(int power) {
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
    const int other = product->operands[0] == power ? product->operands[1] : product->operands[0];
    return other == share->result && readers(share->result).size() == 1;
}

}  // namespace okksim::kernels::rows
