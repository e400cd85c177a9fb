// SPDX-License-Identifier: Apache-2.0
#include "models/mcu/mcu.h"

#include <utility>

#include "isa/base/errors.h"
#include "models/common/npu_module.h"
#include "models/mcu/host_params.h"
#include "models/mcu/mcu_params.h"

namespace okksim::models {
namespace {

// Firmware keeps arrays on its stack as on the device; untouched pages cost nothing.
constexpr std::size_t kFirmwareStackBytes = std::size_t{8} << 20;

}  // namespace

Mcu::Mcu(const sc_core::sc_module_name& name, const McuParams& params, const HostParams& host,
         const isa::MachineShape& shape, Sequencer sequencer, LocalMemory& local,
         SystemMemory& system)
    : sc_module(name),
      Processor(params, host, shape, std::move(sequencer)),
      local_(local),
      system_(system),
      clockwork_(Processor::sequencer()) {
    SC_HAS_PROCESS(Mcu);
    SC_THREAD(run);
    set_stack_size(kFirmwareStackBytes);
}

void Mcu::launch(ProcessorProgram program) {
    programs_.push_back(std::move(program));
    launched_.notify(sc_core::SC_ZERO_TIME);
}

void Mcu::run() {
    while (true) {
        while (programs_.empty()) wait(launched_);
        ProcessorProgram program = std::move(programs_.front());
        programs_.pop_front();
        now_ = models::now();
        begin_launch();
        program.body(*this);
        end_launch();
        program.finished(launch_start_, now_);
    }
}

void Mcu::pass_until(Picoseconds time) {
    if (time > models::now()) wait(to_sc_time(time - models::now()));
    for (auto next = sequencer().next_event(); next && next->time <= models::now();
         next = sequencer().next_event()) {
        wait(sc_core::SC_ZERO_TIME);
    }
    now_ = models::now();
}

void Mcu::pass_until_retirement() {
    clockwork_.wait_for_retirement();
    pass_until(models::now());
}

void Mcu::deliver(std::size_t engine, const isa::Command& command) {
    payload_.set_command(tlm::TLM_WRITE_COMMAND);
    payload_.set_data_ptr(reinterpret_cast<unsigned char*>(const_cast<isa::Command*>(&command)));
    payload_.set_data_length(sizeof command);
    payload_.set_streaming_width(sizeof command);
    payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    cmd_out[static_cast<int>(engine)]->b_transport(payload_, delay);
    OKKSIM_CHECK(payload_.get_response_status() == tlm::TLM_OK_RESPONSE);
}

void* Mcu::local_pointer(isa::LocalAddr addr) {
    if (addr.value >= static_cast<std::uint64_t>(local_.bytes())) return nullptr;
    return local_.pointer(addr);
}

void* Mcu::system_pointer(std::uint64_t addr) { return system_.pointer_to_rest(addr); }

void* Mcu::system_bytes(std::uint64_t addr, std::uint64_t bytes) {
    return system_.pointer(addr, bytes);
}

}  // namespace okksim::models
