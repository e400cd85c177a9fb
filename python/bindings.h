// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/study/sweep/figures.h"

namespace okksim::python {

/// A machine with its family, so that further settings can be changed.
struct FamilyMachine {
    std::shared_ptr<const sim::MachineFamily> family;
    std::vector<std::string> settings;
    sim::Machine machine;
};

/// Returns the known measured values by name.
pybind11::dict figures_dict(const sim::sweep::Figures& figures);

// The functions below bind the contents of _core.pyi, part by part.
void bind_machines(pybind11::module_& core);
void bind_graphs(pybind11::module_& core);
void bind_kernels(pybind11::module_& core);
void bind_sweeps(pybind11::module_& core);

}  // namespace okksim::python
