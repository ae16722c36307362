# SPDX-License-Identifier: BSD-3-Clause
"""What holds for all tests."""

import signal


def pytest_configure() -> None:
    """Hear Ctrl-C, which tests press, also in the background of a shell."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
