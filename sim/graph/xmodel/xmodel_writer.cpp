// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/xmodel/xmodel_writer.h"

#include "xmodel.pb.h"

namespace okksim::sim::graph {

namespace {

void set(xmodel::Attribute& to, bool value) { to.set_flag(value); }
void set(xmodel::Attribute& to, std::int64_t value) {
    to.set_int32(static_cast<std::int32_t>(value));
}
void set(xmodel::Attribute& to, double value) { to.set_float32(static_cast<float>(value)); }
void set(xmodel::Attribute& to, const std::string& value) { to.set_text(value); }
void set(xmodel::Attribute& to, const Shape& values) {
    to.mutable_int32_list();
    for (const std::int64_t value : values) {
        to.mutable_int32_list()->add_values(static_cast<std::int32_t>(value));
    }
}
void set(xmodel::Attribute& to, const std::vector<double>& values) {
    to.mutable_float_list();
    for (const double value : values) {
        to.mutable_float_list()->add_values(static_cast<float>(value));
    }
}

template <typename Entries>
void add(Entries& entries, const std::string& key, const XmodelAttribute& value) {
    xmodel::AttributeEntry& entry = *entries.Add();
    entry.set_key(key);
    std::visit([&](const auto& held) { set(*entry.mutable_value(), held); }, value);
}

void set_output(xmodel::Node& node, const XmodelResult& result) {
    xmodel::Output& output = *node.mutable_output();
    output.set_name(node.name());
    for (const std::int64_t size : result.shape) {
        output.add_dimensions(static_cast<std::uint32_t>(size));
    }
    output.set_kind(static_cast<std::int32_t>(result.type.kind));
    output.set_bits(result.type.bits);
    if (!result.fix_point) return;
    add(*output.mutable_attributes(), "fix_point", std::int64_t{*result.fix_point});
    add(*output.mutable_attributes(), "round_mode", result.round_mode);
}

}  // namespace

XmodelWriter::XmodelWriter() : file_(std::make_unique<xmodel::File>()) {}
XmodelWriter::XmodelWriter(XmodelWriter&& other) noexcept = default;
XmodelWriter::~XmodelWriter() = default;

void XmodelWriter::node(const std::string& type, const std::string& name,
                        const XmodelArguments& arguments, const XmodelAttributes& attributes,
                        const XmodelResult& result) {
    xmodel::Node& node = *file_->add_nodes();
    node.set_name(name);
    node.set_type(type);
    for (const auto& [argument, nodes] : arguments) {
        xmodel::Argument& list = *node.add_arguments();
        list.set_name(argument);
        for (const std::string& each : nodes) list.add_nodes(each);
    }
    for (const auto& [key, value] : attributes) add(*node.mutable_attributes(), key, value);
    set_output(node, result);
}

void XmodelWriter::constant(const std::string& type, const std::string& name,
                            const XmodelResult& result, std::span<const std::byte> data) {
    node(type, name, {}, {}, result);
    xmodel::AttributeEntry& entry =
        *file_->mutable_nodes(file_->nodes_size() - 1)->add_attributes();
    entry.set_key("data");
    entry.mutable_value()->mutable_bytes()->set_value(
        std::string(reinterpret_cast<const char*>(data.data()), data.size()));
}

std::vector<std::uint8_t> XmodelWriter::bytes() const {
    const std::string text = file_->SerializeAsString();
    return {text.begin(), text.end()};
}

}  // namespace okksim::sim::graph
