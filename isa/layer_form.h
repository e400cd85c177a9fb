// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/operands.h"

namespace okksim::isa {

/// True if commands of the form compute one element from several elements of a source:
/// convolutions, pools and matrix products. Equal shapes then do not mean an element-wise command.
constexpr bool is_layer(Form form) {
    return form == Form::kConvolution || form == Form::kDepthwise || form == Form::kPool ||
           form == Form::kPoolScaled || form == Form::kMatrixMultiply ||
           form == Form::kIntConvolution || form == Form::kIntDepthwise ||
           form == Form::kIntMaxPool || form == Form::kHalfConvolution ||
           form == Form::kHalfDepthwise;
}

}  // namespace okksim::isa
