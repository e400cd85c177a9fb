// SPDX-License-Identifier: Apache-2.0
// The GDMA functions of bm_atomic.h as commands.
#include <cstring>
#include <limits>
#include <string>

#include "firmware/atomic/atomic_commands.h"
#include "firmware/calls/argument_fault.h"

namespace okksim::firmware {
namespace {

using isa::Command;
using isa::MachineShape;
using isa::Opcode;

/// Commands by direction, and fills, of elements of one width.
struct MoveRow {
    int bytes;
    Opcode to_local, to_system, in_system, in_local;
    Opcode fill_system, fill_local;
};
constexpr MoveRow kMoves[] = {
    {4, Opcode::gdma_32bit_cpy_S2L, Opcode::gdma_32bit_cpy_L2S, Opcode::gdma_32bit_cpy_S2S,
     Opcode::gdma_32bit_cpy_L2L, Opcode::gdma_32bit_set_C_system, Opcode::gdma_32bit_set_C_local},
    {2, Opcode::gdma_16bit_cpy_S2L, Opcode::gdma_16bit_cpy_L2S, Opcode::gdma_16bit_cpy_S2S,
     Opcode::gdma_16bit_cpy_L2L, Opcode::gdma_16bit_set_C_system, Opcode::gdma_16bit_set_C_local},
    {1, Opcode::gdma_8bit_cpy_S2L, Opcode::gdma_8bit_cpy_L2S, Opcode::gdma_8bit_cpy_S2S,
     Opcode::gdma_8bit_cpy_L2L, Opcode::gdma_8bit_set_C_system, Opcode::gdma_8bit_set_C_local},
};

/// Returns 0 for an unknown format.
int bytes_of(BmGDMAFormat format) {
    switch (format) {
        case BM_GDMA_FORMAT_FLOAT32: return 4;
        case BM_GDMA_FORMAT_INT16:
        case BM_GDMA_FORMAT_FLOAT16: return 2;
        case BM_GDMA_FORMAT_UINT8:
        case BM_GDMA_FORMAT_INT8: return 1;
    }
    return 0;
}

const MoveRow& row_of(BmGDMAFormat format, const char* field) {
    for (const MoveRow& row : kMoves) {
        if (row.bytes == bytes_of(format)) return row;
    }
    require_field(false, field, static_cast<std::uint64_t>(format),
                  "a format is one of BM_GDMA_FORMAT_*", "name one of them");
    return kMoves[0];
}

isa::LocalAddr in_lane(std::uint64_t address, unsigned int lane, const MachineShape& machine,
                       const char* field) {
    return local_of(lane * static_cast<std::uint64_t>(machine.local_bytes) + address, field);
}

/// The operands of a copy. An address in local memory includes the start of its lane.
struct Move {
    isa::Dim4 shape, dst_stride, src_stride;
    std::uint64_t dst = 0, src = 0;
};

AtomicCommand moved(const MoveRow& row, BmGDMADir direction, const Move& m) {
    const auto system = [](std::uint64_t address) { return isa::SystemAddr::from(address); };
    switch (direction) {
        case BM_GDMA_DIR_S2L:
            return {Command::make(row.to_local,
                                  isa::GdmaCopyToLocal{local_of(m.dst, "dst_addr"), system(m.src),
                                                       m.shape, m.dst_stride, m.src_stride}),
                    {}};
        case BM_GDMA_DIR_L2S:
            return {Command::make(row.to_system,
                                  isa::GdmaCopyToSystem{system(m.dst), local_of(m.src, "src_addr"),
                                                        m.shape, m.dst_stride, m.src_stride}),
                    {}};
        case BM_GDMA_DIR_S2S:
            return {Command::make(row.in_system,
                                  isa::GdmaCopySystem{system(m.dst), system(m.src), m.shape,
                                                      m.dst_stride, m.src_stride}),
                    {}};
        case BM_GDMA_DIR_L2L:
            return {
                Command::make(row.in_local, isa::GdmaCopyLocal{local_of(m.dst, "dst_addr"),
                                                               local_of(m.src, "src_addr"), m.shape,
                                                               m.dst_stride, m.src_stride}),
                {}};
    }
    require_field(false, "direction", static_cast<std::uint64_t>(direction),
                  "a direction is one of BM_GDMA_DIR_*", "name one of them");
    return {};
}

}  // namespace

void require_field(bool is_so, const char* field, std::uint64_t value, const char* rule,
                   const char* advice) {
    if (is_so) return;
    throw_argument_fault(FaultCode::kUnsupported, field, std::to_string(value), rule, advice);
}

isa::Dim4 dims_of(const unsigned int (&values)[4]) {
    const auto at = [&](int i) { return static_cast<std::int32_t>(values[i]); };
    return {at(0), at(1), at(2), at(3)};
}

isa::LocalAddr local_of(std::uint64_t address, const char* field) {
    require_field(address <= std::numeric_limits<std::uint32_t>::max(), field, address,
                  "an address of local memory has 32 bits",
                  "give an address that counts from lane 0");
    return {static_cast<std::uint32_t>(address)};
}

AtomicCommand command_of_bm_atomic_memcpy_1D(const MemCpy1DParam& p, const MachineShape&) {
    const auto length = static_cast<std::int32_t>(p.length);
    const isa::Dim4 row{length, length, length, 1};  // strides of one row
    return moved(row_of(p.format, "format"), p.direction,
                 {{1, 1, 1, length}, row, row, p.dst_addr, p.src_addr});
}

AtomicCommand command_of_bm_atomic_memcpy_4D(const MemCpy4DParam& p, const MachineShape& machine) {
    require_field(!p.transpose, "transpose", 1, "only copies that keep the order are documented",
                  "copy channel by channel");
    const MoveRow& row = row_of(p.src_format, "src_format");
    require_field(bytes_of(p.dst_format) == row.bytes && p.dst_format == p.src_format, "dst_format",
                  static_cast<std::uint64_t>(p.dst_format),
                  "only copies that keep the format are documented",
                  "convert by okk_bdc functions");
    const isa::Dim4 shape = dims_of(p.src_shape);
    require_field(dims_of(p.dst_shape) == shape, "dst_shape", p.dst_shape[0],
                  "the shapes of a copy are the same", "set dst_shape to src_shape");
    Move move{shape, dims_of(p.dst_stride), dims_of(p.src_stride), p.dst_addr, p.src_addr};
    const bool to_local = p.direction == BM_GDMA_DIR_S2L || p.direction == BM_GDMA_DIR_L2L;
    const bool from_local = p.direction == BM_GDMA_DIR_L2S || p.direction == BM_GDMA_DIR_L2L;
    if (to_local) move.dst = in_lane(p.dst_addr, p.dst_local_idx, machine, "dst_addr").value;
    if (from_local) move.src = in_lane(p.src_addr, p.src_local_idx, machine, "src_addr").value;
    return moved(row, p.direction, move);
}

AtomicCommand command_of_bm_atomic_memcpy_2D(const MemCpy2DParam& p, const MachineShape& machine) {
    require_field(!p.transpose, "transpose", 1, "only matrices in their order are documented",
                  "copy row by row");
    require_field(!p.result_add, "result_add", 1, "no documented copy adds to its result",
                  "copy, and add by okk_bdc_add()");
    require_field(bytes_of(p.format) == 4, "format", static_cast<std::uint64_t>(p.format),
                  "matrices of 32-bit elements are documented", "use BM_GDMA_FORMAT_FLOAT32");
    const isa::LocalAddr local =
        in_lane(p.local_mem_addr, p.local_mem_idx, machine, "local_mem_addr");
    const isa::SystemAddr system = isa::SystemAddr::from(p.global_mem_addr);
    if (p.direction == BM_GDMA_DIR_S2L) {
        return {
            Command::make(Opcode::gdma_32bit_matrix_S2L,
                          isa::GdmaMatrixToLocal{local, system, signed_of(p.row), signed_of(p.col),
                                                 signed_of(p.sec_size), signed_of(p.row_stride)}),
            {}};
    }
    require_field(p.direction == BM_GDMA_DIR_L2S, "direction",
                  static_cast<std::uint64_t>(p.direction),
                  "matrices are copied between system and local memory",
                  "use BM_GDMA_DIR_S2L or BM_GDMA_DIR_L2S");
    return {Command::make(Opcode::gdma_32bit_matrix_L2S,
                          isa::GdmaMatrixToSystem{system, local, signed_of(p.row), signed_of(p.col),
                                                  signed_of(p.sec_size), signed_of(p.row_stride)}),
            {}};
}

x32 value_behind(const MemSet4DParam& p) {
    x32 value;
    value.u32 = 0;
    std::memcpy(&value, p.const_val, static_cast<std::size_t>(bytes_of(p.format)));
    return value;
}

AtomicCommand command_of_bm_atomic_memset_4D(const MemSet4DParam& p, std::uint32_t value,
                                             const MachineShape& machine) {
    const MoveRow& row = row_of(p.format, "format");
    const isa::Dim4 shape = dims_of(p.shape), stride = dims_of(p.stride);
    if (!p.is_local_mem) {
        return {Command::make(row.fill_system,
                              isa::GdmaFillSystem{
                                  isa::SystemAddr::from(p.start_addr), {value}, shape, stride}),
                {}};
    }
    return {
        Command::make(
            row.fill_local,
            isa::GdmaFillLocal{
                in_lane(p.start_addr, p.local_idx, machine, "start_addr"), {value}, shape, stride}),
        {}};
}

}  // namespace okksim::firmware
