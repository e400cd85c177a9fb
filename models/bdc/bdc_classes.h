// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/bdc/bdc_laws.h"

namespace okksim::models {

/// Cost formula, parameters and operations of a timing class of the compute engine. One struct per
/// row of isa/timing_classes.def. A class does not compile if its formula does not exist or takes
/// other parameters.
template <isa::TimingClass timing>
struct BdcClass;

#define OKKSIM_CLASS_kGdma(...)
#define OKKSIM_CLASS_kBdc(name, law, values, each)                                                \
    template <>                                                                                   \
    struct BdcClass<isa::TimingClass::name> {                                                     \
        using Law = laws::law;                                                                    \
        static constexpr std::int64_t kOperations = each;                                         \
        static constexpr auto parameters([[maybe_unused]] const BdcParams& p) {                   \
            using laws::cycles;                                                                   \
            return values;                                                                        \
        }                                                                                         \
    };                                                                                            \
    static_assert(                                                                                \
        std::tuple_size_v<decltype(BdcClass<isa::TimingClass::name>::parameters(BdcParams{}))> == \
            laws::law::kParameters,                                                               \
        "timing_classes.def: the row " #name " gives the formula " #law                           \
        " another number of parameters than it takes: " #values);
#define OKKSIM_TIMING_CLASS(name, engine, law, parameters, operations, ...) \
    OKKSIM_CLASS_##engine(name, law, parameters, operations)
#include "isa/timing_classes.def"
#undef OKKSIM_TIMING_CLASS
#undef OKKSIM_CLASS_kGdma
#undef OKKSIM_CLASS_kBdc

/// True for instructions of the compute engine.
constexpr bool is_bdc_command(isa::Engine engine, isa::InstructionKind kind) {
    return engine == isa::Engine::kBdc && kind != isa::InstructionKind::kSequence;
}

}  // namespace okksim::models
