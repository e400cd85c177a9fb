// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

namespace okksim::sim {

/// A SystemC kernel of its own: several simulations can live in one process, one after the other or
/// side by side, because each installs its context while it elaborates or runs.
class SystemCContext {
 public:
    SystemCContext();
    ~SystemCContext();
    SystemCContext(const SystemCContext&) = delete;
    SystemCContext& operator=(const SystemCContext&) = delete;

    /// Makes the context current while alive.
    class Scope {
     public:
        explicit Scope(SystemCContext& context);
        ~Scope();
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

     private:
        sc_core::sc_simcontext* previous_;
        sc_core::sc_simcontext* previous_global_;
    };

 private:
    sc_core::sc_simcontext* context_;
};

}  // namespace okksim::sim
