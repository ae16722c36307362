# SPDX-License-Identifier: BSD-3-Clause
"""Survival trees and forests against scikit-survival: speed and memory."""
