/* SPDX-License-Identifier: Apache-2.0
 * Does nothing. libsystemc wants to call an sc_main. */
int sc_main(int argc, char** argv) {
    (void)argc, (void)argv;
    return 0;
}

int main(void) { return 0; }
