// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/bdc_semantics.h"

#include "isa/errors.h"
#include "models/bdc/convolution.h"
#include "models/bdc/depthwise.h"
#include "models/bdc/fixed_point.h"
#include "models/bdc/matmul.h"
#include "models/bdc/max_pool.h"
#include "models/bdc/vector_commands.h"

namespace okksim::models {
namespace {

struct Resources {
    isa::Opcode opcode;
    LocalMemory& memory;
    LanePool& pool;
};

/// What the BDC does with the operands of each form; forms of other units have no overload.
struct Executor : Resources {
    template <typename Form>
    requires requires(Form f, Resources& e) { execute_vector(e.opcode, f, e.memory, e.pool); }
    void operator()(const Form& form) const { execute_vector(opcode, form, memory, pool); }
    template <typename Form>
    requires requires(Form f, Resources& e) { execute_vector(f, e.memory, e.pool); }
    void operator()(const Form& form) const { execute_vector(form, memory, pool); }
    template <typename Form>
    requires requires(Form f, Resources& e) { execute_fixed(e.opcode, f, e.memory, e.pool); }
    void operator()(const Form& form) const { execute_fixed(opcode, form, memory, pool); }
    template <typename Form>
    requires requires(Form f, Resources& e) { execute_fixed(f, e.memory, e.pool); }
    void operator()(const Form& form) const { execute_fixed(form, memory, pool); }

    void operator()(const isa::Convolution& form) const { execute_convolution(form, memory, pool); }
    void operator()(const isa::Depthwise& form) const { execute_depthwise(form, memory, pool); }
    void operator()(const isa::Pool& form) const {
        if (opcode == isa::Opcode::bdc_max_pool2d) {
            execute_max_pool(form, memory, pool);
        } else {
            execute_average_pool(form, memory, pool);
        }
    }
    void operator()(const isa::PoolScaled& form) const { execute_average_pool(form, memory, pool); }
    void operator()(const isa::MatrixMultiply& form) const { execute_matmul(form, memory, pool); }

    // The firmware expands these functions into other commands; GDMA commands have their own
    // engine.
    void operator()(const isa::SequenceWork&) const { OKKSIM_CHECK(false); }
    void operator()(const isa::SequenceWorkSeries&) const { OKKSIM_CHECK(false); }
    void operator()(const isa::SequenceInt8ToFp32&) const { OKKSIM_CHECK(false); }
    void operator()(const isa::SequenceSplitLow&) const { OKKSIM_CHECK(false); }
    void operator()(const isa::GdmaCopyToLocal&) const { OKKSIM_CHECK(false); }
    void operator()(const isa::GdmaCopyToSystem&) const { OKKSIM_CHECK(false); }
    void operator()(const isa::GdmaCopyLocal&) const { OKKSIM_CHECK(false); }
    void operator()(const isa::GdmaCopySystem&) const { OKKSIM_CHECK(false); }
    void operator()(const isa::GdmaMatrixToLocal&) const { OKKSIM_CHECK(false); }
    void operator()(const isa::GdmaMatrixToSystem&) const { OKKSIM_CHECK(false); }
    void operator()(const isa::GdmaFillSystem&) const { OKKSIM_CHECK(false); }
    void operator()(const isa::GdmaFillLocal&) const { OKKSIM_CHECK(false); }
};

}  // namespace

void execute_bdc(const isa::Command& command, LocalMemory& memory, LanePool& pool) {
    isa::visit_operands(command, Executor{{command.opcode, memory, pool}});
}

}  // namespace okksim::models
