// SPDX-License-Identifier: Apache-2.0
// Random copies of narrow and wide elements between local and system memory. The same commands also
// copy marks: bytes of shadow memories, zero where a byte is defined and nonzero elsewhere.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "isa/layout.h"
#include "isa/tensors.h"
#include "models/chip/execute.h"
#include "models/memory/undefined_words.h"
#include "tests/support/catch.h"
#include "tests/support/random_source.h"
#include "tests/support/small_machine.h"

namespace okksim::models {
namespace {

constexpr std::int32_t kLanes = 70;  // more than a word of a mask has bits
constexpr std::int64_t kLocalBytes = 2048;
constexpr std::int64_t kSystemBytes = 64 * 1024;

class Moves {
 public:
    explicit Moves(std::uint64_t seed) : random_(seed) {
        map_.mark_system(machine_.global_start, kSystemBytes);
        std::fill_n(marks_.system.pointer(machine_.global_start, kSystemBytes), kSystemBytes,
                    std::byte{0});
    }

    void step() {
        shape_ = {static_cast<std::int32_t>(random_.between(1, 2)),
                  static_cast<std::int32_t>(random_.pick({1, 2, 69, 73})),
                  static_cast<std::int32_t>(random_.between(1, 3)),
                  static_cast<std::int32_t>(random_.between(1, 5))};
        size_ = static_cast<std::int32_t>(random_.pick({1, 2, 4}));
        // Results and sources are in different halves of the memories.
        result_half_ = random_.below(2);
        switch (random_.below(8)) {
            case 0: return fill();
            case 1: return to_local();
            case 2: return to_system();
            case 3: return between_lanes();
            case 4: return matrix_to_local();
            case 5: return rows_by_list(true);
            case 6: return rows_by_list(false);
            default: return matrix();
        }
    }

    /// True if the definedness of every byte agrees with its mark.
    bool agrees() {
        for (std::int32_t lane = 0; lane < kLanes; ++lane) {
            for (std::int64_t at = 0; at < kLocalBytes; at += isa::kWordBytes) {
                const bool undefined =
                    undefined_.holds(lane, at) || !map_.knows_local(lane, at, local_);
                if (undefined != (*marks_.local.words(lane, at) != 0)) return false;
            }
        }
        const std::byte* system = marks_.system.pointer(machine_.global_start, kSystemBytes);
        for (std::int64_t at = 0; at < kSystemBytes; ++at) {
            const auto address = machine_.global_start + static_cast<std::uint64_t>(at);
            if (undefined_.find(address, 1).has_value() != (system[at] != std::byte{0})) {
                return false;
            }
        }
        return true;
    }

 private:
    struct Memories {
        LocalMemory local;
        SystemMemory system;
    };

    isa::LocalAddr local_place(std::int64_t half) {
        const std::int64_t lane = random_.pick({0, 1, 62, 63, 64, 69});
        const std::int64_t offset = half * kLocalBytes / 2 + random_.below(64) * size_;
        return {static_cast<std::uint32_t>(lane * kLocalBytes + offset)};
    }
    isa::SystemAddr system_place(std::int64_t half) {
        return isa::SystemAddr::from(
            machine_.global_start +
            static_cast<std::uint64_t>(half * kSystemBytes / 2 + random_.below(64) * size_));
    }
    isa::Dim4 local_stride() {
        const auto gap = [&] { return static_cast<std::int32_t>(random_.below(2)); };
        isa::Dim4 stride;
        stride.w = 1;
        stride.h = shape_.w + gap();
        stride.n = shape_.h * stride.h + gap();
        stride.c = shape_.n * stride.n + gap();
        return stride;
    }
    isa::Dim4 system_stride() { return isa::continuous_stride(shape_); }
    isa::Opcode of_size(isa::Opcode bits32, isa::Opcode bits16, isa::Opcode bits8) const {
        return size_ == 4 ? bits32 : size_ == 2 ? bits16 : bits8;
    }

    void fill() {
        size_ = 4;
        run(isa::Command::make(
            isa::Opcode::bdc_32bit_set_C,
            isa::VectorSet{local_place(result_half_), {}, shape_, local_stride()}));
    }
    void to_local() {
        using enum isa::Opcode;
        run(isa::Command::make(
            of_size(gdma_32bit_cpy_S2L, gdma_16bit_cpy_S2L, gdma_8bit_cpy_S2L),
            isa::GdmaCopyToLocal{local_place(result_half_), system_place(1 - result_half_), shape_,
                                 local_stride(), system_stride()}));
    }
    void to_system() {
        using enum isa::Opcode;
        run(isa::Command::make(
            of_size(gdma_32bit_cpy_L2S, gdma_16bit_cpy_L2S, gdma_8bit_cpy_L2S),
            isa::GdmaCopyToSystem{system_place(result_half_), local_place(1 - result_half_), shape_,
                                  system_stride(), local_stride()}));
    }
    void between_lanes() {
        using enum isa::Opcode;
        run(isa::Command::make(
            of_size(gdma_32bit_cpy_L2L, gdma_16bit_cpy_L2L, gdma_8bit_cpy_L2L),
            isa::GdmaCopyLocal{local_place(result_half_), local_place(1 - result_half_), shape_,
                               local_stride(), local_stride()}));
    }
    void matrix() {
        size_ = 4;
        isa::GdmaMatrixToSystem move{};
        move.dst_addr = system_place(result_half_);
        move.src_addr = local_place(1 - result_half_);
        move.rows = static_cast<std::int32_t>(random_.between(1, 4));
        move.cols_per_channel = static_cast<std::int32_t>(random_.between(1, 5));
        move.cols = static_cast<std::int32_t>(random_.between(1, 12));
        move.row_stride = move.cols + static_cast<std::int32_t>(random_.below(2));
        run(isa::Command::make(isa::Opcode::gdma_32bit_matrix_L2S, move));
    }

    /// The unused columns of the last channel keep their contents.
    void matrix_to_local() {
        size_ = 4;
        isa::GdmaMatrixToLocal move{};
        move.dst_addr = local_place(result_half_);
        move.src_addr = system_place(1 - result_half_);
        move.rows = static_cast<std::int32_t>(random_.between(1, 4));
        move.cols_per_channel = static_cast<std::int32_t>(random_.between(1, 5));
        move.cols = static_cast<std::int32_t>(random_.between(1, 12));
        move.row_stride = move.cols + static_cast<std::int32_t>(random_.below(2));
        run(isa::Command::make(isa::Opcode::gdma_32bit_matrix_S2L, move));
    }

    /// The list is past the compared bytes, at the same address in both memories.
    void rows_by_list(bool gathers) {
        isa::Dim4 all = shape_;
        all.c = shape_.c + static_cast<std::int32_t>(random_.below(3));
        const std::uint64_t list = machine_.global_start + kSystemBytes;
        const std::int64_t entries = std::int64_t{shape_.n} * shape_.c;
        map_.mark_system(list, static_cast<std::uint64_t>(entries * isa::kWordBytes));
        for (std::int32_t n = 0; n < shape_.n; ++n) {
            std::vector<std::int32_t> rows(static_cast<std::size_t>(all.c));
            std::iota(rows.begin(), rows.end(), 0);
            for (std::int32_t c = 0; c < shape_.c; ++c) {
                // Each row once: a scatter must not name a row twice.
                std::swap(rows[static_cast<std::size_t>(c)],
                          rows[static_cast<std::size_t>(random_.between(c, all.c - 1))]);
                const std::int64_t at = (std::int64_t{n} * shape_.c + c) * isa::kWordBytes;
                for (SystemMemory* memory : {&system_, &marks_.system}) {
                    std::memcpy(memory->pointer(list + static_cast<std::uint64_t>(at), 4),
                                &rows[static_cast<std::size_t>(c)], 4);
                }
            }
        }
        const auto type = size_ == 4   ? isa::ElementType::kInt32
                          : size_ == 2 ? isa::ElementType::kInt16
                                       : isa::ElementType::kInt8;
        const isa::Dim4 few = isa::continuous_stride(shape_), many = isa::continuous_stride(all);
        const isa::Dim4 of_list = isa::continuous_stride({shape_.n, shape_.c, 1, 1});
        const isa::SystemAddr to = system_place(result_half_),
                              from = system_place(1 - result_half_);
        if (gathers) {
            run(isa::Command::make(isa::Opcode::gdma_gather_S2S,
                                   isa::GdmaGather{to, from, isa::SystemAddr::from(list), shape_,
                                                   all, few, many, of_list, type}));
        } else {
            run(isa::Command::make(isa::Opcode::gdma_scatter_S2S,
                                   isa::GdmaScatter{to, from, isa::SystemAddr::from(list), shape_,
                                                    all, many, few, of_list, type}));
        }
    }

    void run(const isa::Command& command) {
        const isa::TensorViews views = isa::tensor_views(command, machine_);
        if (map_.find_unwritten(command, views, local_, system_) ||
            undefined_.reads(command, views)) {
            undefined_.carry(command, views, map_, local_, system_, ++number_);
        }
        undefined_.note_gaps(command, views, map_, local_);
        map_.mark_results(command, views);
        undefined_.settle(command, views);
        execute(command, {marks_.local, marks_.system, pool_});
    }

    tests::RandomSource random_;
    isa::MachineShape machine_ = tests::small_machine(kLanes, kLocalBytes);
    // No command executes on these memories: only the WrittenMap records writes.
    LocalMemory local_{machine_};
    SystemMemory system_{machine_};
    Memories marks_{LocalMemory(machine_), SystemMemory(machine_)};
    WrittenMap map_{machine_};
    LanePool pool_;
    UndefinedWords undefined_{machine_, [](const isa::Command&) {}};
    std::uint32_t number_ = 0;
    isa::Dim4 shape_;
    std::int32_t size_ = 4;
    std::int64_t result_half_ = 0;
};

}  // namespace

TEST_CASE("random moves carry undefined bytes where the bytes themselves go") {
    for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
        Moves moves(seed);
        for (int i = 0; i < 60; ++i) {
            moves.step();
            INFO("seed " << seed << ", command " << i);
            REQUIRE(moves.agrees());
        }
    }
}

}  // namespace okksim::models
