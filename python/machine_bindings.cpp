// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include <nlohmann/json.hpp>

#include "python/bindings.h"
#include "sim/trace/energy_report.h"

namespace okksim::python {
namespace {

namespace py = pybind11;

FamilyMachine make(std::shared_ptr<const sim::MachineFamily> family,
                   std::vector<std::string> settings) {
    sim::Machine machine = family->with(settings);
    return {std::move(family), std::move(settings), std::move(machine)};
}

}  // namespace

void bind_machines(py::module_& core) {
    py::class_<FamilyMachine>(core, "Machine")
        .def(py::init([](const std::string& name, const std::vector<std::string>& settings) {
            return make(std::make_shared<const sim::MachineFamily>(name), settings);
        }))
        .def("changed",
             [](const FamilyMachine& self, const std::vector<std::string>& settings) {
                 std::vector<std::string> all = self.settings;
                 all.insert(all.end(), settings.begin(), settings.end());
                 return make(self.family, std::move(all));
             })
        .def("name", [](const FamilyMachine& self) { return self.machine.name; })
        .def("label", [](const FamilyMachine& self) { return self.machine.label(); })
        .def("hash", [](const FamilyMachine& self) { return self.machine.hash(); })
        .def("parameters",
             [](const FamilyMachine& self) {
                 std::vector<std::pair<std::string, std::string>> all;
                 for (const sim::ParameterRecord& parameter : self.machine.parameters) {
                     all.emplace_back(parameter.path, parameter.value);
                 }
                 return all;
             })
        .def("dump", [](const FamilyMachine& self) { return sim::dump_machine(self.machine); })
        .def("area_json", [](const FamilyMachine& self) {
            return sim::trace::area_json(self.machine.params).dump();
        });
}

}  // namespace okksim::python
