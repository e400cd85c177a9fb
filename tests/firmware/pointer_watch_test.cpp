// SPDX-License-Identifier: Apache-2.0
// Loads and stores through pointers that a kernel has got, while commands are in flight.
#include "firmware/watch/pointer_watch.h"

#include <sys/mman.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "firmware/calls/context.h"
#include "firmware/leave/kernel_runner.h"
#include "firmware/okk.h"
#include "firmware/watch/kernel_checks.h"
#include "tests/firmware/recording_port.h"
#include "tests/support/catch.h"
#include "tests/support/small_machine.h"

namespace okksim::tests {
namespace {

constexpr std::size_t kLocalBytes = 16384;

/// A port whose local memory of 4 lanes has its own pages.
class PagedPort : public RecordingPort {
 public:
    PagedPort() : RecordingPort(small_machine(4, kLocalBytes)) {
        block_ = static_cast<std::byte*>(
            mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    }
    ~PagedPort() override { munmap(block_, kBytes); }

    void* local_pointer(isa::LocalAddr address) override { return block_ + address.value; }
    bool owns_pages() const override { return owns; }

    bool owns = true;

 private:
    static constexpr std::size_t kBytes = 4 * kLocalBytes;
    std::byte* block_;
};

struct Bench {
    explicit Bench(bool watches, bool owns = true) {
        port.owns = owns;
        options.watch_pointers = watches;
        options.report = [this](Finding finding) { findings.push_back(std::move(finding)); };
    }
    /// Runs a kernel and returns the number of findings.
    std::size_t run(firmware::KernelEntry kernel) {
        firmware::Context context{port, options};
        findings.clear();
        REQUIRE_FALSE(firmware::run_kernel(context, kernel, nullptr));
        return findings.size();
    }

    PagedPort port;
    firmware::ContextOptions options;
    std::vector<Finding> findings;
};

const dim4 kRow{1, 1, 1, 16};

volatile float* lane_1() { return reinterpret_cast<volatile float*>(okk_local_mem_addr(1, 0)); }
/// Fills 16 words of lane 1 from word `first` on.
void fill(unsigned first) {
    okk_bdc_32bit_set_C(static_cast<local_addr_t>(kLocalBytes + 4 * first), x32{}, &kRow, nullptr);
}

void uses_an_old_pointer(const void*) {
    okk_initialize();
    volatile float* const lane = lane_1();
    fill(32);
    lane[15] = 2;  // in the same page
    lane[47] = lane[32];
    okk_poll();
}
void looks_beside(const void*) {
    okk_initialize();
    volatile float* const lane = lane_1();
    fill(32);
    lane[48] = lane[31];
    okk_poll();
    lane[32] = lane[33];
}
void is_done_with_its_pointer(const void*) {
    okk_initialize();
    volatile float* const lane = lane_1();
    firmware::Context::current()->checks()->pointers_are_done();
    fill(32);
    lane[47] = lane[32];  // the watch has ended
    okk_poll();
}
void asks_again(const void*) {
    okk_initialize();
    lane_1();
    firmware::Context::current()->checks()->pointers_are_done();
    volatile float* const lane = lane_1();
    fill(32);
    lane[47] = 1;
    okk_poll();
}
void asks_early(const void*) {
    okk_initialize();
    fill(0);
    volatile float* const lane = lane_1();
    okk_poll();
    lane[0] = lane[1];
}
void asks_and_uses_early(const void*) {
    okk_initialize();
    fill(0);
    lane_1()[15] = 1;
    okk_poll();
}
void stores_under_a_reader(const void*) {
    okk_initialize();
    volatile float* const lane = lane_1();
    okk_bdc_neg(kLocalBytes + 1024, kLocalBytes, &kRow, nullptr, nullptr);
    if (lane[0] == 0) lane[0] = 1;
    okk_poll();
}
void reads_beside_a_reader(const void*) {
    okk_initialize();
    volatile float* const lane = lane_1();
    okk_bdc_neg(kLocalBytes + 1024, kLocalBytes, &kRow, nullptr, nullptr);
    lane[64] = lane[0];
    okk_poll();
}

void stores_by_itself(const void*) {
    okk_initialize();
    volatile float* const lane = lane_1();
    lane[3] = 5;
    okk_poll();
    lane[9] = 0;  // the former contents
}
void loads_by_itself(const void*) {
    okk_initialize();
    volatile float* const lane = lane_1();
    lane[2] = lane[3] + 1;
}
void copies_by_itself(const void*) {
    okk_initialize();
    volatile float* const lane = lane_1();
    lane[2] = lane[3];  // no use of it
}

#if defined(__x86_64__)
constexpr unsigned char pattern_at(std::size_t i) { return static_cast<unsigned char>(7 + 37 * i); }

/// Stores once with every kind of instruction that the watch emulates, 64 bytes apart: common and
/// rare results of C compilers.
void stores_in_every_way(const void*) {
    okk_initialize();
    unsigned char* at = okk_local_mem_addr(1, 0);
    const std::uint64_t value = 0x1122334455667788;
    const float vector[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const auto next = [&] { return at += 64; };
    asm volatile("movb %b1, (%0)" ::"r"(next()), "q"(value) : "memory");
    asm volatile("mov %1, %%rax; movb %%ah, 1(%0)" ::"r"(next()), "r"(value) : "rax", "memory");
    asm volatile("movw %w1, (%0)" ::"r"(next()), "r"(value) : "memory");
    asm volatile("movl %k1, 8(%0,%2,4)" ::"r"(next()), "r"(value), "r"(2l) : "memory");
    asm volatile("mov %0, %%r13; movq %1, (%%r13)" ::"r"(next()), "r"(value) : "r13", "memory");
    asm volatile("mov %0, %%r12; movl $7, 4(%%r12)" ::"r"(next()) : "r12", "memory");
    asm volatile("movq $-2, 0x10(%0)" ::"r"(next()) : "memory");
    asm volatile("movw $5, (%0)" ::"r"(next()) : "memory");
    asm volatile("movb $6, (%0)" ::"r"(next()) : "memory");
    asm volatile("movups %1, %%xmm9; movss %%xmm9, (%0)" ::"r"(next()), "m"(vector[2])
                 : "xmm9", "memory");
    asm volatile("movups %1, %%xmm1; movsd %%xmm1, (%0)" ::"r"(next()), "m"(vector[2])
                 : "xmm1", "memory");
    asm volatile("movups %1, %%xmm10; movups %%xmm10, (%0)" ::"r"(next()), "m"(vector[2])
                 : "xmm10", "memory");
    asm volatile("movups %1, %%xmm2; movdqa %%xmm2, (%0)" ::"r"(next()), "m"(vector[1])
                 : "xmm2", "memory");
    asm volatile("movups %1, %%xmm2; movq %%xmm2, (%0)" ::"r"(next()), "m"(vector[1])
                 : "xmm2", "memory");
    asm volatile("movups %1, %%xmm2; movd %%xmm2, (%0)" ::"r"(next()), "m"(vector[1])
                 : "xmm2", "memory");
    asm volatile("addl $3, (%0)" ::"r"(next()) : "memory");  // not emulated
    unsigned char* to = next();
    std::uint64_t count = 48;
    asm volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(0x5A) : "memory");
    to = next();
    const auto* from = reinterpret_cast<const unsigned char*>(vector);
    count = 4;
    asm volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(count)::"memory");
    if (count != 0 || to != at + 32) okk_bdc_sqrt(0, 4, &kRow);  // a fault
    if (__builtin_cpu_supports("avx")) {
        asm volatile("vmovups %1, %%ymm11; vmovups %%ymm11, (%0); vzeroupper" ::"r"(next()),
                     "m"(vector[0])
                     : "xmm11", "memory");
    }
    okk_poll();
}

std::vector<std::uint64_t> loaded;
/// Loads once with every kind of instruction that the watch emulates, and with some others, from a
/// page with one undefined byte.
void loads_in_every_way(const void*) {
    okk_initialize();
    const unsigned char* const at = okk_local_mem_addr(1, 0);
    for (std::size_t i = 0; i < 256; ++i) okk_local_mem_addr(1, 0)[i] = pattern_at(i);
    okk_poll();
    loaded.clear();
    const auto keep = [](std::uint64_t value) { loaded.push_back(value); };
    std::uint64_t value = ~std::uint64_t{0};
    asm volatile("movb 3(%1), %b0" : "+q"(value) : "r"(at));  // not emulated
    keep(value);
    asm volatile("movl 4(%1), %k0" : "+r"(value) : "r"(at));
    keep(value);
    asm volatile("movq 8(%1), %0" : "+r"(value) : "r"(at));
    keep(value);
    asm volatile("mov %1, %%r13; movq 16(%%r13,%2,4), %%r12; mov %%r12, %0"
                 : "=r"(value)
                 : "r"(at), "r"(3l)
                 : "r12", "r13");
    keep(value);
    asm volatile("movzbl 130(%1), %k0" : "=r"(value) : "r"(at));
    keep(value);
    asm volatile("movzwl 131(%1), %k0" : "=r"(value) : "r"(at));
    keep(value);
    asm volatile("movsbq 133(%1), %0" : "=r"(value) : "r"(at));
    keep(value);
    asm volatile("movswl 134(%1), %k0" : "=r"(value) : "r"(at));
    keep(value);
    asm volatile("movslq 136(%1), %0" : "=r"(value) : "r"(at));
    keep(value);
    std::uint64_t vector[2];
    const auto keep_vector = [&] {
        keep(vector[0]);
        keep(vector[1]);
    };
    asm volatile("pcmpeqd %%xmm9, %%xmm9; movss 20(%1), %%xmm9; movups %%xmm9, %0"
                 : "=m"(vector)
                 : "r"(at)
                 : "xmm9");
    keep_vector();
    asm volatile("pcmpeqd %%xmm3, %%xmm3; movsd 24(%1), %%xmm3; movups %%xmm3, %0"
                 : "=m"(vector)
                 : "r"(at)
                 : "xmm3");
    keep_vector();
    asm volatile("movups 33(%1), %%xmm12; movups %%xmm12, %0" : "=m"(vector) : "r"(at) : "xmm12");
    keep_vector();
    asm volatile("pcmpeqd %%xmm2, %%xmm2; movd 50(%1), %%xmm2; movups %%xmm2, %0"
                 : "=m"(vector)
                 : "r"(at)
                 : "xmm2");
    keep_vector();
    asm volatile("addl 60(%1), %k0" : "+r"(value) : "r"(at));  // not emulated
    keep(value);
}

/// Offset and size of each store of stores_in_every_way(), in order.
const std::vector<std::pair<std::uint32_t, std::uint64_t>> kEveryWay{
    {0, 1}, {1, 1},  {0, 2},  {16, 4}, {0, 8}, {4, 4}, {16, 8}, {0, 2},  {0, 1}, {0, 4},
    {0, 8}, {0, 16}, {0, 16}, {0, 8},  {0, 4}, {0, 4}, {0, 48}, {0, 32}, {0, 32}};
#endif

}  // namespace

#if defined(__x86_64__)
TEST_CASE("stores that are made in the kernel's place leave what the kernel would") {
    // Run without a watch first.
    PagedPort plain;
    firmware::Context unwatched{plain, {}};
    REQUIRE_FALSE(firmware::run_kernel(unwatched, stores_in_every_way, nullptr));
    PagedPort port;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> told;
    firmware::ContextOptions options;
    options.watch_pointers = true;
    options.processor_stored = [&](const firmware::MemoryPlace& first, std::uint64_t bytes,
                                   const void*, bool exact) {
        CHECK(exact);
        told.emplace_back(first.local_address.value, bytes);
    };
    firmware::Context context{port, options};
    REQUIRE_FALSE(firmware::run_kernel(context, stores_in_every_way, nullptr));
    const auto* const expected = static_cast<const std::byte*>(plain.local_pointer({0}));
    const auto* const got = static_cast<const std::byte*>(port.local_pointer({0}));
    CHECK(std::equal(expected, expected + 2 * kLocalBytes, got));
    const std::size_t ways =
        __builtin_cpu_supports("avx") ? kEveryWay.size() : kEveryWay.size() - 1;
    REQUIRE(told.size() == ways);
    for (std::size_t i = 0; i < ways; ++i) {
        CAPTURE(i);
        CHECK(told[i].first == kLocalBytes + 64 * (i + 1) + kEveryWay[i].first);
        // For stores that are not emulated, the number of changed bytes counts.
        CHECK(told[i].second <= kEveryWay[i].second);
        if (i != 15) CHECK(told[i].second == kEveryWay[i].second);
    }
}
#endif

#if defined(__x86_64__)
TEST_CASE("loads that are made in the kernel's place give what the kernel would get") {
    PagedPort plain;
    firmware::Context unwatched{plain, {}};
    REQUIRE_FALSE(firmware::run_kernel(unwatched, loads_in_every_way, nullptr));
    const std::vector<std::uint64_t> expected = loaded;
    Bench bench(true);
    bench.options.check_local_load = [](isa::LocalAddr address,
                                        std::uint64_t bytes) -> std::optional<std::string> {
        const std::uint32_t unwritten = kLocalBytes + 1000;
        if (unwritten < address.value || unwritten >= address.value + bytes) return std::nullopt;
        return "loads what nobody has written";
    };
    CHECK(bench.run(loads_in_every_way) == 0);
    CHECK(loaded == expected);
    REQUIRE(expected.size() == 18);
    CHECK(expected[5] == pattern_at(131) + 256 * pattern_at(132));
}
#endif

TEST_CASE("what the kernel's own code stores is told with the instruction that does") {
    struct Told {
        std::uint32_t address;
        std::uint64_t bytes;
        const void* site;
    };
    std::vector<Told> told;
    PagedPort port;
    firmware::ContextOptions options;
    options.watch_pointers = true;
    options.processor_stored = [&](const firmware::MemoryPlace& first, std::uint64_t bytes,
                                   const void* site, bool) {
        CHECK(first.local);
        told.push_back({first.local_address.value, bytes, site});
    };
    firmware::Context context{port, options};
    REQUIRE_FALSE(firmware::run_kernel(context, stores_by_itself, nullptr));
    REQUIRE(told.size() == 2);
    // Lane 1 begins at kLocalBytes; words have 4 bytes.
    CHECK(told[0].address == kLocalBytes + 3 * 4);
    CHECK(told[1].address == kLocalBytes + 9 * 4);
    CHECK(told[0].bytes <= 4);
    CHECK(told[1].bytes == 4);
    CHECK(told[0].site != told[1].site);
}

TEST_CASE("pointers that are not used any more are not watched, new ones are") {
    Bench bench(false);
    CHECK(bench.run(uses_an_old_pointer) == 1);
    CHECK(bench.run(is_done_with_its_pointer) == 0);
    CHECK(bench.run(asks_again) == 1);
}

TEST_CASE("loads and stores of the kernel's own are held against what is known of memory") {
    Bench bench(true);
    bench.options.check_local_load = [](isa::LocalAddr address,
                                        std::uint64_t bytes) -> std::optional<std::string> {
        const std::uint32_t unwritten = kLocalBytes + 3 * 4;
        if (unwritten < address.value || unwritten >= address.value + bytes) return std::nullopt;
        return "loads what nobody has written";
    };
    REQUIRE(bench.run(loads_by_itself) == 1);
    CHECK(bench.findings[0].kind == FindingKind::kUnwrittenRead);
    CHECK_THAT(bench.findings[0].message, Catch::Contains("loads what nobody has written"));
    CHECK(bench.run(copies_by_itself) == 0);
    CHECK(bench.run(stores_by_itself) == 0);
}

TEST_CASE(
    "the use of an old pointer before the engines are done is seen when pointers are watched") {
    Bench bench(true);
    REQUIRE(bench.run(uses_an_old_pointer) == 1);  // once, for any number of other accesses
    CHECK(bench.findings[0].kind == FindingKind::kOrder);
    CHECK_THAT(bench.findings[0].message, Catch::Contains("okk_local_mem_addr: the pointer"));
    CHECK_THAT(bench.findings[0].message, Catch::Contains("bdc.32bit_set_C"));
    CHECK_THAT(bench.findings[0].message,
               Catch::Contains("writes, and the kernel has not waited for it"));
    CHECK_FALSE(bench.findings[0].call_stack.empty());
    REQUIRE(bench.run(stores_under_a_reader) == 1);
    CHECK_THAT(bench.findings[0].message,
               Catch::Contains("reads, and the kernel has not waited for it"));
    CHECK(bench.run(looks_beside) == 0);
    CHECK(bench.run(reads_beside_a_reader) == 0);
}

TEST_CASE("a pointer that is used early counts, whenever it was asked for") {
    Bench bench(false);
    CHECK(bench.run(asks_early) == 0);
    CHECK(bench.run(asks_and_uses_early) == 1);
    CHECK(bench.run(uses_an_old_pointer) == 1);
    CHECK(bench.run(stores_under_a_reader) == 1);
    CHECK(bench.run(looks_beside) == 0);
    CHECK(bench.run(reads_beside_a_reader) == 0);
    // Without separate pages, only the request of a pointer is visible, not its use.
    Bench blind(true, false);
    CHECK(blind.run(asks_early) == 1);
    CHECK(blind.run(asks_and_uses_early) == 1);
    CHECK(blind.run(uses_an_old_pointer) == 0);
}

}  // namespace okksim::tests
