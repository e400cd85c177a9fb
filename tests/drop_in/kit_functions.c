/* SPDX-License-Identifier: Apache-2.0 */
/* The host program of kit_functions.sh, in C and in C++. It calls functions of the kit at their
 * limits, where they succeed, and one beyond, where they fail. */
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "kit_checks.h"
#include "okk.h"

bm_handle_t handle;
static int logged;
static char last_line[4096];

bm_status_t launch(const char* name, bm_device_mem_t input, bm_device_mem_t output, int mode) {
    Arguments arguments;
    arguments.input = bm_mem_get_device_addr(input);
    arguments.output = bm_mem_get_device_addr(output);
    arguments.mode = mode;
    return okkernel_launch_sync(handle, name, &arguments, sizeof arguments);
}

static void callback(int level, const char* format, va_list args) {
    (void)level;
    ++logged;
    vsnprintf(last_line, sizeof last_line, format, args);
}

int says(const char* text) {
    const int said = logged == 1 && strstr(last_line, text) != NULL;
    if (!said) printf("%d lines, the last one: %s\n", logged, last_line);
    logged = 0;
    return said;
}

static bm_status_t checked(bm_status_t status) {
    BM_CHECK_RET(status);
    return BM_ERR_BUSY;
}

static void test_facts(void) {
    unsigned int chip = 0;
    int clock = 0;
    CHECK(bm_dev_query(0) == BM_SUCCESS && bm_get_devid(handle) == 0);
    CHECK(bm_dev_query(1) == BM_ERR_DEVNOTREADY && says("bm_dev_query"));
    CHECK(bm_get_chipid(handle, &chip) == BM_SUCCESS && chip == 0x1684);
    CHECK(bm_get_chipid(handle, NULL) == BM_ERR_PARAM && says("bm_get_chipid"));
    CHECK(bm_get_nodechip_num(handle) == 1 && bm_get_npu_num(handle) == 64);
    CHECK(bm_get_eu_num(handle) == 32 && bm_get_eu_num(NULL) == 0 && says("bm_get_eu_num"));
    CHECK(bm_get_clk_tpu_freq(handle, &clock) == BM_SUCCESS && clock == 550);
    CHECK(checked(BM_SUCCESS) == BM_ERR_BUSY && checked(BM_ERR_DATA) == BM_ERR_DATA);
    CHECK(BM_ERR_VERSION == 10);
    CHECK(OP_TYPE(1, 1, 0, 0, 1) == S8_OP_U8_TO_S16 && MUL_TYPE(1, 0, 1) == S16_MUL_U8_TO_S16);
}

static void test_allocation(void) {
    bm_device_mem_t mem;
    unsigned int number_of = 0;
    bm_heap_stat_byte_t before;
    bm_heap_stat_byte_t after;
    bm_dev_stat_t stat;
    CHECK(bm_get_gmem_total_heap_num(handle, &number_of) == BM_SUCCESS && number_of == 1);
    CHECK(bm_get_gmem_heap_stat_byte_by_id(handle, &before, 0) == BM_SUCCESS);
    CHECK(bm_get_gmem_heap_stat_byte_by_id(handle, &before, 1) == BM_ERR_PARAM && says("heap_id"));
    CHECK(bm_malloc_device_dword(handle, &mem, 1) == BM_SUCCESS &&
          bm_mem_get_device_size(mem) == 4);
    CHECK(bm_get_gmem_heap_id(handle, &mem, &number_of) == BM_SUCCESS && number_of == 0);
    CHECK(bm_get_gmem_heap_stat_byte_by_id(handle, &after, 0) == BM_SUCCESS);
    CHECK(after.mem_used == before.mem_used + 4096);
    CHECK(bm_get_stat(handle, &stat) == BM_SUCCESS && stat.heap_num == 1 && stat.mem_total > 0);
    CHECK(bm_free_device_s(handle, mem) == BM_SUCCESS);
    CHECK(bm_free_device_s(handle, mem) == BM_ERR_PARAM && says("bm_free_device_s"));
    CHECK(bm_get_gmem_heap_id(handle, &mem, &number_of) == BM_ERR_PARAM && says("freed"));
    CHECK(bm_malloc_device_dword(handle, &mem, 0) == BM_ERR_PARAM && says("count is 0"));
    CHECK(bm_malloc_device_dword(handle, &mem, 1 << 30) == BM_ERR_PARAM && says("4294967296"));
    CHECK(bm_malloc_neuron_device(handle, &mem, 2, 3, 4, 5) == BM_SUCCESS);
    CHECK(bm_mem_get_device_size(mem) == 480 && bm_free_device_s(handle, mem) == BM_SUCCESS);
    CHECK(bm_malloc_neuron_device(handle, &mem, 2, 3, 0, 5) == BM_ERR_PARAM && says("h is 0"));
    CHECK(bm_malloc_neuron_device(handle, &mem, 32768, 32768, 1, 1) == BM_ERR_PARAM && says("c ="));
    CHECK(bm_malloc_device_byte_heap(handle, &mem, 31, 5) == BM_SUCCESS);
    CHECK(bm_free_device_s(handle, mem) == BM_SUCCESS);
    CHECK(bm_malloc_device_byte_heap(handle, &mem, 32, 5) == BM_ERR_PARAM && says("heap_id is 32"));
    CHECK(bm_malloc_device_byte_heap_mask(handle, &mem, 7, 5) == BM_SUCCESS);
    CHECK(bm_free_device_s(handle, mem) == BM_SUCCESS);
    CHECK(bm_malloc_device_byte_heap_mask(handle, &mem, 0, 5) == BM_ERR_PARAM && says("mask is 0"));
}

static void test_descriptors(void) {
    int value[4] = {1, 2, 3, 4};
    int back[4] = {0, 0, 0, 0};
    bm_device_mem_t mem;
    bm_device_mem_t part;
    bm_system_mem_t source = bm_mem_from_system(value);
    CHECK(bm_mem_get_type(source) == BM_MEM_TYPE_SYSTEM);
    CHECK(bm_mem_get_system_addr(source) == (void*)value);
    CHECK(bm_mem_convert_system_to_device_neuron(handle, &mem, source, true, 1, 2, 1, 2) ==
          BM_SUCCESS);
    CHECK(bm_mem_get_type(mem) == BM_MEM_TYPE_DEVICE);
    CHECK(bm_memcpy_d2s(handle, back, mem) == BM_SUCCESS && back[3] == 4);
    part = bm_mem_from_device(bm_mem_get_device_addr(mem) + 8, 8);
    CHECK(bm_memcpy_d2s(handle, back, part) == BM_SUCCESS && back[0] == 3 && back[1] == 4);
    bm_set_device_mem(&part, 4, bm_mem_get_device_addr(mem) + 12);
    CHECK(bm_memcpy_d2s(handle, back, part) == BM_SUCCESS && back[0] == 4);
    bm_mem_set_device_addr(&part, bm_mem_get_device_addr(mem));
    bm_mem_set_device_size(&part, 17);
    CHECK(bm_memcpy_d2s(handle, back, part) == BM_ERR_PARAM && says("bm_memcpy_d2s"));
    bm_mem_from_device(0, -1);
    CHECK(says("len is -1"));
    CHECK(bm_free_device_s(handle, mem) == BM_SUCCESS);
    bm_mem_set_system_addr(&source, NULL);
    CHECK(bm_mem_convert_system_to_device_coeff(handle, &mem, source, true, 4) == BM_ERR_PARAM);
    CHECK(says("sys_mem"));
    CHECK(bm_mem_convert_system_to_device_coeff(handle, &mem, source, false, 4) == BM_SUCCESS);
    CHECK(bm_mem_get_device_size(mem) == 16 && bm_free_device_s(handle, mem) == BM_SUCCESS);
    CHECK(bm_mem_get_device_addr(BM_MEM_NULL) == BM_MEM_ADDR_NULL);
    CHECK(bm_memcpy_d2s(handle, back, BM_MEM_NULL) == BM_ERR_PARAM && says("BM_MEM_NULL"));
    CHECK(bm_memcpy_s2d(handle, source, back) == BM_ERR_PARAM && says("the host's memory"));
}

static void test_copies(void) {
    int i;
    int values[8];
    int back[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    bm_device_mem_t a;
    bm_device_mem_t b;
    for (i = 0; i < 8; ++i) values[i] = i + 1;
    CHECK(bm_malloc_device_dword(handle, &a, 8) == BM_SUCCESS);
    CHECK(bm_malloc_device_dword(handle, &b, 8) == BM_SUCCESS);
    CHECK(bm_memcpy_s2d(handle, a, values) == BM_SUCCESS);
    CHECK(bm_memset_device(handle, 0, b) == BM_SUCCESS);
    CHECK(bm_memcpy_d2d(handle, b, 1, a, 2, 6) == BM_SUCCESS);
    CHECK(bm_memcpy_d2d(handle, b, 1, a, 2, 7) == BM_ERR_PARAM && says("bm_memcpy_d2d"));
    CHECK(bm_memcpy_d2d(handle, b, -1, a, 2, 1) == BM_ERR_PARAM && says("dst_offset is -1"));
    CHECK(bm_memcpy_d2s(handle, back, b) == BM_SUCCESS);
    CHECK(back[0] == 0 && back[1] == 3 && back[6] == 8 && back[7] == 0);
    CHECK(bm_memcpy_d2d_stride(handle, b, 1, a, 2, 4, 4) == BM_SUCCESS);
    CHECK(bm_memcpy_d2d_stride(handle, b, 7, a, 1, 2, 4) == BM_SUCCESS);
    CHECK(bm_memcpy_d2d_stride(handle, b, 1, a, 2, 5, 4) == BM_ERR_PARAM && says("_stride"));
    CHECK(bm_memcpy_d2d_stride(handle, b, 0, a, 1, 2, 4) == BM_ERR_PARAM && says("dst_stride is"));
    CHECK(bm_memcpy_d2d_stride(handle, b, 1, a, 1, 2, 3) == BM_ERR_PARAM && says("format_size"));
    CHECK(bm_memcpy_d2s(handle, back, b) == BM_SUCCESS);
    CHECK(back[0] == 1 && back[1] == 3 && back[3] == 7 && back[4] == 6 && back[7] == 2);
    bm_free_device(handle, a);
    bm_free_device(handle, b);
}

static void test_times(bm_device_mem_t input, bm_device_mem_t output) {
    unsigned long last = 0;
    bm_profile_t before;
    bm_profile_t after;
    float values[kWords] = {0};
    CHECK(bm_memcpy_s2d(handle, input, values) == BM_SUCCESS);
    CHECK(bm_get_profile(handle, &before) == BM_SUCCESS);
    CHECK(launch("kit_double", input, output, 0) == BM_SUCCESS);
    CHECK(bm_memcpy_s2d(handle, input, values) == BM_SUCCESS);
    CHECK(bm_get_profile(handle, &after) == BM_SUCCESS);
    CHECK(after.sent_api_counter == before.sent_api_counter + 1);
    CHECK(after.completed_api_counter == after.sent_api_counter);
    CHECK(after.cdma_in_counter == before.cdma_in_counter + 1);
    CHECK(after.cdma_out_counter == before.cdma_out_counter);
    CHECK(bm_get_last_api_process_time_us(handle, &last) == BM_SUCCESS);
    CHECK(last == (unsigned long)(okksim_last_launch_us(handle) + 0.5) && last > 0);
    CHECK(bm_get_last_api_process_time_us(handle, NULL) == BM_ERR_PARAM && says("time_us"));
    CHECK(bm_handle_sync(handle) == BM_SUCCESS && bm_flush_s(handle) == BM_SUCCESS);
    bm_flush(handle);
}

static void test_mapping(bm_device_mem_t input, bm_device_mem_t output, int cached) {
    int i;
    unsigned long long address = 0;
    unsigned long long out = 0;
    float* in_words;
    const float* out_words;
    bm_device_mem_t wrong = input;
    if (cached) {
        CHECK(bm_mem_mmap_device_mem(handle, &input, &address) == BM_SUCCESS);
        CHECK(bm_mem_mmap_device_mem(handle, &output, &out) == BM_SUCCESS);
    } else {
        CHECK(bm_mem_mmap_device_mem_no_cache(handle, &input, &address) == BM_SUCCESS);
        CHECK(bm_mem_mmap_device_mem_no_cache(handle, &output, &out) == BM_SUCCESS);
    }
    bm_mem_set_device_size(&wrong, kBytes + 1);
    CHECK(bm_mem_mmap_device_mem(handle, &wrong, &address) == BM_ERR_PARAM && says("mmap"));
    in_words = (float*)(uintptr_t)address;
    out_words = (const float*)(uintptr_t)out;
    for (i = 0; i < kWords; ++i) in_words[i] = (float)(i + cached);
    if (cached) {
        CHECK(bm_mem_flush_partial_device_mem(handle, &input, 0, kBytes / 2) == BM_SUCCESS);
        CHECK(bm_mem_flush_partial_device_mem(handle, &input, 1, kBytes) == BM_ERR_PARAM);
        CHECK(says("bm_mem_flush_partial_device_mem"));
        CHECK(bm_mem_flush_device_mem(handle, &input) == BM_SUCCESS);
    }
    CHECK(launch("kit_double", input, output, 0) == BM_SUCCESS);
    if (cached) {
        CHECK(bm_mem_invalidate_partial_device_mem(handle, &output, 0, 8) == BM_SUCCESS);
        CHECK(bm_mem_invalidate_partial_device_mem(handle, &output, kBytes, 1) == BM_ERR_PARAM);
        CHECK(says("bm_mem_invalidate_partial_device_mem"));
        CHECK(bm_mem_invalidate_device_mem(handle, &output) == BM_SUCCESS);
    }
    for (i = 0; i < kWords; ++i) CHECK(out_words[i] == 2.0f * (float)(i + cached));
    CHECK(bm_mem_unmap_device_mem(handle, in_words, kBytes - 1) == BM_ERR_PARAM && says("size is"));
    if (cached) {
        in_words[0] = -1;
        CHECK(bm_mem_unmap_device_mem(handle, in_words, kBytes) == BM_SUCCESS && says("lost"));
    } else {
        CHECK(bm_mem_unmap_device_mem(handle, in_words, kBytes) == BM_SUCCESS);
    }
    CHECK(bm_mem_unmap_device_mem(handle, in_words, kBytes) == BM_ERR_PARAM && says("no mapping"));
    CHECK(bm_mem_flush_device_mem(handle, &input) == BM_ERR_PARAM && says("are not mapped"));
    CHECK(bm_mem_unmap_device_mem(handle, (void*)(uintptr_t)out, kBytes) == BM_SUCCESS);
}

static void test_refused(void) {
    unsigned int card = 0;
    char name[64] = "";
    bm_perf_monitor_t monitor;
    monitor.monitor_id = PERF_MONITOR_TPU;
    CHECK(bm_enable_perf_monitor(handle, &monitor) == BM_ERR_NOFEATURE && says("OKKSIM_TIMELINE"));
    CHECK(bm_disable_perf_monitor(handle, &monitor) == BM_ERR_NOFEATURE && says("bm_disable_perf"));
    CHECK(bm_set_clk_tpu_freq(handle, 550) == BM_ERR_NOFEATURE && says("bdc.clock_mhz"));
    bm_set_debug_mode(handle, 1);
    CHECK(says("bm_set_debug_mode"));
    bmlib_set_api_dbg_callback(NULL);
    CHECK(says("bmlib_set_api_dbg_callback"));
    CHECK(bm_enable_iommu(handle) == BM_NOT_SUPPORTED && says("bm_enable_iommu"));
    CHECK(bm_disable_iommu(handle) == BM_NOT_SUPPORTED && says("bm_disable_iommu"));
    CHECK(bm_memcpy_c2c(handle, handle, BM_MEM_NULL, BM_MEM_NULL, false) == BM_NOT_SUPPORTED);
    CHECK(says("bm_memcpy_c2c"));
    CHECK(bm_get_card_id(handle, &card) == BM_NOT_SUPPORTED && says("bm_get_card_id"));
    CHECK(bm_get_board_name(handle, name) == BM_NOT_SUPPORTED && says("bm_get_board_name"));
    CHECK(bm_get_misc_info(handle, NULL) == BM_NOT_SUPPORTED && says("bm_get_misc_info"));
    CHECK(bm_update_firmware(handle, NULL) == BM_NOT_SUPPORTED && says("bm_update_firmware"));
    CHECK(bmlib_kernel_init(&handle) == BM_NOT_SUPPORTED && says("bmlib_kernel_init"));
    CHECK(bmlib_kernel_deinit(handle) == BM_NOT_SUPPORTED && says("bmlib_kernel_deinit"));
    CHECK(bmlib_kernel_launch(handle, "firmware") == BM_NOT_SUPPORTED &&
          says("bmlib_kernel_launch"));
    CHECK(bmlib_kernel_send_args(handle, NULL, 0) == BM_NOT_SUPPORTED &&
          says("bmlib_kernel_send_args"));
}

static void test_log(void) {
    CHECK(bmlib_log_get_level() == BMLIB_LOG_INFO);
    bmlib_log_set_level(BMLIB_LOG_ERROR);
    CHECK(bm_dev_query(1) == BM_ERR_DEVNOTREADY && says("bm_dev_query"));
    bmlib_log_set_level(BMLIB_LOG_ERROR - 1);
    CHECK(bm_dev_query(1) == BM_ERR_DEVNOTREADY && logged == 0);
    bmlib_log_set_level(BMLIB_LOG_INFO);
}

int main(void) {
    bm_device_mem_t input, output;
    bmlib_log_set_callback(callback);
    CHECK(bm_dev_request(&handle, 0) == BM_SUCCESS);
    test_facts();
    test_allocation();
    test_descriptors();
    test_copies();
    CHECK(bm_malloc_device_dword(handle, &input, kWords) == BM_SUCCESS);
    CHECK(bm_malloc_device_dword(handle, &output, kWords) == BM_SUCCESS);
    test_mapping(input, output, 1);
    test_mapping(input, output, 0);
    test_times(input, output);
    test_select();
    test_product();
    test_refused();
    test_log();
    CHECK(logged == 0);
    bmlib_log_set_callback(NULL);
    bm_dev_free(handle);
    okk_dump_registered_kernel_funcs();
    printf("right\n");
    return 0;
}
