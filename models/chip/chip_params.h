// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/common/parameter.h"

namespace okksim::models {

/// Lanes and their local memory.
struct ChipParams {
    std::int64_t lanes = 0;
    std::int64_t local_memory_bytes = 0;
    std::int64_t local_memory_banks = 0;
    double bank_interference = 0;
    std::int64_t local_memory_start = 0;
    std::int64_t vector_words = 0;
    std::int64_t compute_engines = 1;
};

template <typename Params, typename Visitor>
void describe_chip(Params& p, Visitor&& v) {
    v(p.lanes, "lanes", ParameterInfo{"-", 1, 1024, "NPU lanes"});
    v(p.local_memory_bytes, "local_memory_bytes",
      ParameterInfo{"bytes", 1024, 16777216,
                    "local memory of one lane; a multiple of vector * banks"});
    v(p.local_memory_banks, "local_memory_banks",
      ParameterInfo{"-", 1, 64, "banks of one lane's local memory"});
    v(p.bank_interference, "bank_interference",
      ParameterInfo{
          "-", 0, 1,
          "share of the time of a simultaneous bank access that the later command loses"});
    v(p.local_memory_start, "local_memory_start",
      ParameterInfo{"address", 0, 4294967295.0, "value of okk_local_mem_start_addr()"});
    v(p.vector_words, "vector_words",
      ParameterInfo{"words", 1, 1024,
                    "32-bit words of a vector, the unit of aligned layouts (okk_eu_num())"});
    v(p.compute_engines, "compute_engines",
      ParameterInfo{"-", 1, 64, "compute engines on the lanes, each with a separate queue", 1});
}

}  // namespace okksim::models
