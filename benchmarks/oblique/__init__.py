# SPDX-License-Identifier: BSD-3-Clause
"""What WODT is measured against: a plain program of it, and a bagged forest."""
