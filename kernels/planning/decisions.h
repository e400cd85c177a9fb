// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeindex>
#include <utility>
#include <vector>

#include "isa/base/fault.h"
#include "kernels/planning/host.h"

/// A kernel has two halves that share its description of the problem. Planners run on the host when
/// the graph is planned. Firmware runs on the control processor and reads their decisions from its
/// launch arguments.
///
///     void copy_kernel(const OperatorCall& call) {
///         const Copy copy = describe(call);
///         const Tiling& tiling = call.decisions->take(
///             "tiling", [&](Host& host) { return fastest_tiling(copy, host); });
///         for (...) ...;  // okk calls over the given tiles
///     }
///
/// When the graph is planned, the kernel runs once with planning Decisions: take() calls the
/// planner and records its answer. In every later launch the same take() returns the recorded
/// answer and does not call the planner. Rules for kernels and planners:
/// - A kernel makes the same takes in the same order for all data: position, name and type are
///   checked.
/// - All takes come before the kernel reads a value that is not constant: planning stops there.
/// - A planner makes no okk calls itself. It depends only on its description and host answers.
///   Values that the host does not know (Host::values) are unknown, not zero.
/// - Decisions do not depend on addresses: equal calls elsewhere in memory share them.
namespace okksim::kernels {

/// Words of a decision in a launch's arguments.
template <typename Value>
std::uint64_t argument_words(const Value& value) {
    constexpr std::uint64_t kWordBytes = 4;
    if constexpr (requires { value.argument_words(); }) {
        return value.argument_words();
    } else {
        static_assert(std::is_trivially_copyable_v<Value>,
                      "give the decision a member argument_words()");
        return (sizeof(Value) + kWordBytes - 1) / kWordBytes;
    }
}
template <typename Value>
std::uint64_t argument_words(const std::vector<Value>& values) {
    std::uint64_t words = 1;
    for (const Value& value : values) words += argument_words(value);
    return words;
}

/// Decisions for one call, in the order in which its kernel takes them: launch arguments from the
/// planner. Copies share the values.
class DecisionList {
 public:
    DecisionList() = default;
    /// `owner` names the operator in messages.
    explicit DecisionList(std::string owner) : owner_(std::move(owner)) {}

    template <typename Value>
    void add(std::string_view name, Value value) {
        const std::uint64_t words = argument_words(value);
        entries_.push_back({std::string(name), typeid(Value),
                            std::make_shared<const Value>(std::move(value)), words});
    }
    /// Records that planning ended here with a fault. Firmware that takes more decisions raises it.
    void end_with(FaultRecord fault) { fault_ = std::move(fault); }
    /// InternalError unless decision `position` has the name and the type. ProgramFault if planning
    /// ended with one.
    template <typename Value>
    const Value& at(std::size_t position, std::string_view name) const {
        return *static_cast<const Value*>(checked(position, name, typeid(Value)));
    }
    /// The first decision of the type; nullptr if there is none.
    template <typename Value>
    const Value* find() const {
        for (const Entry& entry : entries_) {
            if (entry.type == typeid(Value)) return static_cast<const Value*>(entry.value.get());
        }
        return nullptr;
    }
    std::size_t size() const { return entries_.size(); }
    std::uint64_t words(std::size_t position) const { return entries_[position].words; }
    /// Words of all decisions.
    std::uint64_t words() const;
    const std::string& owner() const { return owner_; }

 private:
    struct Entry {
        std::string name;
        std::type_index type;
        std::shared_ptr<const void> value;
        std::uint64_t words = 0;
    };
    const void* checked(std::size_t position, std::string_view name, std::type_index type) const;

    std::string owner_;
    std::vector<Entry> entries_;
    std::optional<FaultRecord> fault_;
};

/// The decisions of one call, during planning or in use.
class Decisions {
 public:
    /// Planning: records answers in `list`. Both must outlive this object.
    Decisions(Host& host, DecisionList& list) : host_(&host), notes_(&list), list_(list) {}
    /// Uses planned decisions; the list must outlive this object.
    explicit Decisions(const DecisionList& list) : list_(list) {}

    /// Returns the decision of `planner` under this name. Valid while the list exists.
    template <typename Planner>
    const auto& take(std::string_view name, const Planner& planner) {
        using Value = std::remove_cvref_t<std::invoke_result_t<const Planner&, Host&>>;
        if (notes_ != nullptr) notes_->add<Value>(name, planner(*host_));
        const Value& value = list_.at<Value>(next_, name);
        hand_over(next_++);
        return value;
    }
    /// InternalError unless all decisions have been taken.
    void check_all_taken() const;

 private:
    /// The control processor reads the words of a decision from its arguments.
    void hand_over(std::size_t position);

    Host* host_ = nullptr;
    DecisionList* notes_ = nullptr;
    const DecisionList& list_;
    std::size_t next_ = 0;
};

}  // namespace okksim::kernels
