"""Control variates: taking known luck out of a difference, without bias.

A control is a per-deal number whose mean is exactly 0 (the luck of the draws is a martingale
difference). Its coefficient comes from a pilot and is then a constant; fitted on the deals that
are evaluated it would bend the estimate towards them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Control", "Controlled", "fit_control"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Controlled:
    """Differences with their luck removed, and what that gained.

    Parameters
    ----------
    values : float64[n]
    raw_mean, mean : float
        Before and after.
    factor : float or None
        Variance before over variance after: deals saved. None where nothing is left.
    """

    values: Array
    raw_mean: float
    mean: float
    factor: float | None


@dataclass(frozen=True)
class Control:
    """Coefficients of controls, and the deals they were fitted on.

    Parameters
    ----------
    beta : float64[k]
    pilot : uint64[p]
        Deals of the pilot.
    """

    beta: Array
    pilot: NDArray[np.uint64]

    def apply(self, deals: NDArray[np.uint64], differences: Array, controls: Array) -> Controlled:
        """Subtract beta . control from each difference.

        Parameters
        ----------
        deals : uint64[n]
            Must not hold a deal of the pilot.
        differences : float64[n]
        controls : float64[n, k]

        Raises
        ------
        ValueError
            A deal of the pilot is evaluated.
        """
        both = np.intersect1d(deals, self.pilot)
        if len(both):
            raise ValueError(
                f"deal {int(both[0])} is in the pilot: evaluate on deals of their own, "
                "with another range"
            )
        values = differences - _columns(controls) @ self.beta
        before, after = float(np.var(differences)), float(np.var(values))
        return Controlled(
            values,
            float(differences.mean()),
            float(values.mean()),
            before / after if after > 0 else None,
        )


def fit_control(deals: NDArray[np.uint64], differences: Array, controls: Array) -> Control:
    """Fit coefficients on a pilot by least squares.

    Parameters
    ----------
    deals : uint64[p]
    differences : float64[p]
    controls : float64[p] or float64[p, k]
        Controls without any spread get the coefficient 0.
    """
    x = _columns(controls)
    x = x - x.mean(axis=0)
    beta, *_ = np.linalg.lstsq(x, differences - differences.mean(), rcond=1e-12)
    return Control(np.asarray(beta), np.asarray(deals, dtype=np.uint64))


def _columns(controls: Array) -> Array:
    return controls.reshape(len(controls), -1)
