// SPDX-License-Identifier: Apache-2.0
// Functions of the host API that return facts and times, and those of the log.
#include <fmt/format.h>

#include <cmath>

#include "firmware/host/bmlib_runtime.h"
#include "firmware/host/guarded_call.h"
#include "firmware/host/host_log.h"

using namespace okksim::firmware::host;

namespace {

/// Number of the chip whose API this is. Host programs compare it to choose their kernels.
constexpr unsigned int kChipId = 0x1684;

unsigned long rounded(double value) { return static_cast<unsigned long>(std::llround(value)); }

/// Returns a fact; 0 after a mistake, which is logged.
template <typename Fact>
int fact(const char* function, bm_handle_t handle, const Fact& of) {
    int value = 0;
    host_call(function, [&](Runtime& runtime) { value = of(runtime.facts(handle)); });
    return value;
}

}  // namespace

extern "C" {

bm_status_t bm_dev_query(int devid) {
    return host_call(__func__, [&](Runtime&) {
        if (devid == 0) return;
        throw HostError{BM_ERR_DEVNOTREADY,
                        fmt::format("there is no device {}; the simulator has device 0", devid)};
    });
}

int bm_get_devid(bm_handle_t handle) {
    return fact(__func__, handle, [](const DeviceFacts&) { return 0; });
}

bm_status_t bm_get_chipid(bm_handle_t handle, unsigned int* p_chipid) {
    return host_call(__func__, [&](Runtime& runtime) {
        runtime.facts(handle);
        require(p_chipid, "p_chipid");
        *p_chipid = kChipId;
    });
}

int bm_get_nodechip_num(bm_handle_t handle) {
    return fact(__func__, handle, [](const DeviceFacts&) { return 1; });
}

int bm_get_npu_num(bm_handle_t handle) {
    return fact(__func__, handle, [](const DeviceFacts& facts) { return facts.lanes; });
}

int bm_get_eu_num(bm_handle_t handle) {
    return fact(__func__, handle, [](const DeviceFacts& facts) { return facts.vector_words; });
}

bm_status_t bm_get_clk_tpu_freq(bm_handle_t handle, int* freq) {
    return host_call(__func__, [&](Runtime& runtime) {
        require(freq, "freq");
        *freq = static_cast<int>(rounded(runtime.facts(handle).clock_mhz));
    });
}

bm_status_t bm_get_profile(bm_handle_t handle, bm_profile_t* profile) {
    return host_call(__func__, [&](Runtime& runtime) {
        require(profile, "profile");
        runtime.finish(handle);
        const double launches_us = runtime.history().simulated_us();
        const CopyTotals& in = runtime.copies_to_device();
        const CopyTotals& out = runtime.copies_to_host();
        const unsigned long launches = runtime.history().count();
        *profile = {rounded(in.us),       in.count, rounded(out.us), out.count,
                    rounded(launches_us), launches, launches};
    });
}

bm_status_t bm_get_last_api_process_time_us(bm_handle_t handle, unsigned long* time_us) {
    return host_call(__func__, [&](Runtime& runtime) {
        require(time_us, "time_us");
        runtime.finish(handle);
        const auto& reports = runtime.history().kept();
        *time_us = reports.empty() ? 0 : rounded(reports.back().simulated_us);
    });
}

void bmlib_log_set_level(int level) { set_host_log_level(level); }

int bmlib_log_get_level(void) { return host_log_level(); }

void bmlib_log_set_callback(void (*callback)(int level, const char* format, va_list args)) {
    set_host_log_callback(callback);
}

}  // extern "C"
