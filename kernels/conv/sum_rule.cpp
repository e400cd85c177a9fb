// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/sum_rule.h"

#include <algorithm>

#include "kernels/conv/element_types.h"
#include "kernels/conv/epilogue.h"
#include "kernels/prim/exact_sum.h"
#include "kernels/prim/magic.h"

namespace okksim::kernels::conv {
namespace {

using tosa::DType;

/// Largest value that the lower half of an int32 bias adds to an exact pass.
constexpr std::int64_t kLowerHalf = 65535;
constexpr int kCheckPlanes = 2;

bool is_scaled(const Problem& problem) {
    return problem.epilogue != nullptr && problem.epilogue->scale.has_value();
}

DType sum_type(const Problem& problem) {
    return is_scaled(problem) ? DType::kI32 : problem.output.type;
}

/// Compares bounds with the accumulator's limit. Double precision is exact for the values that
/// matter.
SumCheck sum_check(const Problem& problem) {
    const bool is_int32 = sum_type(problem) == DType::kI32;
    const double limit = static_cast<double>((std::int64_t{1} << (is_int32 ? 31 : 47)) - 1);
    const std::int64_t product = largest_value(problem.input.type, problem.input_zero.value) *
                                 largest_value(problem.weights.type, problem.weight_zero.value);
    const double sum = static_cast<double>(problem.terms()) * static_cast<double>(product);
    if (sum > limit) return SumCheck::kBoth;
    const auto bias = static_cast<double>(problem.bias.largest);
    return sum + bias > limit ? SumCheck::kResult : SumCheck::kNone;
}

/// Changes the rule of int32 sums to that of scaled sums. `product` bounds the products.
void add_scale(SumRule& rule, const Problem& problem, std::int64_t product, const Lanes& lanes) {
    const std::int64_t room = prim::kExactIntegers - problem.bias.largest;
    rule.single_pass = rule.single_pass && problem.terms() <= room / product;
    rule.scale = problem.epilogue->scale->plan(!rule.single_pass, problem.first_channel,
                                               problem.output_channels, lanes);
    rule.scale_form = problem.epilogue->scale->form;
    rule.epilogue_planes = rule.scale->planes();
}

}  // namespace

std::uint64_t SumRule::argument_words() const {
    constexpr std::uint64_t kOwnWords = 12;
    return kOwnWords + (scale ? 1 + scale->argument_words() : 0);
}

SumRule sum_rule(const Problem& problem, const Lanes& lanes) {
    SumRule rule;
    rule.sum = sum_type(problem);
    rule.stored = problem.output.type;
    if (problem.epilogue != nullptr && !is_scaled(problem)) {
        rule.epilogue_planes = problem.epilogue->program.planes();
        rule.epilogue_operands = static_cast<int>(problem.epilogue->stored.size());
    }
    const std::int64_t input = largest_limb(problem.input.type, problem.input_zero.value);
    const std::int64_t weight = largest_limb(problem.weights.type, problem.weight_zero.value);
    if (input == 0) return rule;
    const std::int64_t room = prim::kExactIntegers - (rule.sum == DType::kI32 ? kLowerHalf : 0);
    rule.exact_terms = room / (input * weight);
    const bool one_limb =
        limbs_of(problem.input.type) * limbs_of(problem.weights.stored_type()) == 1;
    // Half of int32's range leaves room to round sums to multiples of 2^16.
    constexpr std::int64_t kShortSum = std::int64_t{1} << 30;
    rule.short_sums = problem.terms() <= kShortSum / (input * weight);
    rule.single_pass = one_limb && problem.terms() <= rule.exact_terms;
    rule.check = sum_check(problem);
    if (is_scaled(problem)) add_scale(rule, problem, input * weight, lanes);
    return rule;
}

namespace {

/// Planes for converting sums to words (fp32 for floating point), in place.
SumMemory memory_of_sums(const SumRule& rule) {
    switch (rule.sum) {
        case DType::kI32:
            if (rule.single_pass) return {};
            return {.work_planes = 2, .scratch_planes = prim::kSumPlanes};
        case DType::kI48: return {.work_planes = 3, .scratch_planes = prim::kSumToInt48Planes};
        case DType::kUnknown:
        case DType::kBool:
        case DType::kI4:
        case DType::kI8:
        case DType::kI16:
        case DType::kFp16:
        case DType::kBf16:
        case DType::kFp32:
        case DType::kFp8E4M3:
        case DType::kFp8E5M2:
        case DType::kShape: return {};
    }
    __builtin_unreachable();
}

/// Memory including the ring of tiles that wait to be stored.
SumMemory memory_without_check(const SumRule& rule) {
    SumMemory memory = memory_of_sums(rule);
    memory.scratch_planes = std::max(memory.scratch_planes, rule.epilogue_planes);
    if (stored_bytes(rule.stored) == 4) return memory;
    // Sums have a separate plane and are packed, or written as two words, into the ring.
    memory.ring_planes = 0;
    memory.ring_bytes = stored_bytes(rule.stored);
    memory.work_planes += 1;
    if (rule.sum == DType::kI48) return memory;
    const WordForm form = rule.scale ? WordForm::kFloat : WordForm::kValue;
    memory.scratch_planes = std::max(memory.scratch_planes, narrow_planes(rule.stored, form));
    return memory;
}

}  // namespace

SumMemory sum_memory(const SumRule& rule) {
    SumMemory memory = memory_without_check(rule);
    if (rule.check == SumCheck::kNone) return memory;
    ++memory.work_planes;
    memory.scratch_planes = std::max(memory.scratch_planes, kCheckPlanes);
    return memory;
}

}  // namespace okksim::kernels::conv
