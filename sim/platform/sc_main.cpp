// SPDX-License-Identifier: Apache-2.0
/// SystemC's library wants one; okksim elaborates on its own and never runs it.
extern "C" int sc_main(int, char*[]);
extern "C" int sc_main(int, char*[]) { return 0; }
