// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/workload_reader.h"

#include <fmt/format.h>

#include "isa/base/errors.h"
#include "isa/base/printable.h"

namespace okksim::sim::sweep {

std::filesystem::path path_in(const std::filesystem::path& folder,
                              const std::optional<std::string>& text) {
    if (!text) return {};
    const std::filesystem::path path(*text);
    return path.is_absolute() ? path : folder / path;
}

WorkloadSpec read_workload(SpecTable& table, const std::filesystem::path& folder) {
    WorkloadSpec workload;
    workload.graph = path_in(folder, table.text("graph"));
    workload.trace = path_in(folder, table.text("trace"));
    workload.kernel = path_in(folder, table.text("kernel"));
    workload.zoo = table.text("zoo").value_or("");
    workload.function = table.text("function").value_or("");
    workload.shapes = table.texts("shapes");
    workload.rounding = table.text("rounding").value_or("");
    if (workload.graph.empty() && !workload.shapes.empty()) {
        throw ConfigError(table.where("shapes"), "is only for graphs");
    }
    if (workload.rounding != "" && workload.rounding != "double" && workload.rounding != "single") {
        throw ConfigError(table.where("rounding"),
                          "is \"" + printable(workload.rounding) + "\": give double or single");
    }
    workload.values = path_in(folder, table.text("values"));
    workload.launch = table.text("launch").value_or("");
    for (const std::string& argument : table.texts("arguments")) {
        const bool is_file = argument.starts_with("in=");
        workload.arguments.push_back(is_file ? "in=" + path_in(folder, argument.substr(3)).string()
                                             : argument);
    }
    for (const std::string& library : table.texts("libraries")) {
        workload.libraries.push_back(path_in(folder, library));
    }
    for (const char* option : {"precision", "batch", "size", "width"}) {
        const toml::node* node = table.node(option);
        if (node == nullptr) continue;
        if (workload.zoo.empty())
            throw ConfigError(table.where(option), "is only for networks of the zoo");
        workload.zoo_options[option] = node->is_string() ? node->as_string()->get()
                                       : node->is_integer()
                                           ? fmt::format("{}", node->as_integer()->get())
                                           : fmt::format("{}", node->value_or(0.0));
    }
    const int given = (workload.graph.empty() ? 0 : 1) + (workload.trace.empty() ? 0 : 1) +
                      (workload.kernel.empty() ? 0 : 1) + (workload.zoo.empty() ? 0 : 1);
    if (given != 1) {
        throw ConfigError(table.where("graph"),
                          "give one of: graph = \"FILE\", zoo = \"NAME\", kernel = \"LIBRARY\", "
                          "trace = \"FILE\"");
    }
    if (!workload.kernel.empty() && workload.launch.empty()) {
        throw ConfigError(table.where("launch"), "is missing: the kernel's name");
    }
    const std::string own =
        !workload.zoo.empty() ? workload.zoo
        : !workload.launch.empty()
            ? workload.launch
            : (workload.graph.empty() ? workload.trace : workload.graph).stem().string();
    workload.name = table.text("name").value_or(own);
    return workload;
}

}  // namespace okksim::sim::sweep
