/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* The vendor's kit has a header of this name, which host programs include beside bmlib_runtime.h.
 * Nothing public says what it declares, and the programs that are public use none of it: they
 * define the arguments of their kernels themselves. It is here so that they build. C and C++. */
