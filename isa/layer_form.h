// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/operands.h"

namespace okksim::isa {

/// Whether commands of the form make an element of several elements of a source, so that equal
/// shapes do not mean element by element: convolutions, pools and matrix products.
constexpr bool is_layer(Form form) {
    return form == Form::kConvolution || form == Form::kDepthwise || form == Form::kPool ||
           form == Form::kPoolScaled || form == Form::kMatrixMultiply ||
           form == Form::kIntConvolution || form == Form::kIntDepthwise ||
           form == Form::kIntMaxPool || form == Form::kHalfConvolution ||
           form == Form::kHalfDepthwise;
}

}  // namespace okksim::isa
