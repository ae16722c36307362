# SPDX-License-Identifier: BSD-3-Clause
"""What pruning does to accuracy and size: the study, and the speed of it."""
