# SPDX-License-Identifier: BSD-3-Clause
"""Trees of rows that lie in partitions: in files, in batches, or on other machines.

How is a tree grown where no one sees all rows? Rows are cut into
pieces; of each piece whole numbers are made, which add up to the same in any order.
"""
