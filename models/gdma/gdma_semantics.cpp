// SPDX-License-Identifier: Apache-2.0
#include "models/gdma/gdma_semantics.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "isa/base/errors.h"
#include "isa/base/fault.h"
#include "isa/base/hex.h"
#include "isa/tensors.h"
#include "models/gdma/gdma_order.h"
#include "models/memory/lane_walk.h"

namespace okksim::models {
namespace {

/// Bytes of the pattern buffer that a fill repeats.
constexpr std::int64_t kPatternBytes = 4096;
/// Pieces below this size are copied in blocks of batches, so that system memory, where
/// neighbouring pieces belong to different lanes, is swept once.
constexpr std::int64_t kSmallPieceBytes = 1024;
constexpr std::int64_t kBlockBytes = 256 * 1024;

[[noreturn]] void throw_bad_address(const isa::Command& command, const isa::TensorView& view,
                                    const isa::ByteInterval& touched) {
    FaultRecord record;
    record.code = FaultCode::kBadAddress;
    record.function = std::string("okk_") + command.info().name;
    record.argument = view.operand;
    record.value = isa::hex(view.system_addr.value());
    record.rule = "the tensor's bytes [" + isa::hex(static_cast<std::uint64_t>(touched.low)) +
                  ", " + isa::hex(static_cast<std::uint64_t>(touched.high)) +
                  ") must be wholly inside global memory, L2-SRAM or DTCM";
    record.advice = "check the address, the shape and the strides of this tensor";
    record.unit = "gdma";
    throw ProgramFault(std::move(record));
}

/// A tensor of the command with its host address.
struct Side {
    const isa::TensorView* view = nullptr;
    WalkTensor walk;
};

/// Executes one command with the member that its row's column semantics names.
class GdmaExecutor {
 public:
    GdmaExecutor(const isa::Command& command, LocalMemory& local, SystemMemory& system)
        : command_(command), local_(local), system_(system) {
        machine_.lanes = local.lanes();
        machine_.local_bytes = local.bytes_per_lane();
        machine_.vector_words = local.line_bytes() / isa::kWordBytes;
        views_ = isa::tensor_views(command, machine_);
        const bool any_local =
            std::any_of(views_.begin(), views_.end(), [](const auto& view) { return view.local; });
        lanes_ = any_local ? local.lanes() : 1;
    }

    template <typename Form>
    void copy(const Form&) {
        const Side to = side(views_[0]);
        const Side from = side(views_[1]);
        const std::int32_t width = to.view->element_bytes;
        const isa::Dim4& shape = to.view->shape;
        if (repeats_addresses(*to.view, lanes_) ||
            copy_order_matters(*to.view, to.walk, *from.view, from.walk, machine_)) {
            return copy_in_order(shape, to.walk, from.walk, width);
        }
        copy_blocks(shape, {to.walk, from.walk}, width);
    }

    template <typename Form>
    void matrix(const Form&) {
        const bool local_first = views_[0].local;
        const isa::TensorView& lanes_view = views_[local_first ? 0 : 1];
        const WalkTensor in_lanes = side(lanes_view).walk;
        // The rows in system memory, with the shape of the local tensor.
        isa::TensorView rows_view = views_[local_first ? 1 : 0];
        const std::byte* first = side(rows_view).walk.base;
        const std::int32_t width = rows_view.element_bytes;
        const isa::Dim4 stride{rows_view.stride.n, lanes_view.shape.w, lanes_view.shape.w, 1};
        const WalkTensor in_rows =
            system_tensor(const_cast<std::byte*>(first), stride, width, lanes_);
        const auto move = [&](const isa::Dim4& shape, const WalkTensor& lanes_side,
                              const WalkTensor& rows_side) {
            const WalkTensor& to = local_first ? lanes_side : rows_side;
            const WalkTensor& from = local_first ? rows_side : lanes_side;
            copy_blocks(shape, {to, from}, width);
        };
        if (local_first || !rows_overlap(rows_view)) {
            return matrix_parts(lanes_view, in_lanes, in_rows, move);
        }
        // The later row is written last, whatever its parts.
        isa::TensorView row = lanes_view;
        row.shape.n = 1;
        for (std::int32_t n = 0; n < lanes_view.shape.n; ++n) {
            WalkTensor row_in_lanes = in_lanes;
            WalkTensor row_in_memory = in_rows;
            row_in_lanes.base += n * in_lanes.stride[0];
            row_in_memory.base += n * in_rows.stride[0];
            matrix_parts(row, row_in_lanes, row_in_memory, move);
        }
    }

    /// A narrower element holds the low bits of the constant.
    template <typename Form>
    void fill(const Form& form) {
        const std::uint32_t constant = form.C.bits;
        const Side to = side(views_[0]);
        const std::int32_t width = to.view->element_bytes;
        const LaneWalk<1> walk = make_walk<1>(to.view->shape, lanes_, {to.walk});
        // A lane with fewer channel slots may have longer rows, because more of its dimensions
        // merge.
        const std::int64_t longest =
            std::min(std::max(walk.full.count, walk.rest.count) * width, kPatternBytes);
        alignas(64) std::byte pattern[kPatternBytes];
        for (std::int64_t at = 0; at < longest; at += width) {
            std::memcpy(pattern + at, &constant, static_cast<std::size_t>(width));
        }
        for (std::int32_t lane = 0; lane < walk.lanes; ++lane) {
            const WalkNest<1>& nest = walk.nest(lane);
            walk.for_each_row(lane, [&](const auto& row) {
                fill_row(row(0), nest.row_stride[0], nest.count, width, pattern);
            });
        }
    }

    template <typename Form>
    void gather(const Form& form) {
        move_rows(form.shape, listed_rows(form.shape, views_[1]), true);
    }

    template <typename Form>
    void scatter(const Form& form) {
        const std::vector<std::int64_t> rows = listed_rows(form.shape, views_[0]);
        check_single(form.shape, rows);
        move_rows(form.shape, rows, false);
    }

 private:
    /// Returns the rows of `table` that the list names, by (n, c) of the shape.
    std::vector<std::int64_t> listed_rows(const isa::Dim4& shape, const isa::TensorView& table) {
        const WalkTensor index = side(views_[2]).walk;
        std::vector<std::int64_t> rows;
        for (std::int64_t n = 0; n < shape.n; ++n) {
            for (std::int64_t c = 0; c < shape.c; ++c) {
                std::int32_t row = 0;
                std::memcpy(&row, index.base + n * index.stride[0] + c * index.stride[1],
                            sizeof row);
                if (row < 0 || row >= table.shape.c) {
                    throw_bad_row(row, n, c,
                                  "0 <= index && index < " + std::to_string(table.shape.c) +
                                      ", the rows of " + table.operand);
                }
                rows.push_back(row);
            }
        }
        return rows;
    }

    void check_single(const isa::Dim4& shape, const std::vector<std::int64_t>& rows) const {
        const std::int64_t all = views_[0].shape.c;
        std::vector<bool> written(static_cast<std::size_t>(shape.n * all));
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const auto n = static_cast<std::int64_t>(i) / shape.c;
            const auto place = static_cast<std::size_t>(n * all + rows[i]);
            if (written[place]) {
                throw_bad_row(rows[i], n, static_cast<std::int64_t>(i) % shape.c,
                              "the list must name every row of dst_addr at most once");
            }
            written[place] = true;
        }
    }

    [[noreturn]] void throw_bad_row(std::int64_t row, std::int64_t n, std::int64_t c,
                                    std::string rule) const {
        FaultRecord record;
        record.code = FaultCode::kUnpredictable;
        record.function = std::string("okk_") + command_.info().name;
        record.argument = "index_addr";
        record.value =
            std::to_string(row) + " at [" + std::to_string(n) + "," + std::to_string(c) + "]";
        record.rule = std::move(rule);
        record.advice = "check the list of rows";
        record.unit = "gdma";
        throw ProgramFault(std::move(record));
    }

    /// Copies row after row. `gathers`: the list names rows of the source.
    void move_rows(const isa::Dim4& shape, const std::vector<std::int64_t>& rows, bool gathers) {
        const Side to = side(views_[0]);
        const Side from = side(views_[1]);
        const auto row_of = [](const WalkTensor& tensor, std::int64_t n, std::int64_t row) {
            return tensor.base + n * tensor.stride[0] + row * tensor.stride[1];
        };
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const auto n = static_cast<std::int64_t>(i) / shape.c;
            const auto c = static_cast<std::int64_t>(i) % shape.c;
            std::byte* target = row_of(to.walk, n, gathers ? c : rows[i]);
            const std::byte* source = row_of(from.walk, n, gathers ? rows[i] : c);
            for (std::int64_t h = 0; h < shape.h; ++h) {
                copy_row(target + h * to.walk.stride[2], to.walk.stride[3],
                         source + h * from.walk.stride[2], from.walk.stride[3], shape.w,
                         to.view->element_bytes);
            }
        }
    }

    Side side(const isa::TensorView& view) {
        if (view.local) {
            return {&view, local_tensor(local_, view.local_addr, view.stride, view.element_bytes)};
        }
        const isa::ByteInterval touched = isa::touched_bytes(view, machine_);
        std::byte* low = touched.low > touched.high
                             ? nullptr
                             : system_.pointer(static_cast<std::uint64_t>(touched.low),
                                               static_cast<std::uint64_t>(touched.high) -
                                                   static_cast<std::uint64_t>(touched.low));
        if (low == nullptr) throw_bad_address(command_, view, touched);
        std::byte* first =
            low + (static_cast<std::int64_t>(view.system_addr.value()) - touched.low);
        return {&view, system_tensor(first, view.stride, view.element_bytes, lanes_)};
    }

    static bool rows_overlap(const isa::TensorView& rows) {
        return rows.shape.n > 1 && std::abs(std::int64_t{rows.stride.n}) < rows.shape.w;
    }

    /// Handles all channels except a partial last one, then that one.
    template <typename Move>
    void matrix_parts(const isa::TensorView& view, const WalkTensor& in_lanes,
                      const WalkTensor& in_rows, Move&& move) const {
        isa::Dim4 shape = view.shape;
        const bool partial = view.last_channel_w != shape.w;
        if (partial) --shape.c;
        if (shape.c > 0) move(shape, in_lanes, in_rows);
        if (!partial) return;
        move(isa::Dim4{shape.n, 1, 1, view.last_channel_w}, channel(in_lanes, shape.c),
             channel(in_rows, shape.c));
    }

    /// Returns the tensor that starts at one channel of another.
    WalkTensor channel(const WalkTensor& tensor, std::int32_t index) const {
        WalkTensor one = tensor;
        one.base = tensor.lane(index % lanes_) + (index / lanes_) * tensor.stride[1];
        one.wrap_lane = std::numeric_limits<std::int32_t>::max();
        return one;
    }

    void copy_blocks(isa::Dim4 shape, std::array<WalkTensor, 2> sides, std::int32_t width) const {
        const std::int64_t piece = std::int64_t{shape.h} * shape.w * width;
        const std::int64_t batch =
            std::max<std::int64_t>(1, std::abs(sides[views_[0].local ? 1 : 0].stride[0]));
        const std::int32_t all = shape.n;
        std::int32_t block = all;
        if (lanes_ > 1 && piece < kSmallPieceBytes) {
            block =
                static_cast<std::int32_t>(std::clamp<std::int64_t>(kBlockBytes / batch, 1, all));
        }
        for (std::int32_t done = 0; done < all; done += block) {
            shape.n = std::min(block, all - done);
            copy_lanes(make_walk<2>(shape, lanes_, sides), width);
            for (WalkTensor& tensor : sides) tensor.base += block * tensor.stride[0];
        }
    }

    static void copy_lanes(const LaneWalk<2>& walk, std::int32_t width) {
        for (std::int32_t lane = 0; lane < walk.lanes; ++lane) {
            const WalkNest<2>& nest = walk.nest(lane);
            walk.for_each_row(lane, [&](const auto& row) {
                copy_row(row(0), nest.row_stride[0], row(1), nest.row_stride[1], nest.count, width);
            });
        }
    }

    static void copy_row(std::byte* to, std::int64_t to_stride, const std::byte* from,
                         std::int64_t from_stride, std::int64_t count, std::int32_t width) {
        if (count == 1 || (to_stride == width && from_stride == width)) {
            const std::int64_t bytes = count * width;
            if (bytes == 4) {
                std::memmove(to, from, 4);  // a single move instruction instead of a call
            } else if (to != from) {
                std::memcpy(to, from, static_cast<std::size_t>(bytes));
            }
            return;
        }
        switch (width) {
            case 4: return copy_strided<4>(to, to_stride, from, from_stride, count);
            case 2: return copy_strided<2>(to, to_stride, from, from_stride, count);
            default: return copy_strided<1>(to, to_stride, from, from_stride, count);
        }
    }

    template <int kWidth>
    static void copy_strided(std::byte* to, std::int64_t to_stride, const std::byte* from,
                             std::int64_t from_stride, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i) {
            std::memcpy(to + i * to_stride, from + i * from_stride, kWidth);
        }
    }

    static void fill_row(std::byte* to, std::int64_t stride, std::int64_t count, std::int32_t width,
                         const std::byte* pattern) {
        if (count > 1 && stride != width) {
            for (std::int64_t i = 0; i < count; ++i) {
                std::memcpy(to + i * stride, pattern, static_cast<std::size_t>(width));
            }
            return;
        }
        for (std::int64_t at = 0; at < count * width; at += kPatternBytes) {
            std::memcpy(to + at, pattern,
                        static_cast<std::size_t>(std::min(kPatternBytes, count * width - at)));
        }
    }

    /// Copies by the definition: one element after the other, w fastest.
    void copy_in_order(const isa::Dim4& shape, const WalkTensor& to, const WalkTensor& from,
                       std::int32_t width) const {
        const auto at = [&](const WalkTensor& tensor, std::int32_t c) {
            return tensor.lane(c % lanes_) + (c / lanes_) * tensor.stride[1];
        };
        for (std::int32_t n = 0; n < shape.n; ++n) {
            for (std::int32_t c = 0; c < shape.c; ++c) {
                std::byte* to_channel = at(to, c) + n * to.stride[0];
                const std::byte* from_channel = at(from, c) + n * from.stride[0];
                for (std::int32_t h = 0; h < shape.h; ++h) {
                    for (std::int32_t w = 0; w < shape.w; ++w) {
                        std::memmove(to_channel + h * to.stride[2] + w * to.stride[3],
                                     from_channel + h * from.stride[2] + w * from.stride[3],
                                     static_cast<std::size_t>(width));
                    }
                }
            }
        }
    }

    const isa::Command& command_;
    LocalMemory& local_;
    SystemMemory& system_;
    isa::MachineShape machine_;
    isa::TensorViews views_;
    std::int32_t lanes_ = 1;
};

using Execute = void (*)(GdmaExecutor& engine, const isa::Command& command);

// The function for a row, selected by its semantics column; nullptr for rows of other units.
#define OKKSIM_EXECUTE_mover(name) \
    [](GdmaExecutor& engine, const auto& operands) { engine.name(operands); }
#define OKKSIM_EXECUTE_vector(...) nullptr
#define OKKSIM_EXECUTE_fixed(...) nullptr
#define OKKSIM_EXECUTE_array(...) nullptr
#define OKKSIM_EXECUTE_typed(...) nullptr
#define OKKSIM_EXECUTE_sequence(...) nullptr

template <typename Form, auto kMember>
constexpr Execute entry() {
    if constexpr (std::is_null_pointer_v<decltype(kMember)>) {
        return nullptr;
    } else {
        return [](GdmaExecutor& engine, const isa::Command& command) {
            kMember(engine, command.as<Form>());
        };
    }
}

constexpr std::array<Execute, isa::kInstructionCount> kExecute{
#define OKKSIM_INSTRUCTION(code, name, form, data, timing, kind, semantics, ...) \
    entry<isa::form, OKKSIM_EXECUTE_##semantics>(),
#include "isa/instructions.def"
#undef OKKSIM_INSTRUCTION
};

}  // namespace

void execute_gdma(const isa::Command& command, LocalMemory& local, SystemMemory& system) {
    const Execute execute = kExecute[isa::row_index(command.info())];
    OKKSIM_CHECK(execute != nullptr);
    GdmaExecutor engine(command, local, system);
    execute(engine, command);
}

}  // namespace okksim::models
