# SPDX-License-Identifier: Apache-2.0
"""Commands of gdb for kernels that run on okksim.

    gdb -x okksim-gdb.py --args okksim kernel k.so --launch k ... --immediate
    OKKSIM_IMMEDIATE=1 gdb -x okksim-gdb.py ./host_program
    (gdb) okk-break 3                      before the third command takes effect
    (gdb) okk-break add_C                  before every bdc.add_C
    (gdb) okk-watch 0:0x400 16             writes to 16 bytes of lane 0
    (gdb) okk-watch 0x105100000            writes to global memory
    (gdb) okk-print 0:0x400 f32[1,4,1,16]  a tensor
    (gdb) okk-state                        queues and engines

Signals of the library pass without a stop: its timer, and the pages that it closes to check the
kernel's pointers. The library reports wild pointers of the kernel itself; `handle SIGSEGV stop print`
also stops at them.

With --immediate a command takes effect in the call that issues it: the backtrace of a breakpoint or
watch shows the kernel's line. The simulated times stay the same.
"""
import re

import gdb

# The timer of firmware/leave/launch_watch.cpp is SIGRTMIN + 5, and SIGRTMIN of the C library is 34.
LIBRARY_SIGNALS = ("SIG39", "SIGSEGV", "SIGBUS")
HOOK = "okksim_debugger_command"
FORMS = {"f32": 0, "": 0, "i32": 1, "u32": 2, "x32": 3}


def argument(index):
    """An argument of the function that has just been entered, as an integer."""
    registers = {"i386:x86-64": ("rdi", "rsi"), "aarch64": ("x0", "x1")}
    name = gdb.selected_frame().architecture().name()
    if name not in registers:
        raise gdb.GdbError("okksim-gdb.py knows no calls of " + name)
    return int(gdb.parse_and_eval("(unsigned long)$" + registers[name][index]))


def place(text):
    """"LANE:OFFSET" or an address, as (local, lane, at)."""
    match = re.fullmatch(r"(\d+):(0x[0-9a-fA-F]+|\d+)", text)
    if match:
        return 1, int(match.group(1)), int(match.group(2), 0)
    if re.fullmatch(r"0x[0-9a-fA-F]+", text):
        return 0, 0, int(text, 16)
    raise gdb.GdbError('"%s" is no address: write LANE:OFFSET, or an address that begins with 0x' % text)


def call(function, kind, *numbers):
    """Calls a function of the library, which has no debug information."""
    types = {"pointer": "void*(*)(int,int,unsigned long long)",
             "tensor": "const char*(*)(int,int,unsigned long long,int,int,int,int,int)",
             "state": "const char*(*)()"}
    try:
        return gdb.parse_and_eval("((%s)%s)(%s)" % (types[kind], function, ",".join(map(str, numbers))))
    except gdb.error as error:
        raise gdb.GdbError("%s: run the program with --immediate or OKKSIM_IMMEDIATE=1, to a command "
                           "first" % error)


class CommandBreakpoint(gdb.Breakpoint):
    """Stops at one command, or at all of one operation."""

    def __init__(self, number, operation):
        gdb.execute("set breakpoint pending on", to_string=True)
        self.wanted = number
        self.operation = operation
        super().__init__(HOOK, internal=False)
        self.silent = True

    def stop(self):
        number = argument(0)
        operation = gdb.Value(argument(1)).cast(gdb.lookup_type("char").pointer()).string()
        if self.wanted is not None and number != self.wanted:
            return False
        if self.operation is not None and not operation.endswith(self.operation):
            return False
        print("command %d: %s" % (number, operation))
        return True


class OkkBreak(gdb.Command):
    """okk-break NUMBER|OPERATION: stop before a command, or every command of an operation, takes effect."""

    def __init__(self):
        super().__init__("okk-break", gdb.COMMAND_BREAKPOINTS)

    def invoke(self, text, from_tty):
        if not text:
            raise gdb.GdbError("okk-break needs the number of a command or a name such as add_C")
        if text.isdigit():
            CommandBreakpoint(int(text), None)
        else:
            CommandBreakpoint(None, text.replace(".", "_"))


class OkkWatch(gdb.Command):
    """okk-watch ADDRESS [BYTES]: stop when bytes of a lane or of system memory change."""

    def __init__(self):
        super().__init__("okk-watch", gdb.COMMAND_BREAKPOINTS)

    def invoke(self, text, from_tty):
        words = text.split()
        if not words:
            raise gdb.GdbError("okk-watch needs an address")
        size = int(words[1], 0) if len(words) > 1 else 4
        pointer = int(call("okksim_debugger_pointer", "pointer", *place(words[0])))
        if pointer == 0:
            raise gdb.GdbError(words[0] + " is in no memory of the machine")
        # A hardware watchpoint covers up to 8 bytes.
        for at in range(0, size, 8):
            bytes_here = min(8, size - at)
            kind = {8: "unsigned long", 4: "unsigned int", 2: "unsigned short", 1: "unsigned char"}.get(bytes_here)
            target = "*(%s*)%d" % (kind, pointer + at) if kind else "*(char(*)[%d])%d" % (bytes_here, pointer + at)
            gdb.Breakpoint(target, gdb.BP_WATCHPOINT, gdb.WP_WRITE)


class OkkPrint(gdb.Command):
    """okk-print ADDRESS [f32|i32|u32|x32][n,c,h,w]: a tensor; at LANE:OFFSET of the aligned layout."""

    def __init__(self):
        super().__init__("okk-print", gdb.COMMAND_DATA)

    def invoke(self, text, from_tty):
        words = text.split()
        match = re.fullmatch(r"([a-z0-9]*)\[([0-9,]+)\]", words[1] if len(words) > 1 else "f32[1]")
        if not words or not match or match.group(1) not in FORMS:
            raise gdb.GdbError("okk-print ADDRESS [f32|i32|u32|x32][n,c,h,w]")
        shape = [int(extent) for extent in match.group(2).split(",")]
        shape = [1] * (4 - len(shape)) + shape
        result = call("okksim_debugger_tensor", "tensor", *place(words[0]), *shape[:4], FORMS[match.group(1)])
        print(result.cast(gdb.lookup_type("char").pointer()).string(), end="")


class OkkState(gdb.Command):
    """okk-state: queued and running commands."""

    def __init__(self):
        super().__init__("okk-state", gdb.COMMAND_DATA)

    def invoke(self, text, from_tty):
        result = call("okksim_debugger_state", "state")
        print(result.cast(gdb.lookup_type("char").pointer()).string(), end="")


for signal in LIBRARY_SIGNALS:
    gdb.execute("handle %s nostop noprint pass" % signal, to_string=True)
OkkBreak()
OkkWatch()
OkkPrint()
OkkState()
