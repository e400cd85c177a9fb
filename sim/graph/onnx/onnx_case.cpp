// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/onnx/onnx_case.h"

#include <set>

#include "sim/files/mapped_file.h"
#include "sim/graph/npy.h"
#include "sim/graph/onnx/onnx_model.h"
#include "sim/graph/onnx/onnx_tensor.h"

namespace okksim::sim::graph::onnx {

namespace {

GraphSource mapped_source(const std::filesystem::path& file) {
    MappedFile mapped = map_file(file);
    return {mapped.bytes, std::move(mapped.owner), file.string()};
}

CaseEnd case_end(const ValueInfo& info) {
    return {std::string(info.name),
            info.is_tensor ? element_type(info.element_type) : ElementType::kUndefined};
}

/// Returns the .npy element type; empty if there is none.
std::string descr_of(ElementType type) {
    switch (type) {
        case ElementType::kFloat32: return "<f4";
        case ElementType::kFloat16: return "<f2";
        case ElementType::kFloat64: return "<f8";
        case ElementType::kBfloat16: return "<V2";
        case ElementType::kBool: return "|b1";
        case ElementType::kUint8: return "|u1";
        case ElementType::kInt8: return "|i1";
        case ElementType::kUint16: return "<u2";
        case ElementType::kInt16: return "<i2";
        case ElementType::kUint32: return "<u4";
        case ElementType::kInt32: return "<i4";
        case ElementType::kUint64: return "<u8";
        case ElementType::kInt64: return "<i8";
        default: return {};
    }
}

}  // namespace

CaseModel read_case_model(const std::filesystem::path& file) {
    const GraphSource source = mapped_source(file);
    const Model model = read_model(source);
    std::set<std::string_view> defaults;
    for (const TensorProto& tensor : model.graph.initializers) defaults.insert(tensor.name);
    for (const SparseTensorProto& tensor : model.graph.sparse_initializers) {
        defaults.insert(tensor.values.name);
    }
    CaseModel result;
    for (const ValueInfo& info : model.graph.inputs) {
        if (!defaults.contains(info.name)) result.inputs.push_back(case_end(info));
    }
    for (const ValueInfo& info : model.graph.outputs) result.outputs.push_back(case_end(info));
    if (!model.graph.nodes.empty()) result.op = model.graph.nodes[0].op_type;
    return result;
}

std::string write_case_value(const std::filesystem::path& file, const CaseEnd& end,
                             const std::filesystem::path& npy) {
    if (descr_of(end.type).empty()) return {};
    const GraphSource source = mapped_source(file);
    const TensorProto tensor = read_tensor_file(source);
    // Older tests store bfloat16 as uint16 with the same bits.
    const bool has_bits_only = end.type == ElementType::kBfloat16 &&
                               element_type(tensor.data_type) == ElementType::kUint16;
    const HostArray array = read_tensor(source, tensor, "tensor");
    const std::string descr = descr_of(has_bits_only ? end.type : array.type);
    if (!descr.empty()) write_npy(npy, descr, array.shape, array.bytes);
    return descr;
}

}  // namespace okksim::sim::graph::onnx
