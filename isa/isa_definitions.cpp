// SPDX-License-Identifier: Apache-2.0
// Chapters of ISA.md that the instruction table does not determine.
#include "isa/isa_document.h"

namespace okksim::isa {

std::string sequence_text(Opcode opcode) {
    static constexpr char kExp[] =
        "bdc.fp32_to_int32 d, s             # d = k = trunc(s); in place: w instead of d\n"
        "bdc.lookup_int32_to_fp32 w, d      # w = float(k)\n"
        "bdc.sub w, s, w                    # w = s - k\n"
        "bdc.taylor_exp_tail w, w, terms    # w = P\n"
        "bdc.lookup_exp d, d                # d = t = table[k]; in place: after fp32_to_int32 d, "
        "s\n"
        "bdc.mac d, d, w                    # d = t + t*P";
    static constexpr char kSigmoid[] =
        "bdc.neg d, s\n"
        "(the commands of exp, in place on d with w)\n"
        "bdc.add_C d, d, 1\n"
        "bdc.reciprocal d, d";
    static constexpr char kTanh[] =
        "(the commands of exp)              # d = p = e^s\n"
        "bdc.reciprocal w, d                # w = m = 1/p\n"
        "bdc.add d, d, w\n"
        "bdc.reciprocal d, d                # d = 1/(p + m)\n"
        "bdc.mul d, w, d\n"
        "bdc.mul_C d, d, 2\n"
        "bdc.C_sub d, d, 1                  # d = 1 - 2*m/(p + m)";
    static constexpr char kInt8[] =
        "bdc.32bit_cpy w, s                 # uint8: bdc.32bit_xor_C w, s, 0x80808080\n"
        "bdc.32bit_logical_shift_C d, w, -8*b   # for each byte b of a word, b > 0\n"
        "bdc.lookup_int32_to_fp32 d, d      # takes the low byte; b = 0: of w\n"
        "bdc.add_C d, d, 128                # uint8 only";
    static constexpr char kSplitLow[] =
        "bdc.fixed_point_packed_16bit_logical_shift_C w, s, 8\n"
        "bdc.fixed_point_packed_16bit_split_high_8bit d, w";
    switch (opcode) {
        case Opcode::bdc_exp:
        case Opcode::bdc_exp_tunable: return kExp;
        case Opcode::bdc_sigmoid:
        case Opcode::bdc_sigmoid_tunable: return kSigmoid;
        case Opcode::bdc_tanh:
        case Opcode::bdc_tanh_tunable: return kTanh;
        case Opcode::bdc_4N_int8_to_fp32:
        case Opcode::bdc_int8_to_fp32: return kInt8;
        case Opcode::bdc_fixed_point_packed_16bit_split_low_8bit: return kSplitLow;
        default: return {};  // the row is a command itself
    }
}

const char* isa_definitions_markdown() {  // NOLINT(readability-function-size): a text
    return R"md(## Reading the table

A **command** is one record in an engine's queue. Most functions of the API are one command. A
function without strides of its own (128-byte aligned layout only) is the command with the strides of
that layout. A few functions are **sequences**: the firmware issues several commands for them; their
opcode only names them in checks and in the documentation. `bdc.taylor_exp_tail` exists only inside
sequences.

Every restriction is checked when a function is called. Besides what the tables list, for every command:

- Each tensor lies inside its memory with its whole extent: inside the local memory of every lane it
  touches, or inside one system memory (global memory, L2-SRAM, DTCM). Strides may be zero or negative.
- The start lane of a local address is a lane of the machine.
- `dst_addr = work_addr` is not allowed; in exp, sigmoid and tanh neither is `src_addr = work_addr`.
- Windows: the padded input is at most 2047 rows and columns, and the dilated kernel fits into it, so
  that the output is in [1, 2047].
- matmul: columns per channel are in [1, min(128, columns)]; either matrix takes at most 4095 channels.
- Constants of fixed-point commands are in the range of their operand type; constants of 8- and 16-bit
  fills are zero above their width.
- A bias that is not used (`using_bias` = 0) is not looked at.

The API reference asks the fixed-point functions to start in the first lane; real programs start them
elsewhere and the vendor's model computes the same, so only "in the same lane" is checked.

## Records

A command file is a header of 104 bytes, records of 144 bytes and a CRC. Everything is little-endian.

| bytes | header field |
|---|---|
| 0-7 | magic `OKKCMDS` and a line feed |
| 8-11 | version of the file format |
| 12-15 | bytes of a record: 144 |
| 16-23 | fingerprint of the instruction table |
| 24-31 | number of records |
| 32-39 | machine: lanes, banks of a lane's local memory (4 bytes each) |
| 40-95 | machine: local bytes per lane, start and size of L2-SRAM, DTCM, global memory (8 each) |
| 96-103 | zero; CRC-32 of bytes 0-99 |

| bytes | record field |
|---|---|
| 0-1 | opcode |
| 2-3 | zero |
| 4-7 | id: position in the engine's stream, counted from 1 |
| 8-11 | the command waits for all GDMA commands up to this id |
| 12-15 | the command waits for all BDC commands up to this id |
| 16-143 | 32 operand words; the tables below give their place, unused words are zero |

The last four bytes of the file are the CRC-32 (IEEE 802.3) of all records.

Operands: a local address is lane * bytes per lane + offset; a system address takes two words, low word
first; shapes, strides, paddings and steps are signed 32-bit numbers in the order given; fp32 constants
are their bits; flags are 0 or 1; op_type and mul_type have the values of the API.

## Assembler notation

```
bdc.add_C dst_addr=1:0x0, src_addr=1:0x300, C=0.5, shape=(2, 5, 3, 4), dst_stride=(64, 32, 4, 1), src_stride=(64, 32, 4, 1) | id=7 wait_gdma=4
```

Operands are named and may come in any order. Local addresses are lane:offset, system addresses
`global+0x1000`, `l2+0x80`, `dtcm+0x10` or a number. Fp32 constants are decimal or a 0x bit pattern.
A listing starts with a `.machine` line; `#` starts a comment. Commands without ids get the next id and
wait for everything before them. Disassembly and assembly are exact inverses.

## Layouts

A tensor (n, c, h, w) that starts in lane q of L lanes has channel c in lane (q + c) mod L, in channel
slot (q + c) div L; every batch element has ceil((q + C) / L) slots in every lane. Strides count
elements; the c stride of a local tensor leads from slot to slot, of a system tensor from channel to
channel.

| layout | w, h, c, n strides |
|---|---|
| 128-byte aligned | 1, W, H*W rounded up to 128 bytes, c stride * slots |
| compact | 1, W, H*W, c stride * slots |
| continuous (system memory) | 1, W, H*W, C*H*W |
| matrix | rows x columns with k columns per channel is the aligned tensor (rows, ceil(columns/k), 1, k); the last channel holds the rest, and its unused room is never written |

A stride argument that is NULL means the 128-byte aligned layout for local tensors (of the element's
width for 8- and 16-bit copies and fills) and the continuous layout for system tensors; a NULL
kernel_stride of conv2d means the compact layout of the weight pairs.

Packed tensors: **4N** holds batch elements 4m..4m+3 of an 8-bit tensor in one 32-bit word, lowest byte
first; **2N** holds 2m, 2m+1 of a 16-bit tensor. `shape.n` counts batch elements, strides count words.
Bytes of batch elements that do not exist are never written. **2IC** holds input channels 2j, 2j+1 of
fp32 weights as one 64-bit pair; the weight tensor is (ceil(IC/2), OC, KH, KW) in pairs, and its strides
count pairs. The second half of the last pair of an odd IC is not used.

Bytes outside a tensor's elements, such as the room between rows and planes, are never written.
Sources that overlap the destination: element-wise commands and GDMA copies behave as if elements were
handled one after the other in ascending (n, c, h, w) order; convolutions, pooling and matmul read
their operands as they were before the command.

## fp32 arithmetic

- Every elementary step (addition, subtraction, multiplication) is IEEE 754 single precision, rounded
  to nearest even. A product is rounded before it is added to anything: nothing is fused.
- Denormals: arithmetic reads denormal operands as zeros of their sign (DAZ) and replaces denormal
  results by zeros of their sign (FTZ; a product is tiny when it is below 2^-126 after rounding to 24
  bits with unbounded exponent).
- Copies, fills, bit operations, selected constants and the results of `min` keep denormals.
- A result of arithmetic that is NaN is always the quiet NaN 0x7FC00000, whatever its operands were.
  Copies, bit operations, `max`, `min` and selections pass on the words they select.

| command | definition |
|---|---|
| add, sub, C_sub, mul, bias | one step |
| mac | dst + (src0 * src1), product rounded first |
| scale | (src * scale) + 0, so a product of -0 becomes +0 |
| scale_bias | (src * scale) + bias |
| max | src0 > src1 ? src0 : src1, compared with DAZ; a denormal result is flushed. With a NaN on either side the second operand; max(+0, -0) is the second |
| min | src0 <= src1 ? src0 : src1, compared with DAZ, not flushed. With a NaN the second operand; min(+0, -0) is the first |
| relu | src > 0 ? src : +0; NaN, -0 and denormals give +0 |
| neg | 0 - src, so neg(+0) = neg(-0) = +0 |
| greater_select | a > b with DAZ ? value : 0; false with a NaN |
| equal_select | the same 32 bits ? value : 0: a NaN equals itself, +0 and -0 differ |
| fp32_to_int32 | truncation toward zero, saturated to [-2^31, 2^31 - 1]; a NaN saturates by its sign |
| lookup_int32_to_fp32 | float of the low 8 bits as int8; the API allows [-128, 127] |
| 32-bit shifts | positive amounts to the left, bits drop off; negative to the right, arithmetic (floor) or logical; amounts of 32 and more leave 0 or copies of the sign. The API allows [-32, 32] |

## Approximations

Each step below is rounded and flushed as above. Errors are the largest seen against double precision,
in units of the last place (ulp).

| command | steps | error |
|---|---|---|
| rsqrt | y = float of the bits 0x5F3759DF - (bits(x) >> 1); h = 0.5*x; three times y = y * (1.5 - (h*y)*y) | 2.1 ulp for x in [2^-60, 2^60] |
| reciprocal | r = rsqrt(abs(x)); sign(x) * (r*r) | 4.5 ulp in the same range |
| div, div_C, C_div | a * reciprocal(b), also for constants | 5.4 ulp |
| sqrt | reciprocal(rsqrt(x)) | 6.0 ulp |
| taylor_exp(m) | Horner: a = c[m]; a = a*x + c[j] for j = m-1 .. 0; c[j] is the float nearest 1/j!, zero from j = 34 on | meant for abs(x) < 1 |
| taylor_exp_tail(m) | x * Horner over c[1] .. c[m] | |
| lookup_exp | table entry (src mod 256) as int8 k: float nearest e^k for k in [-103, 88] (denormal below -87), else 0 | 0.5 ulp |
| exp (m terms) | k = trunc(x), P = tail(x - k), t = table[k] (denormal entries count as zero); t*P + t | 4.2 ulp in [-10, 10] with 32 terms; relative 4.6e-5 near -80; 36 % in [-87, -80]; below -88 zero |
| exp, fewer terms | | relative 1.9e-2 (4 terms), 7.0e-6 (8), 3.0e-7 (16) |
| sigmoid | reciprocal(1 + exp(-x)) | 5.9 ulp and absolute 2.8e-7 in [-80, 88]; the largest value is below 1 |
| tanh | p = exp(x); m = reciprocal(p); 1 - 2*(m * reciprocal(p + m)) | absolute 7.2e-7 in [-80, 88]; not relative: tanh(0) = 1.8e-7 |

Limits: rsqrt(+-0) = +-inf, rsqrt(+inf) = 0, sqrt(+-0) = +-0, sqrt(+inf) = +inf, both NaN below zero;
reciprocal(+-0) = +-inf, and the steps of reciprocal give +-inf for +-inf too, so x/inf is not 0. Close
to 2^-126 and 2^127 the steps flush or overflow and the errors have no bound. exp, sigmoid and tanh are
defined for [-103, 88]; beyond the table index wraps and the result means nothing.

exp, sigmoid and tanh take 32 terms, their `_tunable` forms the given number.

## Accumulation orders

| command | order |
|---|---|
| conv2d | taps in order (kernel row, kernel column); in a tap, input channels 0 .. ICp-1, ICp = IC rounded up to even. Product i = tap * ICp + channel, rounded, is added to accumulator i mod 4 in ascending i, from +0. Result (a0 + a2) + (a1 + a3), then + bias, then + the old output with result_add. The missing channel of an odd IC adds nothing; padding is a zero that is multiplied (infinite weights give NaN) |
| depthwise2d | taps in order (kernel row, kernel column), product i to accumulator i mod 2; a0 + a1, then + bias; padding is multiplied |
| avg_pool2d | depthwise2d with all weights the float nearest 1/(kernel_h * kernel_w), without bias; padding counts |
| avg_pool2d_v2 | the same with all weights = scale |
| max_pool2d | acc = -FLT_MAX; taps in order: acc = x > acc ? x : acc with x flushed; NaNs are passed over, -inf gives -FLT_MAX; padding is -FLT_MAX |
| matmul | product k = 0 .. K-1 to accumulator k mod 2; a0 + a1, then + bias, then + the old output with result_add. The columns per channel do not matter |

Output extents of windows: floor((input + paddings - ((kernel - 1) * dilation + 1)) / stride) + 1.

## Fixed point

Results are exact integers, then shifted right with rounding half up, then saturated to the type of
the destination:

- rounding shift by r: (v + 2^(r-1)) >> r (arithmetic), v itself for r = 0.
- add, sub, mul and their forms with a constant: the tensor has the first type of op_type, the constant
  the second; only in C_sub the constant has the first and the tensor the second.
- mac: v = (old dst << lshift) + src0 * src1, kept modulo 2^32 as a signed number; the rounding shift
  of it does not wrap. The old dst is signed if is_origin_dst_signed is 1.
- max, min: comparison of integers in their type.
- 16-bit shifts: positive amounts to the left, bits drop off; negative to the right, arithmetic (floor)
  or logical, without rounding; amounts of 16 and more leave 0 or copies of the sign.
- 16bit_mul_8bit: the 16-bit source is given as two 8-bit tensors, its high and low bytes.
- Values of packed tensors are independent of each other; signedness comes from op_type or mul_type.

)md";
}

}  // namespace okksim::isa
