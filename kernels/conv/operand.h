// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "kernels/call/tensor.h"
#include "kernels/conv/element_types.h"
#include "kernels/prim/local_tensor.h"

/// Operands of products: conversion of elements to fp32 words. Products of integers must be exact.
namespace okksim::kernels::conv {

/// Scratch planes that widen() needs, plus one if targets are not in the aligned layout.
int widen_planes(tosa::DType type);

/// Elements after loading, in the aligned layout of their width. Spread elements are the low bytes
/// of words in the aligned layout of words.
struct Loaded {
    local_addr_t address = 0;
    tosa::DType type = tosa::DType::kUnknown;
    bool spread = false;
};

/// Converts loaded elements (any type, fp32 too) to limbs minus the zero point. fp16 denormals
/// become zero. There is one target per limb, most significant first. Targets have the elements'
/// shape and may have strides. A spread tensor may be converted in place.
void widen(std::span<const prim::LocalTensor> targets, const Loaded& loaded,
           std::int64_t zero_point, prim::Scratch& scratch);

}  // namespace okksim::kernels::conv
