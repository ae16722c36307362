# SPDX-License-Identifier: BSD-3-Clause
"""Online trees against river and MOA, and how often each bound splits noise."""
