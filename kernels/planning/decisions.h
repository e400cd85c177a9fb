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

#include "isa/fault.h"
#include "kernels/planning/host.h"

/// A kernel has two halves that share its description of the problem: planners, which run on the
/// host when the graph is planned, and firmware, which runs on the control processor and takes what
/// they decided from its launch arguments.
///
///     void copy_kernel(const OperatorCall& call) {
///         const Copy copy = describe(call);
///         const Tiling& tiling = call.decisions->take(
///             "tiling", [&](Host& host) { return fastest_tiling(copy, host); });
///         for (...) ...;  // okk calls over the given tiles
///     }
///
/// When the graph is planned, the kernel runs once with planning Decisions: take() calls the
/// planner and notes its answer. In every launch after that the same take() hands the noted answer
/// over and the planner is not called. Rules:
/// - the same takes in the same order, whatever the data: position, name and type are checked;
/// - all of them before the kernel reads a value that is not constant: planning stops there;
/// - a planner makes no okk calls of its own and depends on its description, the host's answers and
///   nothing else; what the host does not know (Host::values) is not zero but unknown;
/// - addresses are not what decisions depend on: equal calls elsewhere in memory share them.
namespace okksim::kernels {

/// Words of a launch's arguments that a decision takes.
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

/// What was decided for one call, in the order in which its kernel asks: launch arguments that the
/// planner made. Copies share the values.
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
    /// Planning ended here with a fault: firmware that asks for more gets it.
    void end_with(FaultRecord fault) { fault_ = std::move(fault); }
    /// InternalError unless decision `position` has the name and the type; ProgramFault where
    /// planning ended with one.
    template <typename Value>
    const Value& at(std::size_t position, std::string_view name) const {
        return *static_cast<const Value*>(checked(position, name, typeid(Value)));
    }
    /// The first decision of the type; nullptr when there is none.
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

/// The decisions of one call, being made or being used.
class Decisions {
 public:
    /// Planning: answers are noted in `list`. Both must outlive this.
    Decisions(Host& host, DecisionList& list) : host_(&host), notes_(&list), list_(list) {}
    /// Using what was planned; the list must outlive this.
    explicit Decisions(const DecisionList& list) : list_(list) {}

    /// What `planner`, called with the host, decided under this name. Valid as long as the list.
    template <typename Planner>
    const auto& take(std::string_view name, const Planner& planner) {
        using Value = std::remove_cvref_t<std::invoke_result_t<const Planner&, Host&>>;
        if (notes_ != nullptr) notes_->add<Value>(name, planner(*host_));
        const Value& value = list_.at<Value>(next_, name);
        hand_over(next_++);
        return value;
    }
    /// InternalError unless everything that was decided has been taken.
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
