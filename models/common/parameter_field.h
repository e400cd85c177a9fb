// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Field of a params struct, from a row of its table (models/common/parameter_rows.h).
#define OKKSIM_PARAMETER_FIELD(type, key, initial, ...) type key{initial};
