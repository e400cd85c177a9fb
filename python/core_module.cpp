// SPDX-License-Identifier: Apache-2.0
// okksim._core, the native module of the package `okksim`.
#include <nlohmann/json.hpp>

#include "firmware/host/report_json.h"
#include "isa/base/errors.h"
#include "isa/base/fault.h"
#include "python/bindings.h"
#include "sim/machine/provenance.h"

namespace okksim::python {
namespace {

namespace py = pybind11;

PyObject* config_error = nullptr;
PyObject* program_fault = nullptr;

/// Names Python's arguments in texts that name flags of the program.
py::object for_python(const py::object& text) {
    return py::module_::import("okksim.wording").attr("for_python")(text);
}

/// Raises an exception with an additional attribute.
void raise(PyObject* type, const char* message, const char* attribute, const py::object& value) {
    const py::object error = py::reinterpret_borrow<py::object>(type)(for_python(py::str(message)));
    error.attr(attribute) = for_python(value);
    PyErr_SetObject(type, error.ptr());
}

py::object from_json(const nlohmann::ordered_json& json) {
    return py::module_::import("json").attr("loads")(firmware::host::json_text(json));
}

void translate(std::exception_ptr error) {
    try {
        if (error) std::rethrow_exception(error);
    } catch (const ProgramFault& fault) {
        raise(program_fault, fault.what(), "record",
              from_json(firmware::host::fault_json(fault.record())));
    } catch (const ConfigError& wrong) {
        raise(config_error, wrong.what(), "where", py::str(wrong.where()));
    }
}

PyObject* add_exception(py::module_& core, const char* name, const char* text, PyObject* base) {
    const std::string full = std::string("okksim.") + name;
    PyObject* type = PyErr_NewExceptionWithDoc(full.c_str(), text, base, nullptr);
    if (type == nullptr) throw py::error_already_set();
    core.attr(name) = py::reinterpret_borrow<py::object>(type);
    return type;
}

}  // namespace

py::dict figures_dict(const sim::sweep::Figures& figures) {
    py::dict known;
    for (const std::string& name : sim::sweep::figure_names()) {
        if (const auto value = figures.get(name)) known[name.c_str()] = *value;
    }
    return known;
}

}  // namespace okksim::python

PYBIND11_MODULE(_core, core) {
    using namespace okksim::python;
    core.doc() = "Internal module of the package okksim; use the package.";
    core.attr("version") = okksim::sim::okksim_version();
    config_error = add_exception(core, "ConfigError",
                                 "A file, a setting or an argument is wrong. `where` names it.",
                                 PyExc_ValueError);
    program_fault = add_exception(
        core, "ProgramFault",
        "A graph or kernel broke a rule of the machine or of a specification.\n\n"
        "`record` is a dict: code, function, argument, value, rule, advice, unit, message,\n"
        "call_stack.",
        PyExc_RuntimeError);
    py::register_local_exception_translator(&translate);
    bind_machines(core);
    bind_graphs(core);
    bind_kernels(core);
    bind_sweeps(core);
}
