from collections.abc import Iterator
from typing import Any

from layer_cases.case import Example, Reference, examples, reference

SIZES = ({"n": 4}, {"n": 9, "axis": 0}, {"axis": -2, "norm": "ortho"})
PAIRS = {"input": (3, 6, 2)}
EXAMPLES: dict[str, list[Example]] = {
    "Fft": examples(PAIRS, {}, *SIZES),
    "Ifft": examples(PAIRS, {}, *SIZES),
    "Rfft": examples({"input": (3, 7)}, {}, *SIZES),
    "Irfft": examples(PAIRS, {}, {"n": 7}, *SIZES),
}


def references(torch: Any) -> Iterator[Reference]:
    for layer in EXAMPLES:
        function = getattr(torch.fft, layer.lower())
        for form in ({}, *SIZES, {"n": 7, "norm": "forward"}):

            def of_pairs(input: Any, function: Any = function, form: Any = form) -> Any:
                options = dict(form)
                axis = options.pop("axis", -1)
                is_complex = function is not torch.fft.rfft
                numbers = torch.view_as_complex(input) if is_complex else input
                made = function(numbers, dim=axis, **options)
                return torch.view_as_real(made) if made.is_complex() else made

            name = " ".join(f"{key} {value}" for key, value in form.items()) or "as it is"
            sizes = (3, 7) if layer == "Rfft" else (3, 6, 2)
            yield reference(name, layer, form, of_pairs, {"input": sizes})
