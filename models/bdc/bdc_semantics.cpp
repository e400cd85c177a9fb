// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/bdc_semantics.h"

#include <type_traits>

#include "isa/base/errors.h"
#include "models/bdc/fixed/fixed_commands.h"
#include "models/bdc/layers/convolution.h"
#include "models/bdc/layers/depthwise.h"
#include "models/bdc/layers/matmul.h"
#include "models/bdc/layers/max_pool.h"
#include "models/bdc/typed/cast_op.h"
#include "models/bdc/typed/half_ops.h"
#include "models/bdc/typed/half_windows.h"
#include "models/bdc/typed/int_windows.h"
#include "models/bdc/typed/typed_commands.h"
#include "models/bdc/typed/typed_ops.h"
#include "models/bdc/vector/vector_commands.h"

namespace okksim::models {
namespace {

using Execute = void (*)(const isa::Command& command, LocalMemory& memory, LanePool& pool);

/// Carries out a command with the array function that its row names.
template <typename Form, auto kFunction>
void execute_array(const isa::Command& command, LocalMemory& memory, LanePool& pool) {
    kFunction(command.as<Form>(), memory, pool);
}

// The function for a row, selected by its semantics column; nullptr for rows of other units.
#define OKKSIM_EXECUTE_vector(form, op) execute_vector<isa::form>
#define OKKSIM_EXECUTE_fixed(form, op, types) execute_fixed<isa::form>
#define OKKSIM_EXECUTE_typed(form, ...) (execute_typed<isa::form, __VA_ARGS__>)
#define OKKSIM_EXECUTE_array(form, name)                                                           \
    (execute_array<isa::form, [](const isa::form& operands, LocalMemory& memory, LanePool& pool) { \
        execute_##name(operands, memory, pool);                                                    \
    }>)
#define OKKSIM_EXECUTE_mover(form, name) nullptr
#define OKKSIM_EXECUTE_sequence(form, name) nullptr
#define OKKSIM_WITH_vector(...) vector, __VA_ARGS__
#define OKKSIM_WITH_fixed(...) fixed, __VA_ARGS__
#define OKKSIM_WITH_array(...) array, __VA_ARGS__
#define OKKSIM_WITH_typed(...) typed, __VA_ARGS__
#define OKKSIM_WITH_mover(...) mover, __VA_ARGS__
#define OKKSIM_WITH_sequence(...) sequence, __VA_ARGS__
#define OKKSIM_EXECUTE(form, ...) OKKSIM_EXECUTE_(form, __VA_ARGS__)
#define OKKSIM_EXECUTE_(form, kind, ...) OKKSIM_EXECUTE_##kind(form, __VA_ARGS__)

using namespace typed_ops;  // operations that rows name
constexpr std::array<Execute, isa::kInstructionCount> kExecute{
#define OKKSIM_INSTRUCTION(code, name, form, data, timing, kind, semantics, ...) \
    OKKSIM_EXECUTE(form, OKKSIM_WITH_##semantics),
#include "isa/instructions.def"
#undef OKKSIM_INSTRUCTION
};

}  // namespace

void execute_bdc(const isa::Command& command, LocalMemory& memory, LanePool& pool) {
    const Execute execute = kExecute[isa::row_index(command.info())];
    OKKSIM_CHECK(execute != nullptr);
    execute(command, memory, pool);
}

}  // namespace okksim::models
