# SPDX-License-Identifier: BSD-3-Clause
"""Runs a compiler and notes its processor time: `timed_compiler.py LOG c++ ...`."""

import resource
import subprocess
import sys

log, *command = sys.argv[1:]
status = subprocess.call(command)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
if "-o" in command:
    made = command[command.index("-o") + 1]
    with open(log, "a", encoding="utf-8") as notes:
        seconds = used.ru_utime + used.ru_stime
        notes.write(f"{seconds:.2f} {used.ru_maxrss / 1000:.0f} {made}\n")
sys.exit(status)
