# SPDX-License-Identifier: BSD-3-Clause
"""Ctrl-C for a child that works for long, told apart from one that is heard too late.

A busy machine may delay everything, so no test looks at a clock. The child is
interrupted again and again, and the third interrupt that it hears raises. Native code
that does not listen hears one when it returns, however many were sent meanwhile.
"""

import subprocess
import sys

HANGS = 300  # seconds after which a child is ended: a protection, not a claim

RINGING = """
import os, signal, threading, time

heard = 0

def hear(number, frame):
    global heard
    heard += 1
    if heard == 3:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise KeyboardInterrupt

def ring(after):
    time.sleep(after)
    while heard < 3:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)

def interrupt_soon(after=0.1):
    signal.signal(signal.SIGINT, hear)
    threading.Thread(target=ring, args=[after], daemon=True).start()
"""


def run(code):
    """Run a child that calls `interrupt_soon`; give what it prints."""
    child = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", RINGING + code],
        capture_output=True,
        text=True,
        timeout=HANGS,
    )
    assert child.returncode == 0, child.stderr
    return child.stdout
