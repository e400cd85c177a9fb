// SPDX-License-Identifier: Apache-2.0
// Usual mistakes of host programs: `host_mistakes NAME`. The line of a mistake ends in a comment
// with its name.
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bmlib_runtime.h"
#include "okk.h"

// clang-format off

namespace {

struct Arguments {
    unsigned long long in, out;
};

void copies(const void* arguments) {
    const Arguments* const a = static_cast<const Arguments*>(arguments);
    const dim4 all = {1, 64, 1, 16};
    okk_initialize();
    okk_gdma_32bit_cpy_S2L(0, a->in, &all, NULL, NULL);
    okk_gdma_32bit_cpy_L2S(a->out, 0, &all, NULL, NULL);
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(copies)

}  // namespace

int main(int, char** argv) {
    bm_handle_t h, none = nullptr;
    bm_device_mem_t in, out, other, zero;
    std::vector<float> x(1024, 1.f);
    memset(&zero, 0, sizeof zero);
    if (bm_dev_request(&h, 0) != BM_SUCCESS) return 1;
    bm_malloc_device_byte(h, &in, 4096);
    bm_malloc_device_byte(h, &out, 4096);
    bm_memcpy_s2d(h, in, x.data());
    Arguments args = {bm_mem_get_device_addr(in), bm_mem_get_device_addr(out)};
    okkernel_launch_sync(h, "copies", &args, sizeof args);
    bool keeps = false;
    const std::map<std::string, std::function<void()>> mistakes = {
        {"nothing", [&] {}},
        {"reads_zeroed", [&] { bm_memcpy_d2s(h, x.data(), zero); }},  // reads_zeroed
        {"writes_zeroed", [&] { bm_memcpy_s2d(h, zero, x.data()); }},  // writes_zeroed
        {"reads_part_of_zeroed", [&] { bm_memcpy_d2s_partial(h, x.data(), zero, 64); }},  // reads_part_of_zeroed
        {"writes_nothing_to_zeroed", [&] { bm_memcpy_s2d_partial_offset(h, zero, x.data(), 0, 0); }},  // writes_nothing_to_zeroed
        {"copies_zeroed", [&] { bm_memcpy_d2d_byte(h, out, 0, zero, 0, 0); }},  // copies_zeroed
        {"fills_zeroed", [&] { bm_memset_device(h, 0, zero); }},  // fills_zeroed
        {"fills_null", [&] { bm_memset_device(h, 0, bm_mem_null()); }},  // fills_null
        {"fills_host_memory", [&] { bm_memset_device(h, 0, bm_mem_from_system(x.data())); }},  // fills_host_memory
        {"frees_zeroed", [&] { bm_free_device(h, zero); }},  // frees_zeroed
        {"maps_zeroed", [&] { unsigned long long at; bm_mem_mmap_device_mem(h, &zero, &at); }},  // maps_zeroed
        {"reads_past_the_end", [&] { bm_memcpy_d2s_partial_offset(h, x.data(), out, 4096, 64); }},  // reads_past_the_end
        {"copies_past_the_end", [&] { bm_memcpy_d2d_byte(h, out, 0, in, 4000, 200); }},  // copies_past_the_end
        {"widens_a_descriptor", [&] { bm_mem_set_device_size(&out, 8192); bm_memcpy_d2s(h, x.data(), out); }},  // widens_a_descriptor
        {"frees_twice", [&] { bm_malloc_device_byte(h, &other, 64); bm_free_device(h, other);
                              bm_free_device(h, other); }},  // frees_twice
        {"reads_freed", [&] { bm_malloc_device_byte(h, &other, 64); bm_free_device(h, other);
                              bm_memcpy_d2s(h, x.data(), other); }},  // reads_freed
        {"has_no_handle", [&] { bm_memcpy_d2s(none, x.data(), out); }},  // has_no_handle
        {"reads_memory_of_a_closed_handle", [&] { bm_handle_t h2; bm_dev_request(&h2, 0); bm_malloc_device_byte(h2, &other, 64);
                                                  bm_free_device(h2, other); bm_dev_free(h2);
                                                  bm_memcpy_d2s(h, x.data(), other); }},  // reads_memory_of_a_closed_handle
        {"frees_by_another_handle", [&] { bm_handle_t h2; bm_dev_request(&h2, 0); bm_malloc_device_byte(h, &other, 64);
                                          bm_free_device(h2, other); bm_dev_free(h2); }},
        {"keeps_memory", [&] { bm_malloc_device_byte(h, &other, 64); }},  // keeps_memory
        {"keeps_all", [&] { keeps = true; }},
    };
    mistakes.at(argv[1])();
    if (keeps) return 0;
    bm_free_device(h, in);
    bm_free_device(h, out);
    bm_dev_free(h);
    return 0;
}

// clang-format on
