// SPDX-License-Identifier: Apache-2.0
/// SystemC's library requires this symbol. okksim elaborates without it, so it never runs.
extern "C" int sc_main(int, char*[]);
extern "C" int sc_main(int, char*[]) { return 0; }
