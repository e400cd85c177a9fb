/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Host API: device memory, copies and kernel launches, with the names, types and values that host
 * programs for the device use. C and C++. A function that fails logs what was wrong and what to do
 * before it returns. All functions may be called from any thread. */

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    BM_SUCCESS = 0,
    BM_ERR_DEVNOTREADY = 1, /**< the device cannot be used */
    BM_ERR_FAILURE = 2,     /**< general failure; for launches: the kernel ended with a fault */
    BM_ERR_TIMEOUT = 3,     /**< the kernel used up its command or time budget */
    BM_ERR_PARAM = 4,       /**< invalid argument */
    BM_ERR_NOMEM = 5,       /**< not enough memory */
    BM_ERR_DATA = 6,        /**< bad data */
    BM_ERR_BUSY = 7,        /**< busy */
    BM_ERR_NOFEATURE = 8,   /**< not supported yet */
    BM_NOT_SUPPORTED = 9,   /**< not supported */
    BM_ERR_VERSION = 10     /**< versions do not match */
} bm_status_t;

typedef enum {
    BM_MEM_TYPE_DEVICE = 0,
    BM_MEM_TYPE_HOST = 1,
    BM_MEM_TYPE_SYSTEM = 2,
    BM_MEM_TYPE_INT8_DEVICE = 3,
    BM_MEM_TYPE_INVALID = 4
} bm_mem_type_t;

typedef union {
    struct {
        __extension__ bm_mem_type_t mem_type : 3;
        unsigned int reserved : 29;
    } u;
    unsigned int rawflags;
} bm_mem_flags_t;

/** Describes device memory; passed by value. */
typedef struct bm_mem_desc {
    union {
        struct {
            unsigned long device_addr;
            unsigned int reserved;
            int dmabuf_fd;
        } device;
        struct {
            void* system_addr;
            unsigned int reserved0;
            int reserved1;
        } system;
    } u;
    bm_mem_flags_t flags;
    unsigned int size;
} bm_mem_desc_t;
typedef struct bm_mem_desc bm_device_mem_t, bm_system_mem_t;

/** Address in BM_MEM_NULL. No device memory has it. */
#define BM_MEM_ADDR_NULL (0xfffffffffUL)
/** A descriptor of no memory. */
#define BM_MEM_NULL (bm_mem_null())

/** Returns the status of `call` from the calling function unless it is BM_SUCCESS. The failing
 *  function has logged the reason. */
#define BM_CHECK_RET(call)                                     \
    do {                                                       \
        const bm_status_t okksim_status = (call);              \
        if (okksim_status != BM_SUCCESS) return okksim_status; \
    } while (0)

struct bm_context;
typedef struct bm_context* bm_handle_t;

/* ---- Device. ---- */
/** Opens device `devid`; there is only device 0. Handles of one device share its memory. */
bm_status_t bm_dev_request(bm_handle_t* handle, int devid);
/** Closes a handle and releases the device memory that was allocated with it. */
void bm_dev_free(bm_handle_t handle);
bm_status_t bm_dev_getcount(int* count);
bm_status_t bm_dev_query(int devid);
int bm_get_devid(bm_handle_t handle);

/* ---- Facts. They come from the machine, except for the number of the chip. ---- */
/** Number of the chip that the API belongs to: 0x1684 on every machine. */
bm_status_t bm_get_chipid(bm_handle_t handle, unsigned int* p_chipid);
/** Number of chips behind a handle: 1. Like the next two functions, 0 after a mistake. */
int bm_get_nodechip_num(bm_handle_t handle);
int bm_get_npu_num(bm_handle_t handle);
/** 32-bit words that an NPU handles at a time. */
int bm_get_eu_num(bm_handle_t handle);
/** Clock of the compute engine in MHz, rounded. */
bm_status_t bm_get_clk_tpu_freq(bm_handle_t handle, int* freq);

/* ---- Device memory. ---- */
/** Allocates `size` bytes, aligned to 4096 bytes. BM_ERR_NOMEM when they do not fit. */
bm_status_t bm_malloc_device_byte(bm_handle_t handle, bm_device_mem_t* pmem, unsigned int size);
/** Allocates 32-bit words. */
bm_status_t bm_malloc_device_dword(bm_handle_t handle, bm_device_mem_t* pmem, int count);
bm_status_t bm_malloc_neuron_device(bm_handle_t handle, bm_device_mem_t* pmem, int n, int c, int h,
                                    int w);
/** Allocates `size` bytes. All heaps, 0 to 31, are one heap here. */
bm_status_t bm_malloc_device_byte_heap(bm_handle_t handle, bm_device_mem_t* pmem, int heap_id,
                                       unsigned int size);
/** Allocates `size` bytes. The mask has a bit for each heap that may be used, and is not 0. */
bm_status_t bm_malloc_device_byte_heap_mask(bm_handle_t handle, bm_device_mem_t* pmem,
                                            int heap_id_mask, unsigned int size);
/** Releases memory of the functions above. Other memory is reported and ignored. */
void bm_free_device(bm_handle_t handle, bm_device_mem_t mem);
bm_status_t bm_free_device_s(bm_handle_t handle, bm_device_mem_t mem);

/** State of a heap; numbers are MiB. */
typedef struct bm_heap_stat {
    unsigned int mem_total, mem_avail, mem_used;
} bm_heap_stat_t;
/** State of a heap; numbers are bytes, at most UINT_MAX. */
typedef struct bm_heap_stat_byte {
    unsigned int mem_total, mem_avail, mem_used, heap_id;
} bm_heap_stat_byte_t;
/** State of the device; numbers are MiB. */
typedef struct bm_dev_stat {
    int mem_total, mem_used;
    int tpu_util; /**< 0: every function waits until the engines are idle */
    int heap_num;
    bm_heap_stat_t heap_stat[4];
} bm_dev_stat_t;
/* There is one heap, 0. */
bm_status_t bm_get_gmem_total_heap_num(bm_handle_t handle, unsigned int* heap_num);
bm_status_t bm_get_gmem_heap_id(bm_handle_t handle, bm_device_mem_t* pmem, unsigned int* heapid);
bm_status_t bm_get_gmem_heap_stat_byte_by_id(bm_handle_t handle, bm_heap_stat_byte_t* pheap_byte,
                                             unsigned int heap_id);
bm_status_t bm_get_stat(bm_handle_t handle, bm_dev_stat_t* stat);

/* ---- Descriptors. The functions that set one part leave the others. ---- */
unsigned long long bm_mem_get_device_addr(struct bm_mem_desc mem);
unsigned int bm_mem_get_device_size(struct bm_mem_desc mem);
bm_mem_type_t bm_mem_get_type(struct bm_mem_desc mem);
void bm_mem_set_device_addr(struct bm_mem_desc* pmem, unsigned long long addr);
void bm_mem_set_device_size(struct bm_mem_desc* pmem, unsigned int size);
/** Describes device memory, such as a part of an allocation. */
void bm_set_device_mem(bm_device_mem_t* pmem, unsigned int size, unsigned long long addr);
bm_device_mem_t bm_mem_from_device(unsigned long long device_addr, int len);
bm_system_mem_t bm_mem_from_system(void* system_addr);
void* bm_mem_get_system_addr(struct bm_mem_desc mem);
void bm_mem_set_system_addr(struct bm_mem_desc* pmem, void* addr);
bm_device_mem_t bm_mem_null(void);
/** Allocates n * c * h * w 32-bit words and, with need_copy, copies the host's memory to them. */
bm_status_t bm_mem_convert_system_to_device_neuron(bm_handle_t handle, struct bm_mem_desc* dev_mem,
                                                   struct bm_mem_desc sys_mem, bool need_copy,
                                                   int n, int c, int h, int w);
/** Does the same with `coeff_count` 32-bit words. */
bm_status_t bm_mem_convert_system_to_device_coeff(bm_handle_t handle, struct bm_mem_desc* dev_mem,
                                                  struct bm_mem_desc sys_mem, bool need_copy,
                                                  int coeff_count);

/* ---- Copies. They wait for the kernels launched before. A copy without a size takes the whole
 * device memory. An offset counts bytes of the device memory. ---- */
bm_status_t bm_memcpy_s2d(bm_handle_t handle, bm_device_mem_t dst, void* src);
bm_status_t bm_memcpy_s2d_partial(bm_handle_t handle, bm_device_mem_t dst, void* src,
                                  unsigned int size);
bm_status_t bm_memcpy_s2d_partial_offset(bm_handle_t handle, bm_device_mem_t dst, void* src,
                                         unsigned int size, unsigned int offset);
bm_status_t bm_memcpy_d2s(bm_handle_t handle, void* dst, bm_device_mem_t src);
bm_status_t bm_memcpy_d2s_partial(bm_handle_t handle, void* dst, bm_device_mem_t src,
                                  unsigned int size);
bm_status_t bm_memcpy_d2s_partial_offset(bm_handle_t handle, void* dst, bm_device_mem_t src,
                                         unsigned int size, unsigned int offset);
/** Overlapping ranges are copied as if through a buffer. */
bm_status_t bm_memcpy_d2d_byte(bm_handle_t handle, bm_device_mem_t dst, size_t dst_offset,
                               bm_device_mem_t src, size_t src_offset, size_t size);
/** Copies words: offsets and length count 32-bit words. */
bm_status_t bm_memcpy_d2d(bm_handle_t handle, bm_device_mem_t dst, int dst_offset,
                          bm_device_mem_t src, int src_offset, int len);
/** Copies `count` elements of 1, 2 or 4 bytes; strides count elements. */
bm_status_t bm_memcpy_d2d_stride(bm_handle_t handle, bm_device_mem_t dst, int dst_stride,
                                 bm_device_mem_t src, int src_stride, int count, int format_size);
/** Fills with the 32-bit word `value`; a tail shorter than a word gets its low bytes. */
bm_status_t bm_memset_device(bm_handle_t handle, const int value, bm_device_mem_t mem);

/* ---- Device memory in the host's address space. The host gets a copy of the bytes. A flush copies
 * them to the device, and counts as a write of all its bytes. An invalidation copies them from the
 * device, and counts as a read. A mapping without a cache is flushed before and
 * invalidated after every launch and copy, and its bytes count as written. ---- */
bm_status_t bm_mem_mmap_device_mem(bm_handle_t handle, bm_device_mem_t* dmem,
                                   unsigned long long* vmem);
bm_status_t bm_mem_mmap_device_mem_no_cache(bm_handle_t handle, bm_device_mem_t* dmem,
                                            unsigned long long* vmem);
bm_status_t bm_mem_invalidate_device_mem(bm_handle_t handle, bm_device_mem_t* dmem);
bm_status_t bm_mem_invalidate_partial_device_mem(bm_handle_t handle, bm_device_mem_t* dmem,
                                                 unsigned int offset, unsigned int len);
bm_status_t bm_mem_flush_device_mem(bm_handle_t handle, bm_device_mem_t* dmem);
bm_status_t bm_mem_flush_partial_device_mem(bm_handle_t handle, bm_device_mem_t* dmem,
                                            unsigned int offset, unsigned int len);
/** Ends the mapping at `vmem`. Bytes that were not flushed are lost, and a warning says so. */
bm_status_t bm_mem_unmap_device_mem(bm_handle_t handle, void* vmem, int size);

/* ---- Kernels. ---- */
/** Accepted and ignored: the kernels are linked with or loaded by the program. */
bm_status_t okkernel_load_firmware(bm_handle_t handle, const char* firmware_tcm,
                                   const char* firmware_ddr);
/** Runs a registered kernel with a copy of `args` and waits for it and its commands. */
bm_status_t okkernel_launch_sync(bm_handle_t handle, const char* func_name, const void* args,
                                 unsigned int size);
/** Queues a kernel; its fault, if any, is returned by the next synchronisation. */
bm_status_t okkernel_launch_async(bm_handle_t handle, const char* func_name, const void* args,
                                  unsigned int size);
/** Waits for all earlier kernels. Returns the status of the first fault, or BM_SUCCESS. */
bm_status_t okkernel_sync(bm_handle_t handle);
/** Aliases of okkernel_sync(). */
bm_status_t bm_thread_sync(bm_handle_t handle);
bm_status_t bm_handle_sync(bm_handle_t handle);
bm_status_t bm_flush_s(bm_handle_t handle);
/** Waits likewise; a fault is returned by the next synchronisation. */
void bm_flush(bm_handle_t handle);

/** Simulated times in microseconds and numbers of calls, since the device was opened first. */
typedef struct bm_profile {
    unsigned long cdma_in_time, cdma_in_counter;   /**< copies to the device */
    unsigned long cdma_out_time, cdma_out_counter; /**< copies from the device */
    unsigned long tpu_process_time;                /**< launches */
    unsigned long sent_api_counter, completed_api_counter;
} bm_profile_t;
bm_status_t bm_get_profile(bm_handle_t handle, bm_profile_t* profile);
/** Simulated time of the last launch in microseconds, rounded; 0 before the first one. */
bm_status_t bm_get_last_api_process_time_us(bm_handle_t handle, unsigned long* time_us);

/* ---- Log. Messages are errors, warnings and notes (BMLIB_LOG_INFO). ---- */
enum {
    BMLIB_LOG_QUIET = -8,
    BMLIB_LOG_PANIC = 0,
    BMLIB_LOG_FATAL = 8,
    BMLIB_LOG_ERROR = 16,
    BMLIB_LOG_WARNING = 24,
    BMLIB_LOG_INFO = 32,
    BMLIB_LOG_VERBOSE = 40,
    BMLIB_LOG_DEBUG = 48,
    BMLIB_LOG_TRACE = 56
};
/** Drops messages above a level; the first level is BMLIB_LOG_INFO. Reports of crashes always
 *  appear. */
void bmlib_log_set_level(int level);
int bmlib_log_get_level(void);
/** Passes messages to `callback` instead of standard error; NULL ends that. The callback must not
 *  call functions of this header. */
void bmlib_log_set_callback(void (*callback)(int level, const char* format, va_list args));

/* ---- Functions without a meaning in the simulator. They fail with BM_NOT_SUPPORTED, or with
 * BM_ERR_NOFEATURE if the simulator has another way, and log it. Arguments are not read. ---- */
typedef enum { PERF_MONITOR_GDMA = 0, PERF_MONITOR_TPU = 1 } PERF_MONITOR_ID;
typedef struct bm_perf_monitor {
    long long buffer_start_addr;
    int buffer_size;
    PERF_MONITOR_ID monitor_id;
} bm_perf_monitor, bm_perf_monitor_t;
bm_status_t bm_enable_perf_monitor(bm_handle_t handle, bm_perf_monitor_t* perf_monitor);
bm_status_t bm_disable_perf_monitor(bm_handle_t handle, bm_perf_monitor_t* perf_monitor);
bm_status_t bm_set_clk_tpu_freq(bm_handle_t handle, int freq);
void bm_set_debug_mode(bm_handle_t handle, int mode);
typedef void (*bmlib_api_dbg_callback)(int api, int result, int duration, const char* log);
void bmlib_set_api_dbg_callback(bmlib_api_dbg_callback callback);
bm_status_t bm_enable_iommu(bm_handle_t handle);
bm_status_t bm_disable_iommu(bm_handle_t handle);
bm_status_t bm_memcpy_c2c(bm_handle_t src_handle, bm_handle_t dst_handle, bm_device_mem_t src,
                          bm_device_mem_t dst, bool force_dst_cdma);
bm_status_t bm_get_card_id(bm_handle_t handle, unsigned int* card_id);
bm_status_t bm_get_board_name(bm_handle_t handle, char* name);
struct bm_misc_info;
bm_status_t bm_get_misc_info(bm_handle_t handle, struct bm_misc_info* pmisc_info);
typedef struct bm_fw_desc {
    unsigned int* itcm_fw;
    int itcmfw_size;
    unsigned int* ddr_fw;
    int ddrfw_size;
} bm_fw_desc, *pbm_fw_desc;
bm_status_t bm_update_firmware(bm_handle_t handle, pbm_fw_desc pfw);
bm_status_t bmlib_kernel_init(bm_handle_t* handle);
bm_status_t bmlib_kernel_deinit(bm_handle_t handle);
bm_status_t bmlib_kernel_launch(bm_handle_t handle, const char* firmware);
bm_status_t bmlib_kernel_send_args(bm_handle_t handle, const void* args, unsigned long size);

/* ---- Additions of okksim. ---- */
/** Simulated time since the device was opened first, in microseconds. */
double okksim_simulated_us(bm_handle_t handle);
/** Simulated time of the last kernel that ended, from launch to idle, in microseconds. */
double okksim_last_launch_us(bm_handle_t handle);
/** Writes one line per launch (simulated microseconds, commands, fault), and the totals. `path` is
 *  a file (JSON if it ends in ".json"), or NULL for standard error. With OKKSIM_SUMMARY=1 or
 *  OKKSIM_SUMMARY=FILE, the simulator does so after a fault and at the end of the program. */
bm_status_t okksim_write_summary(bm_handle_t handle, const char* path);

#ifdef __cplusplus
}
#endif
