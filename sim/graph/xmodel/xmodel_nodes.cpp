// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/xmodel/xmodel_nodes.h"

#include <google/protobuf/stubs/logging.h>

#include <climits>

#include "sim/graph/execution_order.h"

namespace okksim::sim::graph::xmodel {

namespace {

std::string text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <typename Message>
bool is_message(std::span<const std::byte> bytes) {
    return Message().ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

}  // namespace

NodeTable::NodeTable(const GraphSource& source) : source_(source) {
    if (source.bytes.size() > INT_MAX) {
        fail("", "the container is larger than 2 GiB, the limit of its format");
    }
    WireFields fields(source.bytes);
    while (fields.next()) {
        if (fields.number() != WireFields::kFileNodes) continue;
        const std::uint32_t index = size();
        const std::span<const std::byte> node = fields.bytes();
        places_.push_back(
            {static_cast<std::uint32_t>(offset(node)), static_cast<std::uint32_t>(node.size())});
        if (name(index).empty())
            fail("nodes[" + std::to_string(index) + "]",
                 "has no name; every operator needs a name");
        if (!names_.insert(index))
            fail(place(index), "the name is already used; every operator needs a unique name");
    }
    if (!fields.is_damaged()) return;
    const bool is_node = fields.number() == WireFields::kFileNodes;
    const std::string broken = is_node ? std::string(node_name(fields.bytes())) : "";
    fail_broken(broken.empty() ? "nodes[" + std::to_string(size()) + "]" : "operator " + broken,
                fields.whole(), fields.missing());
}

void NodeTable::fail(const std::string& place, const std::string& message, FileProblem problem,
                     UnreadItems unread) const {
    const char* advice = problem == FileProblem::kDamaged ? kFetchOrCorrect : "";
    throw GraphFileError(source_.name, place, std::nullopt, message + advice, problem,
                         std::move(unread));
}

/// `field` begins at the first byte that is not part of a valid container.
void NodeTable::fail_broken(const std::string& place, std::span<const std::byte> field,
                            std::uint64_t missing) const {
    throw GraphFileError(
        source_.name, place, offset(field),
        missing > 0
            ? "the file ends " + std::to_string(missing) + (missing == 1 ? " byte" : " bytes") +
                  " before the end of the field that begins here: it is truncated; fetch it again"
            : "no field of a .xmodel container begins here: the file is damaged; fetch it again");
}

/// Reports the part of the operator that cannot be unpacked.
void NodeTable::fail_node(std::uint32_t index) const {
    enum Field : std::uint32_t {
        kName = 1,
        kType = 2,
        kAttributes = 3,
        kArguments = 4,
        kOutput = 5
    };
    WireFields fields((*this)[index]);
    while (fields.next()) {
        const std::uint32_t field = fields.number();
        const bool is_whole = field == kAttributes  ? is_message<AttributeEntry>(fields.bytes())
                              : field == kArguments ? is_message<Argument>(fields.bytes())
                              : field == kOutput    ? is_message<Output>(fields.bytes())
                                                    : true;
        if (is_whole) continue;
        const std::string_view what = field == kAttributes  ? "an attribute"
                                      : field == kArguments ? "an argument"
                                                            : "the description of its result";
        throw GraphFileError(source_.name, place(index), offset(fields.whole()),
                             std::string(what) + " is damaged; fetch the file again");
    }
    if (fields.is_damaged()) fail_broken(place(index), fields.whole(), 0);
    fail(place(index), "its name or type is no text");
}

Name NodeTable::name(std::uint32_t index) const { return Name(node_name((*this)[index])); }

Node NodeTable::unpacked(std::uint32_t index) const {
    const google::protobuf::LogSilencer silencer;  // the exception contains the message
    Node node;
    const std::span<const std::byte> bytes = (*this)[index];
    const std::span<const std::byte> data = node_data_field(bytes);
    // The parts before and after the constant's data are messages; the second is merged into the
    // first.
    const std::span<const std::byte> before =
        data.empty() ? bytes : bytes.first(static_cast<std::size_t>(data.data() - bytes.data()));
    const std::span<const std::byte> after = bytes.subspan(before.size() + data.size());
    if (!node.ParseFromArray(before.data(), static_cast<int>(before.size())) ||
        !node.MergeFromString(text_of(after))) {
        fail_node(index);
    }
    return node;
}

std::uint32_t NodeTable::find(std::string_view wanted, std::string_view user) const {
    if (const auto found = names_.find(wanted)) return *found;
    fail("operator " + std::string(user),
         "takes the result of \"" + std::string(wanted) + "\", which is no operator of the file");
}

std::vector<std::uint32_t> NodeTable::order() const {
    const auto needed = [this](std::uint32_t index, auto&& visit) {
        for_each_needed(index, visit);
    };
    bool is_ordered = true;
    for (std::uint32_t i = 0; i < size(); ++i) {
        needed(i, [&](std::uint32_t before) { is_ordered = is_ordered && before < i; });
    }
    if (is_ordered) return {};
    std::vector<std::uint32_t> order = execution_order(size(), needed);
    if (order.size() == size()) return order;
    std::vector<bool> is_in(size());
    for (const std::uint32_t index : order) is_in[index] = true;
    std::uint32_t first = 0;
    while (is_in[first]) ++first;
    fail(place(first), "depends on its own result: a graph has no cycles");
}

}  // namespace okksim::sim::graph::xmodel
