// SPDX-License-Identifier: Apache-2.0
#include "sim/platform/systemc_context.h"

namespace okksim::sim {

SystemCContext::SystemCContext() : context_(new sc_core::sc_simcontext()) {
    // Starting, pausing and running out of events are normal here.
    sc_core::sc_report_handler::set_verbosity_level(sc_core::SC_NONE);
    sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_,
                                            sc_core::SC_DO_NOTHING);
}

SystemCContext::~SystemCContext() { delete context_; }

SystemCContext::Scope::Scope(SystemCContext& context)
    : previous_(sc_core::sc_curr_simcontext), previous_global_(sc_core::sc_default_global_context) {
    sc_core::sc_curr_simcontext = context.context_;
    sc_core::sc_default_global_context = context.context_;
}

SystemCContext::Scope::~Scope() {
    sc_core::sc_curr_simcontext = previous_;
    sc_core::sc_default_global_context = previous_global_;
}

}  // namespace okksim::sim
