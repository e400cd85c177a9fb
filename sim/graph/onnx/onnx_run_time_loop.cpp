// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/onnx/onnx_run_time_loop.h"

#include "sim/graph/onnx/onnx_walk.h"

namespace okksim::sim::graph::onnx {

namespace {

/// A loop whose end is known only at run time: WHILE_LOOP over the iteration (i32), the condition
/// and the carried values.
class RunTimeLoop {
 public:
    RunTimeLoop(const Call& call, const GraphProto& graph)
        : call_(call), graph_(graph), walk_(call.walk()) {
        state_ = {&known_temporary(walk_, make_array(ElementType::kInt32, {}, Shape{0})),
                  call.has_input(1)
                      ? &call.input(1)
                      : &known_temporary(walk_, make_array(ElementType::kBool, {}, Shape{1}))};
        for (std::size_t n = kFirst; n < call.input_count(); ++n) state_.push_back(&call.input(n));
        if (graph.outputs.size() + 1 > state_.size()) {
            throw UnsupportedPart("scan outputs and a length that is known only at run time");
        }
    }

    void lower() {
        OperatorBuilder& ops = call_.ops();
        std::vector<TensorIndex> operands, results;
        for (std::size_t i = 0; i < state_.size(); ++i) {
            const TensorIndex tensor = call_.tensors().declared(*state_[i]);
            operands.push_back(ops.reshape(tensor, shape(i), "state"));
        }
        WhileLoopAttributes attributes;
        attributes.cond_graph.block = condition();
        attributes.body_graph.block = body();
        for (const TensorIndex operand : operands) {
            results.push_back(
                ops.block().temporary(ops.type(operand), ops.shape(operand), "result"));
        }
        ops.block().add(OpCode::kWhileLoop, attributes, operands, results);
        for (std::size_t i = kFirst; i < state_.size(); ++i) {
            call_.set_tensor(i - kFirst, state_[i]->type, state_[i]->shape, results[i]);
        }
    }

 private:
    static constexpr std::size_t kFirst = 2;  ///< the first carried value

    Shape shape(std::size_t i) const { return i < kFirst ? Shape{} : state_[i]->shape; }

    std::vector<Value*> begin(const std::string& name, BlockReference& block) {
        block = walk_.begin_block(std::string(call_.node().name) + name);
        std::vector<Value*> own;
        for (std::size_t i = 0; i < state_.size(); ++i) {
            own.push_back(&walk_.add_block_input(state_[i]->type, shape(i), "state"));
        }
        return own;
    }

    Value& scalar(ElementType type, TensorIndex tensor) {
        Value& value = walk_.temporary();
        value.type = type;
        value.declared = tensor;
        return value;
    }

    BlockReference condition() {
        BlockReference block;
        const std::vector<Value*> own = begin(".condition", block);
        OperatorBuilder& ops = walk_.ops();
        TensorIndex goes_on = *own[1]->declared;
        if (Value* limit = walk_.local(call_.optional_input(0))) {
            const TensorIndex most = ops.reshape(walk_.tensors().declared(*limit), {}, "limit");
            const TensorIndex is_below =
                ops.test(OpCode::kGreater, most, *own[0]->declared, "below");
            goes_on = ops.binary(OpCode::kLogicalAnd, goes_on, is_below, "goes_on");
        }
        walk_.add_block_output(scalar(ElementType::kBool, goes_on));
        walk_.end_block();
        return block;
    }

    BlockReference body() {
        BlockReference block;
        std::vector<Value*> own = begin(".body", block);
        OperatorBuilder& ops = walk_.ops();
        const TensorIndex iteration = *own[0]->declared;
        own[0] = &scalar(ElementType::kInt64, iteration);
        const std::vector<Value*> outputs = walk_.inline_graph(call_.node(), graph_, own);
        const TensorIndex one = ops.number(DType::kI32, 0, 1);
        walk_.add_block_output(
            scalar(ElementType::kInt32, ops.binary(OpCode::kAdd, iteration, one, "next")));
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            check(*outputs[i], i);
            if (i == 0) {
                const TensorIndex goes_on = walk_.tensors().declared(*outputs[0]);
                walk_.add_block_output(
                    scalar(ElementType::kBool, ops.reshape(goes_on, {}, "condition")));
            } else {
                walk_.add_block_output(*outputs[i]);
            }
        }
        walk_.end_block();
        return block;
    }

    void check(const Value& output, std::size_t i) {
        if (!output.is_unread && (i == 0 || output.shape == shape(i + 1))) return;
        walk_.end_block();
        if (output.is_unread) throw UnreadOperand();
        throw UnsupportedPart("loop values whose shape changes at run time");
    }

    const Call& call_;
    const GraphProto& graph_;
    Walk& walk_;
    std::vector<Value*> state_;
};

}  // namespace

void lower_run_time_loop(const Call& call, const GraphProto& graph) {
    RunTimeLoop(call, graph).lower();
}

}  // namespace okksim::sim::graph::onnx
