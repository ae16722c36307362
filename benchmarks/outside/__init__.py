# SPDX-License-Identifier: BSD-3-Clause
"""Ramify beside the programs that others wrote: WEKA's J48, R's ctree and rpart."""
