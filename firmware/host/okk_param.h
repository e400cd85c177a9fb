/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* An empty header with a name of the vendor's kit. Host programs include it with bmlib_runtime.h.
 * No public document has its declarations, and public programs use none of them, because they
 * define the arguments of their kernels. The header exists so that they build. C and C++. */
