// SPDX-License-Identifier: Apache-2.0
#include "models/chip/engine_module.h"

#include <cstring>
#include <string>

#include "isa/base/errors.h"
#include "models/common/npu_module.h"

namespace okksim::models {
namespace {

// Effects run on it; untouched pages cost nothing.
constexpr std::size_t kStackBytes = std::size_t{1} << 20;

}  // namespace

EngineModule::EngineModule(const sc_core::sc_module_name& name, std::size_t engine,
                           Sequencer& sequencer, Clockwork& clockwork)
    : sc_module(name), engine_(engine), sequencer_(sequencer), clockwork_(clockwork) {
    cmd_in.register_b_transport(this, &EngineModule::b_transport);
    SC_HAS_PROCESS(EngineModule);
    if (sequencer.entry(engine).asks_memories) {
        SC_THREAD(run_and_ask);
        set_stack_size(kStackBytes);
    } else {
        SC_METHOD(run);
        sensitive << clockwork.turn(engine);
        dont_initialize();
    }
}

void EngineModule::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    OKKSIM_CHECK(payload.get_data_length() == sizeof(isa::Command));
    isa::Command command;
    std::memcpy(static_cast<void*>(&command), payload.get_data_ptr(), sizeof command);
    sequencer_.submit(engine_, command, now());
    depth_ = sequencer_.queued(engine_);
    clockwork_.submitted(engine_);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

void EngineModule::run() {
    while (step()) {
    }
}

void EngineModule::run_and_ask() {
    while (true) {
        run();
        wait(clockwork_.turn(engine_));
    }
}

bool EngineModule::step() {
    const auto time = sequencer_.next_time(engine_);
    if (!time) return false;
    const bool is_due = *time <= now();
    const auto next = sequencer_.next_event();
    if (!is_due || next->engine != engine_) {
        // Later, or at this time when another engine has come first.
        clockwork_.wake(engine_, *time);
        return false;
    }
    act(next->kind);
    return true;
}

void EngineModule::act(Sequencer::Event::Kind kind) {
    switch (kind) {
        case Sequencer::Event::Kind::kStart:
            running_ = true;
            command_ = sequencer_.command(engine_).id;
            return sequencer_.start(engine_, memories_);
        case Sequencer::Event::Kind::kFinish: {
            if (!sequencer_.finish(engine_)) return;
            const isa::Command& command = sequencer_.command(engine_);
            if (effect_) effect_(command);
            for (CommandObserver* observer : observers_) {
                observer->retired(command, sequencer_.times(engine_));
            }
            sequencer_.retire(engine_);
            running_ = false;
            depth_ = sequencer_.queued(engine_);
            return clockwork_.retired(engine_);
        }
    }
}

void EngineModule::trace(sc_core::sc_trace_file* file) const {
    const std::string prefix = name();
    sc_core::sc_trace(file, running_, prefix + ".busy");
    sc_core::sc_trace(file, depth_, prefix + ".queue_depth");
    sc_core::sc_trace(file, command_, prefix + ".command");
}

}  // namespace okksim::models
