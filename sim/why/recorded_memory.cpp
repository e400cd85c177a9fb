// SPDX-License-Identifier: Apache-2.0
#include "sim/why/recorded_memory.h"

#include <algorithm>
#include <cstring>

#include "models/chip/chip_params.h"
#include "sim/trace/command_recorder.h"

namespace okksim::sim::why {

RecordedMemory::RecordedMemory(const Recording& recording, const Machine& machine, bool compares)
    : recording_(recording),
      shape_(machine.params.shape()),
      local_start_(static_cast<std::uint64_t>(machine.params.chip->local_memory_start)),
      compares_(compares) {
    start_at(nullptr);
}

void RecordedMemory::write(std::uint64_t address, std::span<const std::byte> data) {
    std::byte* const to = port_->system_memory().pointer(address, data.size());
    if (to != nullptr) std::memcpy(to, data.data(), data.size());
}

void RecordedMemory::write(const Event& event) {
    if (!event.local) return write(event.address, event.data);
    const isa::LocalAddr address{static_cast<std::uint32_t>(event.address)};
    const auto left = static_cast<std::size_t>(shape_.local_bytes - shape_.offset_of(address));
    std::memcpy(port_->local_memory().pointer(address), event.data.data(),
                std::min(event.data.size(), left));
}

void RecordedMemory::start_at(const Checkpoint* checkpoint) {
    port_ = std::make_unique<models::FunctionalPort>(shape_);
    from_ = checkpoint;
    commands_ = 0;
    position_ = checkpoint == nullptr ? 0 : checkpoint->event;
    if (checkpoint == nullptr) return;
    for (std::size_t i = 0; i < position_; ++i) {
        const Event& event = recording_.events()[i];
        if (!event.is_command) write(event);
    }
    const auto lanes = static_cast<std::uint64_t>(shape_.lanes * shape_.local_bytes);
    for (const Checkpoint::Piece& piece : checkpoint->pieces) {
        const std::uint64_t local = piece.address - local_start_;
        if (local >= lanes) {
            write(piece.address, piece.data);
            continue;
        }
        const auto lane = static_cast<std::uint64_t>(shape_.local_bytes);
        std::memcpy(port_->local_memory().pointer({static_cast<std::uint32_t>(local)}),
                    piece.data.data(), std::min(piece.data.size(), lane - local % lane));
    }
}

void RecordedMemory::move_to(std::size_t event) {
    const Checkpoint* const checkpoint = recording_.checkpoint_before(event);
    if (event < position_ || (checkpoint != nullptr && checkpoint->event > position_)) {
        start_at(checkpoint);
    }
    while (position_ < event) step();
}

void RecordedMemory::step() {
    const std::size_t number = position_++;
    const Event& event = recording_.events()[number];
    if (!event.is_command) return write(event);
    const std::uint64_t command = commands_++;
    if (from_ != nullptr && std::binary_search(from_->ahead.begin(), from_->ahead.end(), command)) {
        return;
    }
    port_->submit(event.command);
    if (!compares_ || deviates_ || !event.data_crc) return;
    const std::uint32_t crc =
        trace::written_crc(event.command, shape_, port_->local_memory(), port_->system_memory());
    if (crc != *event.data_crc) deviates_ = number;
}

}  // namespace okksim::sim::why
