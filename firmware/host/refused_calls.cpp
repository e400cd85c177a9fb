// SPDX-License-Identifier: Apache-2.0
// Functions of the host API that have no meaning in the simulator. They read no argument, so that a
// program whose structures differ gets the message as well.
#include <string>

#include "firmware/host/bmlib_runtime.h"
#include "firmware/host/guarded_call.h"

using namespace okksim::firmware::host;

namespace {

bm_status_t not_supported(const char* function, const char* advice) {
    return report(function, BM_NOT_SUPPORTED,
                  std::string("the simulator does not support this function; ") + advice);
}

bm_status_t no_feature(const char* function, const char* advice) {
    return report(function, BM_ERR_NOFEATURE,
                  std::string("the simulator has another way for this function; ") + advice);
}

constexpr const char* kOneChip = "there is one chip; remove the call";
constexpr const char* kNoBoard = "there is no board; remove the call, or set the value yourself";
constexpr const char* kNoFirmware =
    "kernels are linked with or loaded by the program; register them with "
    "OKKERNEL_FUNC_REGISTER and call okkernel_launch_sync()";

}  // namespace

extern "C" {

bm_status_t bm_enable_perf_monitor(bm_handle_t, bm_perf_monitor_t*) {
    return no_feature(__func__, "set OKKSIM_TIMELINE to a file for the times of all commands");
}

bm_status_t bm_disable_perf_monitor(bm_handle_t, bm_perf_monitor_t*) {
    return no_feature(__func__, "set OKKSIM_TIMELINE to a file for the times of all commands");
}

bm_status_t bm_set_clk_tpu_freq(bm_handle_t, int) {
    return no_feature(__func__, "set OKKSIM_SET=bdc.clock_mhz=MHZ before the program starts");
}

void bm_set_debug_mode(bm_handle_t, int) {
    no_feature(__func__, "set OKKSIM_SANITIZE=full for all checks, or call bmlib_log_set_level()");
}

void bmlib_set_api_dbg_callback(bmlib_api_dbg_callback) {
    no_feature(__func__,
               "call bmlib_log_set_callback() for messages, and set OKKSIM_TIMELINE to a "
               "file for times");
}

bm_status_t bm_enable_iommu(bm_handle_t) {
    return not_supported(__func__, "device addresses need no translation; remove the call");
}

bm_status_t bm_disable_iommu(bm_handle_t) {
    return not_supported(__func__, "device addresses need no translation; remove the call");
}

bm_status_t bm_memcpy_c2c(bm_handle_t, bm_handle_t, bm_device_mem_t, bm_device_mem_t, bool) {
    return not_supported(__func__, "there is one chip; call bm_memcpy_d2d_byte()");
}

bm_status_t bm_get_card_id(bm_handle_t, unsigned int*) { return not_supported(__func__, kOneChip); }

bm_status_t bm_get_board_name(bm_handle_t, char*) { return not_supported(__func__, kNoBoard); }

bm_status_t bm_get_misc_info(bm_handle_t, struct bm_misc_info*) {
    return not_supported(__func__, kNoBoard);
}

bm_status_t bm_update_firmware(bm_handle_t, pbm_fw_desc) {
    return not_supported(__func__, kNoFirmware);
}

bm_status_t bmlib_kernel_init(bm_handle_t*) { return not_supported(__func__, kNoFirmware); }

bm_status_t bmlib_kernel_deinit(bm_handle_t) { return not_supported(__func__, kNoFirmware); }

bm_status_t bmlib_kernel_launch(bm_handle_t, const char*) {
    return not_supported(__func__, kNoFirmware);
}

bm_status_t bmlib_kernel_send_args(bm_handle_t, const void*, unsigned long) {
    return not_supported(__func__, kNoFirmware);
}

}  // extern "C"
