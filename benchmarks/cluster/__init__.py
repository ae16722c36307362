# SPDX-License-Identifier: BSD-3-Clause
"""Trees of rows that do not fit: streams against the peers that read them so."""
