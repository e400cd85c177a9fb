// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/xmodel/xmodel_node.h"

#include <cmath>
#include <limits>

#include "sim/graph/graph.h"
#include "sim/graph/graph_errors.h"

namespace okksim::sim::graph::xmodel {

namespace {

template <typename Entries>
const Attribute* find_entry(const Entries& entries, std::string_view key) {
    for (const AttributeEntry& entry : entries) {
        if (entry.key() == key) return &entry.value();
    }
    return nullptr;
}

std::optional<std::int64_t> whole(double value) {
    constexpr double kLimit = 9.0e15;  // all whole numbers below are exact
    if (!(std::fabs(value) < kLimit) || value != std::floor(value)) return std::nullopt;
    return static_cast<std::int64_t>(value);
}

std::optional<double> real_of(const Attribute& value) {
    switch (value.value_case()) {
        case Attribute::kFloat32: return static_cast<double>(value.float32());
        case Attribute::kFloat64: return value.float64();
        default: break;
    }
    const auto integer = integer_of(value);
    if (!integer) return std::nullopt;
    return static_cast<double>(*integer);
}

template <typename T, typename List>
std::vector<T> copied(const List& list) {
    return std::vector<T>(list.values().begin(), list.values().end());
}

/// Returns all numbers of a list; nothing for another kind of value.
std::optional<std::vector<double>> reals_of(const Attribute& value) {
    switch (value.value_case()) {
        case Attribute::kInt32List: return copied<double>(value.int32_list());
        case Attribute::kUint32List: return copied<double>(value.uint32_list());
        case Attribute::kFloatList: return copied<double>(value.float_list());
        case Attribute::kDoubleList: return copied<double>(value.double_list());
        case Attribute::kInt64List: return copied<double>(value.int64_list());
        case Attribute::kUint64List: return copied<double>(value.uint64_list());
        default: break;
    }
    const auto single = real_of(value);
    if (!single) return std::nullopt;
    return std::vector<double>{*single};
}

}  // namespace

std::optional<std::int64_t> integer_of(const Attribute& value) {
    switch (value.value_case()) {
        case Attribute::kFlag: return value.flag() ? 1 : 0;
        case Attribute::kInt32: return value.int32();
        case Attribute::kUint32: return value.uint32();
        case Attribute::kInt64: return value.int64();
        case Attribute::kUint64:
            if (value.uint64() > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) break;
            return static_cast<std::int64_t>(value.uint64());
        case Attribute::kFloat32: return whole(static_cast<double>(value.float32()));
        case Attribute::kFloat64: return whole(value.float64());
        default: break;
    }
    return std::nullopt;
}

std::string list_text(const std::vector<std::int64_t>& values) { return shape_text(values); }

const Attribute* NodeView::find(std::string_view key) const {
    const auto& entries = wire_->attributes();
    const Attribute* found = nullptr;
    for (int i = 0; i < entries.size(); ++i) {
        if (entries[i].key() != key) continue;
        is_read_.resize(static_cast<std::size_t>(entries.size()));
        is_read_[static_cast<std::size_t>(i)] = true;
        if (found == nullptr) found = &entries[i].value();
    }
    return found;
}

std::vector<std::string> NodeView::unread_attributes() const {
    std::vector<std::string> names;
    const auto& entries = wire_->attributes();
    for (int i = 0; i < entries.size(); ++i) {
        const auto position = static_cast<std::size_t>(i);
        if (position < is_read_.size() && is_read_[position]) continue;
        names.push_back(entries[i].key());
    }
    return names;
}

const Attribute* NodeView::output_attribute(std::string_view key) const {
    return find_entry(wire_->output().attributes(), key);
}

void NodeView::illegal(const std::string& argument, const std::string& value,
                       const std::string& rule) const {
    throw_broken_rule("operator " + name() + " (" + type() + ")", argument, value,
                      rule + " (OpLib)");
}

bool NodeView::flag(std::string_view key, bool otherwise) const {
    const Attribute* value = find(key);
    if (value == nullptr) return otherwise;
    const auto number = integer_of(*value);
    if (!number || *number < 0 || *number > 1) {
        illegal(std::string(key), "no boolean", "the attribute is true or false");
    }
    return *number == 1;
}

std::int64_t NodeView::integer(std::string_view key, std::int64_t otherwise) const {
    const Attribute* value = find(key);
    if (value == nullptr) return otherwise;
    const auto list = reals_of(*value);  // some tools write lists of one number
    const auto number = integer_of(*value);
    if (number) return *number;
    if (list && list->size() == 1) {
        if (const auto single = whole((*list)[0])) return *single;
    }
    illegal(std::string(key), "no whole number", "the attribute is a whole number");
}

double NodeView::real(std::string_view key, double otherwise) const {
    const Attribute* value = find(key);
    if (value == nullptr) return otherwise;
    const auto number = real_of(*value);
    if (!number) illegal(std::string(key), "no number", "the attribute is a number");
    return *number;
}

std::string NodeView::text(std::string_view key, const std::string& otherwise) const {
    const Attribute* value = find(key);
    if (value == nullptr) return otherwise;
    if (value->value_case() != Attribute::kText) {
        illegal(std::string(key), "no text", "the attribute is a word");
    }
    return value->text();
}

std::optional<std::vector<std::int64_t>> NodeView::integers(std::string_view key) const {
    const auto numbers = reals(key);
    if (!numbers) return std::nullopt;
    std::vector<std::int64_t> result;
    for (const double number : *numbers) {
        const auto value = whole(number);
        if (!value) illegal(std::string(key), "a fraction", "the values are whole numbers");
        result.push_back(*value);
    }
    return result;
}

std::optional<std::vector<double>> NodeView::reals(std::string_view key) const {
    const Attribute* value = find(key);
    if (value == nullptr) return std::nullopt;
    auto numbers = reals_of(*value);
    if (!numbers) illegal(std::string(key), "no numbers", "the attribute is a list of numbers");
    return numbers;
}

std::vector<std::string> NodeView::argument(std::string_view name) const {
    std::vector<std::string> nodes;
    for (const Argument& argument : wire_->arguments()) {
        if (argument.name() != name) continue;
        nodes.insert(nodes.end(), argument.nodes().begin(), argument.nodes().end());
    }
    return nodes;
}

}  // namespace okksim::sim::graph::xmodel
