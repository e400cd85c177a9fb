// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/common/parameter.h"

namespace okksim::models {

/// GDMA engine: clock, set-up, cost of contiguous pieces, and the width of its ports.
struct GdmaParams {
    double clock_mhz = 0;
    std::int64_t setup_cycles = 0;
    double piece_cycles = 0;
    double system_copy_piece_cycles = 0;
    std::int64_t alignment_bytes = 0;
    double beat_bytes = 0;
    double realign_cycles_per_beat = 0;
    double realign_bytes = 0;
    double local_bytes_per_cycle = 0;
    double plane_bytes_per_cycle = 0;
    double local_copy_bytes_per_cycle = 0;
    double system_bytes_per_cycle = 0;
    // Group dma_layout.
    double transpose_bytes_per_cycle = 0;
};

template <typename Params, typename Visitor>
void describe_gdma(Params& p, Visitor&& v) {
    const auto rate = [](const char* meaning) {
        return ParameterInfo{"bytes/cycle", 0.01, 1e6, meaning};
    };
    v(p.clock_mhz, "clock_mhz", ParameterInfo{"MHz", 1, 100000, "clock of the GDMA"});
    v(p.setup_cycles, "setup_cycles", ParameterInfo{"cycles", 0, 1e6, "per command"});
    v(p.piece_cycles, "piece_cycles",
      ParameterInfo{"cycles", 0, 1e6, "per contiguous piece, on top of the memories' time"});
    v(p.system_copy_piece_cycles, "system_copy_piece_cycles",
      ParameterInfo{"cycles", 0, 1e6,
                    "per contiguous piece, in addition for copies between system memories"});
    v(p.alignment_bytes, "alignment_bytes",
      ParameterInfo{"bytes", 1, 65536, "system alignment of pieces that move without shifting"});
    v(p.beat_bytes, "beat_bytes", ParameterInfo{"bytes", 1, 65536, "one beat of the shifter"});
    v(p.realign_cycles_per_beat, "realign_cycles_per_beat",
      ParameterInfo{"cycles", 0, 1e6, "per beat of a piece that must be shifted"});
    v(p.realign_bytes, "realign_bytes",
      ParameterInfo{"bytes", 0, 1e6,
                    "bytes of a piece after which shifting overlaps with the memories"});
    v(p.local_bytes_per_cycle, "local_bytes_per_cycle", rate("width of the port to local memory"));
    v(p.plane_bytes_per_cycle, "plane_bytes_per_cycle",
      rate("rate between memories if pieces are planes of several lines in a lane"));
    v(p.local_copy_bytes_per_cycle, "local_copy_bytes_per_cycle",
      rate("rate from local to local memory; each byte counts once"));
    v(p.system_bytes_per_cycle, "system_bytes_per_cycle",
      rate("width of the port to the interconnect"));
}

/// Describes the parameter of the group dma_layout, a key of the section [features] like the
/// group's switch.
template <typename Params, typename Visitor>
void describe_transposing(Params& p, Visitor&& v) {
    ParameterInfo transposing{"bytes/cycle", 0.01, 1e6,
                              "rate of a copy with any strides (dma_layout)", 24};
    transposing.group = "dma_layout";
    transposing.former_path = "gdma.transpose_bytes_per_cycle";
    v(p.transpose_bytes_per_cycle, "transpose_bytes_per_cycle", transposing);
}

}  // namespace okksim::models
