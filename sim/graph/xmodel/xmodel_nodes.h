// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "sim/graph/graph_errors.h"
#include "sim/graph/graph_format.h"
#include "sim/graph/name_index.h"
#include "sim/graph/xmodel/xmodel_wire.h"
#include "xmodel.pb.h"

namespace okksim::sim::graph::xmodel {

/// The operators of a container by position and by name. They remain in the file and are unpacked
/// one at a time. GraphFileError names operator, field and byte if a container is truncated or
/// invalid.
class NodeTable {
 public:
    /// `source` must live as long as the table.
    explicit NodeTable(const GraphSource& source);

    std::uint32_t size() const { return static_cast<std::uint32_t>(places_.size()); }
    /// Returns the operator's message.
    std::span<const std::byte> operator[](std::uint32_t index) const {
        return source_.bytes.subspan(places_[index].begin, places_[index].size);
    }
    Name name(std::uint32_t index) const;
    /// Returns "operator NAME".
    std::string place(std::uint32_t index) const { return "operator " + name(index); }
    /// Returns the operator without the bytes of a constant.
    Node unpacked(std::uint32_t index) const;
    /// Returns the operator that `user` names as an operand.
    std::uint32_t find(std::string_view wanted, std::string_view user) const;
    /// Calls visit(index) for each operator whose result this one takes.
    template <typename Visit>
    void for_each_needed(std::uint32_t index, Visit&& visit) const;

    /// Returns the operators in topological order, otherwise in the file's order. Empty if this is
    /// the file's order.
    std::vector<std::uint32_t> order() const;

    [[noreturn]] void fail(const std::string& place, const std::string& message,
                           FileProblem problem = FileProblem::kDamaged,
                           UnreadItems unread = {}) const;

 private:
    /// The file has at most 2 GiB.
    struct Place {
        std::uint32_t begin;
        std::uint32_t size;
    };
    struct Names {
        const NodeTable& table;
        std::string_view operator()(std::uint32_t index) const { return table.name(index); }
    };
    std::uint64_t offset(std::span<const std::byte> part) const {
        return static_cast<std::uint64_t>(part.data() - source_.bytes.data());
    }
    [[noreturn]] void fail_broken(const std::string& place, std::span<const std::byte> field,
                                  std::uint64_t missing) const;
    [[noreturn]] void fail_node(std::uint32_t index) const;

    const GraphSource& source_;
    std::deque<Place> places_;
    NameIndex<Names> names_{Names{*this}};
};

template <typename Visit>
void NodeTable::for_each_needed(std::uint32_t index, Visit&& visit) const {
    for_each_operand((*this)[index],
                     [&](std::string_view operand) { visit(find(operand, name(index))); });
}

}  // namespace okksim::sim::graph::xmodel
