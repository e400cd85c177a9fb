/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Host API: device memory, copies and kernel launches, with the names, types and values that host
 * programs for the device use. C and C++. Every function that can fail logs the mistake and its
 * remedy before it returns a status other than BM_SUCCESS. All functions may be called from any
 * thread. */

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
    BM_NOT_SUPPORTED = 9    /**< not supported */
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
typedef struct bm_mem_desc bm_device_mem_t;
typedef struct bm_mem_desc bm_system_mem_t;

struct bm_context;
typedef struct bm_context* bm_handle_t;

/* ---- Device. ---- */

/** Opens device `devid`; there is only device 0. Handles of one device share its memory. */
bm_status_t bm_dev_request(bm_handle_t* handle, int devid);
/** Closes a handle and releases the device memory that was allocated with it. */
void bm_dev_free(bm_handle_t handle);
bm_status_t bm_dev_getcount(int* count);

/* ---- Device memory. ---- */

/** Allocates `size` bytes, aligned to 4096 bytes. BM_ERR_NOMEM when they do not fit. */
bm_status_t bm_malloc_device_byte(bm_handle_t handle, bm_device_mem_t* pmem, unsigned int size);
/** Releases memory of bm_malloc_device_byte(). Other memory is reported and ignored. */
void bm_free_device(bm_handle_t handle, bm_device_mem_t mem);
unsigned long long bm_mem_get_device_addr(struct bm_mem_desc mem);
unsigned int bm_mem_get_device_size(struct bm_mem_desc mem);

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
/** Fills with the 32-bit word `value`; a tail shorter than a word gets its low bytes. */
bm_status_t bm_memset_device(bm_handle_t handle, const int value, bm_device_mem_t mem);

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
/** Alias of okkernel_sync(). */
bm_status_t bm_thread_sync(bm_handle_t handle);

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
