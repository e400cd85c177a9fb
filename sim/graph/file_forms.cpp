// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/file_forms.h"

#include <algorithm>

namespace okksim::sim::graph {

namespace {

bool is_empty(const Tensor& tensor) { return element_count(tensor.shape).value_or(1) == 0; }

std::vector<Tensor> empty_values(const Graph& graph, bool is_input) {
    std::vector<Tensor> values;
    for (const FileForm& form : graph.file_forms) {
        if (form.is_input == is_input && is_empty(form.tensor)) values.push_back(form.tensor);
    }
    return values;
}

Shape file_shape(const Tensor& tensor) {
    Shape shape = tensor.shape;
    if (tensor.words != FileWords::kNone) shape.pop_back();
    return shape;
}

}  // namespace

HostTensor in_file_shape(const Graph& graph, std::string_view output, HostTensor value) {
    const auto form = std::ranges::find_if(graph.file_forms, [&](const FileForm& each) {
        return !each.is_input && each.tensor.name == output;
    });
    if (form != graph.file_forms.end()) value.shape = file_shape(form->tensor);
    return value;
}

std::vector<Tensor> empty_inputs(const Graph& graph) { return empty_values(graph, true); }
std::vector<Tensor> empty_outputs(const Graph& graph) { return empty_values(graph, false); }

HostTensor empty_value(const Tensor& tensor) {
    return to_file_form(make_host_tensor(tensor.type, tensor.shape, {}), tensor);
}

std::string form_problem(const Graph& graph) {
    if (graph.file_forms.empty()) return {};
    const FileForm& form = graph.file_forms.front();
    return "cannot hold the " + std::string(form.is_input ? "input" : "output") + " \"" +
           form.tensor.name.text() + "\" of shape " + shape_text(file_shape(form.tensor)) +
           (is_empty(form.tensor) ? ": tensors of TOSA have elements"
                                  : ": tensors of TOSA have at most six dimensions");
}

}  // namespace okksim::sim::graph
