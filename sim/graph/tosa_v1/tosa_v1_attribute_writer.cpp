// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/tosa_v1/tosa_v1_attribute_writer.h"

#include <algorithm>
#include <array>

namespace okksim::sim::graph {

namespace {

using flatbuffers::FlatBufferBuilder;
using AttributeOffset = flatbuffers::Offset<void>;

template <std::size_t N>
auto vector_of(FlatBufferBuilder& builder, const std::array<std::int32_t, N>& values) {
    return builder.CreateVector(values.data(), values.size());
}

wire::NanPropagationMode wire_mode(NanPropagationMode mode) {
    return static_cast<wire::NanPropagationMode>(mode);
}

std::span<const std::byte> value_bytes(const ElementBytes& value) {
    return std::as_bytes(std::span(value.bytes).first(std::min(value.size, 8U)));
}

/// Writes attribute tables: one overload per attribute struct, which returns the table's offset.
struct AttributeWriter {
    FlatBufferBuilder& b;
    const Graph& graph;
    OpCode op;

    // Tables without fields have the same bytes for every operator.
    AttributeOffset operator()(const NoAttributes&) {
        return wire::CreateConstAttribute(b).Union();
    }
    AttributeOffset operator()(const VariableAttributes&) { return (*this)(NoAttributes{}); }
    AttributeOffset operator()(const ArgmaxAttributes& a) {
        return wire::CreateArgMaxAttribute(b, a.axis, wire_mode(a.nan_mode)).Union();
    }
    AttributeOffset operator()(const AvgPool2dAttributes& a) {
        const auto kernel = vector_of(b, a.kernel);
        const auto stride = vector_of(b, a.stride);
        const auto pad = vector_of(b, a.pad);
        return wire::CreateAvgPool2dAttribute(b, kernel, stride, pad, wire_type(a.acc_type))
            .Union();
    }
    AttributeOffset operator()(const Conv2dAttributes& a) {
        const auto pad = vector_of(b, a.pad);
        const auto stride = vector_of(b, a.stride);
        const auto dilation = vector_of(b, a.dilation);
        return wire::CreateConv2dAttribute(b, pad, stride, dilation, a.local_bound,
                                           wire_type(a.acc_type))
            .Union();
    }
    AttributeOffset operator()(const Conv3dAttributes& a) {
        const auto pad = vector_of(b, a.pad);
        const auto stride = vector_of(b, a.stride);
        const auto dilation = vector_of(b, a.dilation);
        return wire::CreateConv3dAttribute(b, pad, stride, dilation, a.local_bound,
                                           wire_type(a.acc_type))
            .Union();
    }
    AttributeOffset operator()(const DepthwiseConv2dAttributes& a) {
        const auto pad = vector_of(b, a.pad);
        const auto stride = vector_of(b, a.stride);
        const auto dilation = vector_of(b, a.dilation);
        return wire::CreateDepthwiseConv2dAttribute(b, pad, stride, dilation, a.local_bound,
                                                    wire_type(a.acc_type))
            .Union();
    }
    AttributeOffset operator()(const TransposeConv2dAttributes& a) {
        const auto out_pad = vector_of(b, a.out_pad);
        const auto stride = vector_of(b, a.stride);
        return wire::CreateTransposeConv2dAttribute(b, out_pad, stride, a.local_bound,
                                                    wire_type(a.acc_type))
            .Union();
    }
    AttributeOffset operator()(const Fft2dAttributes& a) {
        return wire::CreateFFT2dAttribute(b, a.inverse, a.local_bound).Union();
    }
    AttributeOffset operator()(const Rfft2dAttributes& a) {
        return wire::CreateRFFT2dAttribute(b, a.local_bound).Union();
    }
    AttributeOffset operator()(const MaxPool2dAttributes& a) {
        const auto kernel = vector_of(b, a.kernel);
        const auto stride = vector_of(b, a.stride);
        const auto pad = vector_of(b, a.pad);
        return wire::CreateMaxPool2dAttribute(b, kernel, stride, pad, wire_mode(a.nan_mode))
            .Union();
    }
    AttributeOffset operator()(const ClampAttributes& a) {
        const auto min = bytes_of(b, value_bytes(a.min_val));
        const auto max = bytes_of(b, value_bytes(a.max_val));
        return wire::CreateClampAttribute(b, min, max, wire_mode(a.nan_mode)).Union();
    }
    AttributeOffset operator()(const ArithmeticRightShiftAttributes& a) {
        return wire::CreateArithmeticRightShiftAttribute(b, a.round).Union();
    }
    AttributeOffset operator()(const MaximumAttributes& a) {
        return wire::CreateMaximumAttribute(b, wire_mode(a.nan_mode)).Union();
    }
    AttributeOffset operator()(const MinimumAttributes& a) {
        return wire::CreateMinimumAttribute(b, wire_mode(a.nan_mode)).Union();
    }
    AttributeOffset operator()(const ReduceAllAttributes& a) {
        return wire::CreateReduceAllAttribute(b, a.axis).Union();
    }
    AttributeOffset operator()(const ReduceAnyAttributes& a) {
        return wire::CreateReduceAnyAttribute(b, a.axis).Union();
    }
    AttributeOffset operator()(const ReduceMaxAttributes& a) {
        return wire::CreateReduceMaxAttribute(b, a.axis, wire_mode(a.nan_mode)).Union();
    }
    AttributeOffset operator()(const ReduceMinAttributes& a) {
        return wire::CreateReduceMinAttribute(b, a.axis, wire_mode(a.nan_mode)).Union();
    }
    AttributeOffset operator()(const ReduceProductAttributes& a) {
        return wire::CreateReduceProductAttribute(b, a.axis).Union();
    }
    AttributeOffset operator()(const ReduceSumAttributes& a) {
        return wire::CreateReduceSumAttribute(b, a.axis).Union();
    }
    AttributeOffset operator()(const ConcatAttributes& a) {
        return wire::CreateConcatAttribute(b, a.axis).Union();
    }
    AttributeOffset operator()(const ReverseAttributes& a) {
        return wire::CreateReverseAttribute(b, a.axis).Union();
    }
    AttributeOffset operator()(const TransposeAttributes& a) {
        return wire::CreateTransposeAttributeDirect(b, &a.perms).Union();
    }
    AttributeOffset operator()(const ResizeAttributes& a) {
        return wire::CreateResizeAttribute(b, static_cast<wire::ResizeMode>(a.mode)).Union();
    }
    AttributeOffset operator()(const RescaleAttributes& a) {
        return wire::CreateRescaleAttribute(b, a.scale32,
                                            static_cast<wire::RoundingMode>(a.rounding_mode),
                                            a.per_channel, a.input_unsigned, a.output_unsigned)
            .Union();
    }
    AttributeOffset operator()(const CustomAttributes& a) {
        return wire::CreateCustomAttributeDirect(b, a.operator_name.c_str(), a.domain_name.c_str(),
                                                 &a.implementation_attrs)
            .Union();
    }
    AttributeOffset operator()(const CondIfAttributes& a) {
        const auto then_graph = b.CreateString(name_of(a.then_graph.block));
        const auto else_graph = b.CreateString(name_of(a.else_graph.block));
        return wire::CreateCondIfAttribute(b, then_graph, else_graph).Union();
    }
    AttributeOffset operator()(const WhileLoopAttributes& a) {
        const auto cond_graph = b.CreateString(name_of(a.cond_graph.block));
        const auto body_graph = b.CreateString(name_of(a.body_graph.block));
        return wire::CreateWhileLoopAttribute(b, cond_graph, body_graph).Union();
    }

    /// The first block of a region is referred to by the region's name, others by their own names.
    const std::string& name_of(BlockReference reference) const {
        const Region& region = graph.regions[reference.region];
        return reference.block == 0 && reference.region > 0 ? region.name
                                                            : region.blocks[reference.block].name;
    }
};

}  // namespace

flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> bytes_of(FlatBufferBuilder& builder,
                                                                std::span<const std::byte> data) {
    builder.ForceVectorAlignment(data.size(), 1, 8);
    return builder.CreateVector(reinterpret_cast<const std::uint8_t*>(data.data()), data.size());
}

flatbuffers::Offset<void> write_attributes(FlatBufferBuilder& builder, const Graph& graph,
                                           const Operator& op) {
    return std::visit(AttributeWriter{builder, graph, op.op}, op.attributes.get());
}

}  // namespace okksim::sim::graph
