"""The arrays that ranking is made of. A shape is (n, t): n rows, which are texts or chunks of them, and t terms."""

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
