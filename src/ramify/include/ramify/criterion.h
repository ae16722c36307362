/* SPDX-License-Identifier: BSD-3-Clause */
/* The C interface of a compiled splitting criterion.
 *
 *   DecisionTreeClassifier(criterion=ramify.criteria.compiled(pointer))
 *
 * takes a pointer to a function of this type, from numba, ctypes or cffi. This header needs
 * nothing else of Ramify; its folder is
 *
 *   python -c "import ramify, pathlib; print(pathlib.Path(ramify.__file__).parent / 'include')"
 */
#ifndef RAMIFY_CRITERION_H
#define RAMIFY_CRITERION_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Scores n_cuts cuts of one node.
 *
 * A node is known by n_stats sums: first the weight of each class of y, in the order of
 * classes_ (a class that does not occur in the node has weight 0), then the weighted sum of
 * each column of criterion_data, if fit() was given any.
 *
 *   parent[k]              sum k of the whole node
 *   left[k * n_cuts + i]   sum k on the left of cut i: all cuts of one sum lie side by side
 *   right[k * n_cuts + i]  sum k on the right of cut i
 *   scores[i]              to be written: how good cut i is
 *   user_data              the pointer given to ramify.criteria.compiled(..., user_data=...)
 *
 * With several outputs it is called for each, and the mean of the scores counts.
 *
 * The caller promises: left + right = parent, no class weight is negative, and at least one
 * class has a positive weight on each side.
 *
 * The function promises:
 *   - It writes all n_cuts scores: finite numbers, or -INFINITY to refuse a cut. NaN is an
 *     error, and fit() raises ValueError. The highest score wins (scores within 1e-12 are
 *     tied); a node becomes a leaf if no score is above zero by more than 1e-12.
 *   - It writes nowhere else and keeps no pointer beyond the call.
 *   - The score of a cut depends on that cut alone: one node may arrive in several calls.
 *   - It may be called from several threads at once, without Python's interpreter lock. It
 *     must not call Python, throw a C++ exception or leave by longjmp.
 */
typedef void (*ramify_criterion)(int64_t n_cuts, int64_t n_stats, const double *parent,
                                 const double *left, const double *right, double *scores,
                                 void *user_data);

#ifdef __cplusplus
}
#endif

#endif /* RAMIFY_CRITERION_H */
