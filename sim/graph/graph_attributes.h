// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tosa/attributes.h"
#include "sim/graph/graph_types.h"
