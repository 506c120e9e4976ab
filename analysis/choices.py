"""Conditional logit on aggregated choices: the one likelihood behind all ratings.

A cell is a set of alternatives from which one is chosen, with a weight (how often) for each
choice: the two players of a pairing, the seats of a line-up, those not yet placed in a ranking.
P(a | cell) is proportional to exp(x_a . theta). The likelihood is concave, so Newton's steps end
at its only top.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Choices", "fit_choices"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Choices:
    """Cells of choices.

    Parameters
    ----------
    design : float64[C, A, P]
        Features of each alternative; one column per parameter.
    present : bool[C, A]
        Which alternatives a cell has.
    chosen : float64[C, A]
        How often each was chosen; fractions are fine (shared wins).
    """

    design: Array
    present: NDArray[np.bool_]
    chosen: Array

    def log_likelihood(self, theta: Array) -> float:
        """Sum over cells of chosen . log P."""
        log_p = _log_probabilities(self, theta)
        return float(np.sum(np.where(self.chosen > 0, self.chosen * log_p, 0.0)))


def fit_choices(
    choices: Choices, penalty: Array, start: Array | None = None, tolerance: float = 1e-12
) -> Array:
    """Return the parameters at the top of the likelihood.

    Parameters
    ----------
    choices : Choices
    penalty : float64[P]
        Precision of a normal prior around 0 for each parameter. A tiny one fixes the free level
        of the ratings; a weak one (0.1) keeps somebody who never wins at a finite rating.
    start : float64[P], optional
    tolerance : float
        Largest last step.

    Returns
    -------
    float64[P]
    """
    theta = np.zeros(len(penalty)) if start is None else start.copy()
    weight = choices.chosen.sum(axis=1)
    flat = choices.design.reshape(-1, len(penalty))
    top = _value(choices, theta, penalty)
    for _ in range(200):
        p = np.exp(_log_probabilities(choices, theta))
        expected = weight[:, None] * p
        gradient = (choices.chosen - expected).reshape(-1) @ flat - penalty * theta
        mean = np.matmul(p[:, None, :], choices.design)[:, 0]
        spread = flat.T @ (expected.reshape(-1, 1) * flat)
        curvature = spread - mean.T @ (weight[:, None] * mean) + np.diag(penalty)
        step = np.linalg.solve(curvature, gradient)
        scale = 1.0
        while _value(choices, theta + scale * step, penalty) < top and scale > 1e-8:
            scale /= 2
        theta = theta + scale * step
        top = _value(choices, theta, penalty)
        if float(np.abs(scale * step).max()) < tolerance:
            break
    return theta


def _value(choices: Choices, theta: Array, penalty: Array) -> float:
    return choices.log_likelihood(theta) - float(np.sum(penalty * theta**2)) / 2


def _log_probabilities(choices: Choices, theta: Array) -> Array:
    score = np.where(choices.present, choices.design @ theta, -np.inf)
    top = score.max(axis=1, keepdims=True)
    total = np.log(np.exp(score - top).sum(axis=1, keepdims=True))
    return np.where(choices.present, score - top - total, -1e300)
