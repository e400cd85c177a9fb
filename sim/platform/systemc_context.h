// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

namespace okksim::sim {

/// A separate SystemC kernel, so that one process can have several simulations, in sequence or at
/// the same time. Each simulation installs its context while it elaborates or runs.
class SystemCContext {
 public:
    SystemCContext();
    ~SystemCContext();
    SystemCContext(const SystemCContext&) = delete;
    SystemCContext& operator=(const SystemCContext&) = delete;

    /// Makes the context current during its lifetime.
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
