"""The cases: a small configuration of each architecture, and data of two sizes."""

import image_cases
import text_cases

CASES = text_cases.CASES | image_cases.CASES
