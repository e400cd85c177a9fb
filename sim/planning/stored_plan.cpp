// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/stored_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>
#include <utility>

#include "isa/base/errors.h"
#include "isa/base/input_file.h"
#include "isa/base/printable.h"
#include "sim/graph/constant_operator.h"
#include "sim/planning/graph_text.h"
#include "sim/planning/machine_plan.h"
#include "sim/planning/operator_times.h"

namespace okksim::sim::planning {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kChoices = "choices";
/// Marks groups whose part sizes were searched thoroughly.
constexpr const char* kThoroughSearch = "thorough";

/// The position of an operator: its block and its index in Block::operators.
Json place_json(tosa::BlockReference place) {
    return {{"region", place.region}, {"block", place.block}};
}

/// Returns a value of a document. Throws ConfigError with its key if it is missing or no Value.
template <typename Value>
Value get(const Json& json, const char* key, const std::string& path) {
    const auto found = json.find(key);
    if (found == json.end()) throw ConfigError(path + key, "the key is missing");
    constexpr bool is_number = std::is_unsigned_v<Value> && !std::is_same_v<Value, bool>;
    if constexpr (is_number) {
        const bool fits = found->is_number_unsigned() &&
                          found->template get<std::uint64_t>() <= std::numeric_limits<Value>::max();
        if (!fits) throw ConfigError(path + key, "must be an integer of at least 0 that fits");
        return found->template get<Value>();
    } else {
        try {
            return found->template get<Value>();
        } catch (const Json::exception&) {
            throw ConfigError(path + key, "has a value of the wrong type");
        }
    }
}

tosa::BlockReference place_from(const Json& json, const std::string& path) {
    return {get<std::uint32_t>(json, "region", path), get<std::uint32_t>(json, "block", path)};
}

/// Calls `element` for every object of a list, with its path.
template <typename Element>
void for_each_in(const Json& json, const char* key, const std::string& path,
                 const Element& element) {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_array()) {
        throw ConfigError(path + key, "the key is missing, or no list");
    }
    for (std::size_t i = 0; i < found->size(); ++i) {
        const std::string where = fmt::format("{}{}[{}].", path, key, i);
        if (!(*found)[i].is_object()) throw ConfigError(where, "is no object");
        element((*found)[i], where);
    }
}

/// True if only constants are between the two operators, which are in order.
bool follow_each_other(const graph::Block& block, std::uint32_t before, std::uint32_t after) {
    for (std::uint32_t i = before + 1; i < after; ++i) {
        if (!graph::is_constant(block.operators[i])) return false;
    }
    return before < after;
}

std::string machine_text_from(const Json& parameters, const std::string& path) {
    std::string text;
    for (const auto& [key, value] : parameters.items()) {
        if (!value.is_string()) throw ConfigError(path + key, "is no text with a TOML value");
        text += key + " = " + value.get<std::string>() + "\n";
    }
    return text;
}

std::string difference_of(const std::vector<RecordedStep>& recorded,
                          const std::vector<StepCost>& costs) {
    for (std::size_t i = 0; i < std::min(recorded.size(), costs.size()); ++i) {
        const RecordedStep& was = recorded[i];
        const StepCost& is = costs[i];
        if (was.kernel == is.kernel && was.microseconds == is.microseconds) continue;
        return fmt::format("step {} is {} of {} us to {} here, {} of {} us to {} in the document",
                           i, is.kernel, is.microseconds, printable(is.output),
                           printable(was.kernel), was.microseconds, printable(was.output));
    }
    if (recorded.size() == costs.size()) return {};
    return fmt::format("{} steps here, {} in the document", costs.size(), recorded.size());
}

}  // namespace

nlohmann::ordered_json plan_choices_json(const graph::Graph& graph, const GraphPlan& plan,
                                         const Machine& machine) {
    Json parameters = Json::object();
    for (const ParameterRecord& parameter : machine.parameters) {
        parameters[parameter.path] = parameter.value;
    }
    Json alone = Json::array(), strided = Json::array(), chained = Json::array();
    for (std::size_t r = 0; r < graph.regions.size(); ++r) {
        for (std::size_t b = 0; b < graph.regions[r].blocks.size(); ++b) {
            const graph::Block& block = graph.regions[r].blocks[b];
            const Json place =
                place_json({static_cast<std::uint32_t>(r), static_cast<std::uint32_t>(b)});
            if (plan.options.strided.contains(&block)) strided.push_back(place);
            if (plan.options.chained.contains(&block)) chained.push_back(place);
            for (std::size_t i = 0; i < block.operators.size(); ++i) {
                if (!plan.options.alone.contains(&block.operators[i])) continue;
                alone.push_back(place);
                alone.back()["op"] = i;
            }
        }
    }
    Json groups = Json::array();
    for (const TriedGroup& tried : plan.tried) {
        const ChosenLayers choice = choice_of(tried.group);
        Json entry = place_json(choice.place);
        entry["operators"] = choice.operators;
        entry["slices"] = {{"images", choice.slices.images}, {"rows", choice.slices.rows}};
        const bool is_thorough = choice.search == kernels::layers::LayerSearch::kThorough;
        if (is_thorough) entry["search"] = kThoroughSearch;
        if (choice.halvings > 0) entry["halvings"] = choice.halvings;
        entry["copies_input"] = *choice.takes_copy;
        entry["kept"] = tried.kept;
        groups.push_back(std::move(entry));
    }
    return {{"machine_name", machine.name},  {"machine_parameters", std::move(parameters)},
            {"graph", operators_of(graph)},  {"fuse", plan.options.fuse},
            {"alone", std::move(alone)},     {"strided", std::move(strided)},
            {"chained", std::move(chained)}, {"groups", std::move(groups)}};
}

nlohmann::ordered_json search_json(const SearchSpent& spent) {
    return {{"candidates", spent.candidates}, {"spent", spent.is_cut}, {"by_time", spent.by_time}};
}

StoredPlan::StoredPlan(const std::filesystem::path& path) : name_(path.string()) {
    constexpr const char* kAdvice = "`okksim plan MODEL --json=FILE` writes a plan";
    const Json json =
        Json::parse(read_json_text(path, kAdvice), nullptr, /*allow_exceptions=*/false);
    if (!json.is_object() || !json.contains(kChoices) || !json[kChoices].is_object()) {
        throw ConfigError(name_, fmt::format("holds no plan (an object with the key \"{}\"); {}",
                                             kChoices, kAdvice));
    }
    const Json& choices = json[kChoices];
    const std::string at = name_ + ": " + kChoices + ".";
    machine_text_ =
        machine_text_from(get<Json>(choices, "machine_parameters", at), at + "machine_parameters.");
    try {
        machine_ = machine_with({});
    } catch (const ConfigError& error) {
        throw ConfigError(name_, std::string("its machine cannot be loaded: ") + error.what());
    }
    machine_.overrides = get<std::vector<std::string>>(json, "overrides", name_ + ": ");
    machine_.name = get<std::string>(choices, "machine_name", at);
    read_choices(choices);
    if (json.contains("search")) {
        const auto search = get<Json>(json, "search", name_ + ": ");
        const std::string within = name_ + ": search.";
        search_ = {get<std::uint64_t>(search, "candidates", within),
                   get<bool>(search, "spent", within), get<bool>(search, "by_time", within)};
    }
    for_each_in(json, "steps", name_ + ": ", [&](const Json& step, const std::string& where) {
        steps_.push_back({get<std::string>(step, "operator", where),
                          get<std::string>(step, "output", where),
                          get<double>(step, "simulated_us", where)});
    });
}

void StoredPlan::read_choices(const Json& json) {
    const std::string at = name_ + ": " + kChoices + ".";
    operators_ = get<std::vector<std::string>>(json, "graph", at);
    fuse_ = get<bool>(json, "fuse", at);
    for_each_in(json, "alone", at, [&](const Json& entry, const std::string& where) {
        alone_.push_back({place_from(entry, where), get<std::uint32_t>(entry, "op", where)});
    });
    const auto read_blocks = [&](const char* key, std::vector<tosa::BlockReference>& blocks) {
        if (!json.contains(key)) return;  // documents of okksim 0.1.0 may have none
        for_each_in(json, key, at, [&](const Json& entry, const std::string& where) {
            blocks.push_back(place_from(entry, where));
        });
    };
    read_blocks("strided", strided_);
    read_blocks("chained", chained_);
    for_each_in(json, "groups", at, [&](const Json& entry, const std::string& where) {
        ChosenLayers group{place_from(entry, where), {}, {}};
        const auto operators = get<Json>(entry, "operators", where);
        for (const Json& op : operators) {
            if (!op.is_number_unsigned() || op.get<std::uint64_t>() > UINT32_MAX) {
                throw ConfigError(where + "operators", "is no list of positions of operators");
            }
            group.operators.push_back(op.get<std::uint32_t>());
        }
        const auto slices = get<Json>(entry, "slices", where);
        const auto count = [&](const char* key) {
            const auto value = get<std::uint32_t>(slices, key, where + "slices.");
            if (value < 1 || value > INT32_MAX) {
                throw ConfigError(where + "slices." + key, "is no number of slices");
            }
            return static_cast<std::int32_t>(value);
        };
        group.slices = {count("images"), count("rows")};
        if (entry.contains("search")) {
            if (get<std::string>(entry, "search", where) != kThoroughSearch) {
                throw ConfigError(where + "search",
                                  fmt::format("must be \"{}\" or absent", kThoroughSearch));
            }
            group.search = kernels::layers::LayerSearch::kThorough;
        }
        // Documents of okksim 0.1.0 may lack the key.
        if (entry.contains("copies_input")) {
            group.takes_copy = get<bool>(entry, "copies_input", where);
        }
        if (entry.contains("halvings")) {
            const auto halvings = get<std::uint32_t>(entry, "halvings", where);
            if (halvings > kMostHalvings) {
                throw ConfigError(where + "halvings",
                                  fmt::format("{} halvings of local memory are more than {}",
                                              halvings, kMostHalvings));
            }
            group.halvings = static_cast<int>(halvings);
        }
        groups_.push_back(std::move(group));
        kept_.push_back(get<bool>(entry, "kept", where));
    });
}

Machine StoredPlan::machine_with(const std::vector<std::string>& settings) const {
    Machine machine = family().with(settings);
    machine.name = machine_.name;
    machine.overrides.insert(machine.overrides.begin(), machine_.overrides.begin(),
                             machine_.overrides.end());
    return machine;
}

void StoredPlan::fail(const std::string& key, const std::string& message) const {
    throw ConfigError(fmt::format("{}: {}.{}", name_, kChoices, key), message);
}

void StoredPlan::check_graph(const graph::Graph& graph) const {
    const std::vector<std::string> here = operators_of(graph);
    for (std::size_t i = 0; i < std::max(here.size(), operators_.size()); ++i) {
        const std::string was = i < operators_.size() ? operators_[i] : "no more operators";
        const std::string is = i < here.size() ? here[i] : "no more operators";
        if (was == is) continue;
        fail(fmt::format("graph[{}]", i),
             fmt::format("the plan is for another graph: \"{}\" there, \"{}\" here; plan this one "
                         "(`okksim plan MODEL --json=FILE`)",
                         printable(was), printable(is)));
    }
}

const graph::Block& StoredPlan::block_at(const graph::Graph& graph, tosa::BlockReference place,
                                         const char* key) const {
    if (place.region >= graph.regions.size() ||
        place.block >= graph.regions[place.region].blocks.size()) {
        fail(key, fmt::format("the graph has no block {}.{}", place.region, place.block));
    }
    return graph.block(place);
}

const graph::Operator& StoredPlan::operator_at(const graph::Graph& graph, const OperatorPlace& at,
                                               const char* key) const {
    const graph::Block& block = block_at(graph, at.place, key);
    if (at.op >= block.operators.size()) {
        fail(key, fmt::format("the graph has no operator {} in block {}.{}", at.op, at.place.region,
                              at.place.block));
    }
    return block.operators[at.op];
}

ReadPlan StoredPlan::plan(const graph::Graph& graph) const {
    check_graph(graph);
    PlanOptions options;
    options.fuse = fuse_;
    for (const OperatorPlace& at : alone_) options.alone.insert(&operator_at(graph, at, "alone"));
    for (const tosa::BlockReference& at : strided_) {
        options.strided.insert(&block_at(graph, at, "strided"));
    }
    for (const tosa::BlockReference& at : chained_) {
        options.chained.insert(&block_at(graph, at, "chained"));
    }
    check_groups(graph);
    GraphPlan plan = plan_as_chosen(
        graph, machine_, {options, [&](const GraphPlan& apart, const OperatorTimes& times) {
                              return groups_on(graph, apart, times);
                          }});
    std::string difference = difference_of(steps_, plan.costs);
    return {std::move(plan), std::move(difference)};
}

void StoredPlan::check_groups(const graph::Graph& graph) const {
    std::set<const graph::Operator*> taken;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
        const std::vector<std::uint32_t>& operators = groups_[i].operators;
        const std::string key = fmt::format("groups[{}].operators", i);
        if (operators.empty()) fail(key, "a group has at least one operator");
        for (std::size_t n = 0; n < operators.size(); ++n) {
            const auto& op = operator_at(graph, {groups_[i].place, operators[n]}, key.c_str());
            const bool follows = n == 0 || follow_each_other(graph.block(groups_[i].place),
                                                             operators[n - 1], operators[n]);
            const bool is_free = !kept_[i] || taken.insert(&op).second;
            if (is_free && follows) continue;
            fail(key, fmt::format("operator {} is in two groups, or does not directly follow the "
                                  "operator before it",
                                  operators[n]));
        }
    }
}

std::vector<TriedGroup> StoredPlan::groups_on(const graph::Graph& graph, const GraphPlan& apart,
                                              const OperatorTimes& times) const {
    const auto groups = plan_layer_groups(graph, apart, machine_, times, groups_);
    std::vector<TriedGroup> tried;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        if (!groups[i]) {
            fail(fmt::format("groups[{}]", i),
                 "these operators cannot be one group on this machine, or their slices do not fit "
                 "in local memory; use more slices or fewer operators");
        }
        tried.push_back({*groups[i], kept_[i]});
    }
    return tried;
}

}  // namespace okksim::sim::planning
