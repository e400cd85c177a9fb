// SPDX-License-Identifier: Apache-2.0
#include "models/chip/value_check.h"

#include <algorithm>
#include <cstring>

#include "isa/disassembler.h"
#include "isa/layer_form.h"
#include "models/memory/element_places.h"
#include "models/memory/listed_rows.h"
#include "models/memory/overlap.h"

namespace okksim::models {
namespace {

/// Index range of a lookup table.
struct Domain {
    std::int32_t low = 0;
    std::int32_t high = 0;
    const char* beyond = "";
};

std::optional<Domain> domain_of(const isa::Command& command, const isa::Command& before) {
    if (command.opcode == isa::Opcode::bdc_lookup_exp) {
        return Domain{-103, 88,
                      "for which the table of e^k has no entry (exp, sigmoid and tanh use it and "
                      "are defined for [-103, 88])"};
    }
    // The lookup uses the low byte. The firmware also applies it to words of four packed integers.
    // Right after a conversion, however, the words are single integers.
    if (command.opcode == isa::Opcode::bdc_lookup_int32_to_fp32 &&
        converts_for_tables(before.opcode) &&
        before.as<isa::VectorUnary>().dst_addr == command.as<isa::VectorUnary>().src_addr) {
        return Domain{-128, 127,
                      "of which only the low byte is used (exp, sigmoid and tanh begin with it and "
                      "are defined for [-103, 88])"};
    }
    return std::nullopt;
}

std::string text_of(const isa::Dim4& index) {
    return "(" + std::to_string(index.n) + ", " + std::to_string(index.c) + ", " +
           std::to_string(index.h) + ", " + std::to_string(index.w) + ")";
}

bool same_place(const isa::TensorView& a, const isa::TensorView& b) {
    const auto step = [](std::int32_t extent, std::int32_t x, std::int32_t y) {
        return extent == 1 || x == y;
    };
    return a.local_addr == b.local_addr && a.system_addr == b.system_addr &&
           a.element_bytes == b.element_bytes && a.shape == b.shape &&
           step(a.shape.n, a.stride.n, b.stride.n) && step(a.shape.c, a.stride.c, b.stride.c) &&
           step(a.shape.h, a.stride.h, b.stride.h) && step(a.shape.w, a.stride.w, b.stride.w);
}

/// True if a tensor fills its touched interval, so that two such tensors overlap if their intervals
/// do.
bool is_dense(const isa::TensorView& view, const isa::ByteInterval& touched) {
    return view.shape.count() * view.element_bytes == touched.high - touched.low;
}

bool apart(const isa::ByteInterval& a, const isa::ByteInterval& b) {
    return a.high <= b.low || b.high <= a.low;
}

/// True if every tensor repeats its elements in each dimension in which the result does. All
/// results of an address are then the same value.
bool repeats_values(const isa::Command& command, const isa::TensorViews& views,
                    const isa::TensorView& result, const isa::MachineShape& machine) {
    if (isa::is_layer(command.info().form) || result.access != isa::Access::kWrite) return false;
    isa::TensorView once = result;
    const auto reduce = [&](std::int32_t isa::Dim4::*dimension) {
        const bool all = std::ranges::all_of(views, [&](const isa::TensorView& view) {
            return view.stride.*dimension == 0 || view.shape.*dimension == 1;
        });
        if (all) once.shape.*dimension = 1;
    };
    for (const auto dimension : {&isa::Dim4::n, &isa::Dim4::h, &isa::Dim4::w}) reduce(dimension);
    const isa::ByteInterval written = isa::touched_bytes(result, machine);
    return !shares_own_memory(once, machine) &&
           std::ranges::all_of(views, [&](const isa::TensorView& view) {
               return &view == &result || view.local != result.local ||
                      apart(written, isa::touched_bytes(view, machine));
           });
}

/// Returns which result has elements that share memory. A command without a source stores the same
/// constant everywhere.
std::optional<std::string> find_shared_elements(const isa::Command& command,
                                                const isa::TensorViews& views,
                                                const isa::MachineShape& machine) {
    if (scatters_rows(command)) return std::nullopt;  // the list chooses the rows
    const bool has_source = std::ranges::any_of(
        views, [](const isa::TensorView& view) { return view.access != isa::Access::kWrite; });
    if (!has_source) return std::nullopt;
    for (const isa::TensorView& result : views) {
        if (result.access == isa::Access::kRead || !shares_own_memory(result, machine)) continue;
        if (repeats_values(command, views, result, machine)) continue;
        return isa::mnemonic(command.info()) + ": several elements of " + result.operand +
               " share memory, so the value that stays is undefined; give it strides that keep its "
               "elements apart";
    }
    return std::nullopt;
}

}  // namespace

bool converts_for_tables(isa::Opcode opcode) { return opcode == isa::Opcode::bdc_fp32_to_int32; }

bool looks_up(isa::Opcode opcode) {
    return opcode == isa::Opcode::bdc_lookup_exp || opcode == isa::Opcode::bdc_lookup_int32_to_fp32;
}

std::optional<std::string> find_bad_values(
    const isa::Command& command, const isa::Command& before, const isa::TensorViews& views,
    LocalMemory& local, const isa::MachineShape& machine,
    const std::function<bool(std::int32_t lane, std::int64_t offset)>& is_defined) {
    const auto domain = domain_of(command, before);
    if (!domain) return std::nullopt;
    std::int64_t bad = 0;
    std::string first;
    for_each_element(views[1], [&](const isa::Dim4& at) {
        const ElementPlace place = place_of(views[1], at, machine);
        std::int32_t value = 0;
        std::memcpy(&value, local.at(place.lane, place.at), sizeof value);
        if (value >= domain->low && value <= domain->high) return;
        if (!is_defined(place.lane, place.at)) return;
        if (bad++ == 0) first = text_of(at) + " = " + std::to_string(value);
    });
    if (bad == 0) return std::nullopt;
    return isa::mnemonic(command.info()) + ": " + std::to_string(bad) + " of " +
           std::to_string(views[1].element_count()) + " elements are outside [" +
           std::to_string(domain->low) + ", " + std::to_string(domain->high) + "], the first at " +
           first + ", " + domain->beyond + "; clamp them with okk_bdc_max_C and okk_bdc_min_C";
}

std::optional<std::string> find_overlap(const isa::Command& command, const isa::TensorViews& views,
                                        const isa::MachineShape& machine) {
    const bool is_layer = isa::is_layer(command.info().form);
    // Compute commands beyond the API reference read all sources first (isa/definitions.md).
    const isa::InstructionInfo& row = command.info();
    if (row.feature != isa::Feature::kBase && row.engine == isa::Engine::kBdc) return std::nullopt;
    if (auto problem = find_shared_elements(command, views, machine)) return problem;
    const bool by_list = gathers_rows(command) || scatters_rows(command);
    for (const isa::TensorView& result : views) {
        if (result.access == isa::Access::kRead) continue;
        const isa::ByteInterval written = isa::touched_bytes(result, machine);
        for (const isa::TensorView& source : views) {
            if (source.access != isa::Access::kRead || source.local != result.local) continue;
            if (same_place(result, source) && !is_layer && !by_list) continue;
            const isa::ByteInterval read = isa::touched_bytes(source, machine);
            if (apart(written, read)) continue;
            std::string where = "global memory or L2-SRAM";
            if (result.local) {
                const auto place = shared_place(result, source, machine);
                if (!place) continue;
                if (!is_layer && !reads_own_results(result, source, machine)) continue;
                where = place->text();
            } else if (!is_dense(result, written) || !is_dense(source, read)) {
                continue;
            }
            return isa::mnemonic(command.info()) + ": " + result.operand + " and " +
                   source.operand + " share " + where +
                   " but are not the same tensor, so the command reads overwritten elements; "
                   "separate them or make them equal";
        }
    }
    return std::nullopt;
}

}  // namespace okksim::models
