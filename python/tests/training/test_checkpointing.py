"""use_checkpointing on PyTorch: the same numbers, to the bit; skipped where torch is missing."""

import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("mithril._torch", reason="torch is not built")

HEADS, TOKENS, WIDTH = 2, 6, 16


def block(x: ml.Connection) -> ml.Connection:
    def split(part: ml.Connection) -> ml.Connection:
        return part.reshape((-1, TOKENS, HEADS, WIDTH // HEADS)).transpose((0, 2, 1, 3))

    normed = ml.LayerNorm()(x)
    q, k, v = (split(ml.Linear(WIDTH)(normed)) for _ in range(3))
    scores = ml.Softmax()((q @ k.transpose((0, 1, 3, 2))) / (WIDTH // HEADS) ** 0.5)
    mixed = (scores @ v).transpose((0, 2, 1, 3)).reshape((-1, TOKENS, WIDTH))
    x = x + ml.Linear(WIDTH)(mixed)
    return x + ml.Linear(WIDTH)(ml.Gelu()(ml.Linear(4 * WIDTH)(ml.LayerNorm()(x))))


def transformer() -> ml.Model:
    y = ml.IOKey("x")
    for _ in range(6):
        y = block(y)
    return ml.Model.create(y=y)


def convolutional() -> ml.Model:
    model = ml.Model()
    model |= ml.Conv2d(kernel_size=3, filters=6, padding=1)(input="x")
    for seed in range(4):
        model += ml.Conv2d(kernel_size=3, filters=6, padding=1)
        model += ml.BatchNorm2D(inference=False)
        model += ml.Relu()
        model += ml.Dropout(0.25, seed=seed)
    model += ml.Flatten(start_dim=1)
    model += ml.Linear(3)(output="y")
    return model


MODELS = {
    "transformer": (transformer, [3, TOKENS, WIDTH]),
    "convolutional": (convolutional, [4, 2, 9, 9]),
}


@pytest.mark.parametrize("options", [{}, {"use_amp": True}], ids=["float32", "mixed"])
@pytest.mark.parametrize("name", MODELS)
def test_outputs_and_gradients_are_the_same_to_the_bit(name: str, options: dict) -> None:
    make, shape = MODELS[name]
    backend = ml.TorchBackend(**options)
    plain, again = (
        ml.compile(make(), backend, shapes={"x": shape}, use_checkpointing=use, debug=True)
        for use in (False, True)
    )
    params = plain.get_parameters()
    x = backend.randn(*shape, seed=0)
    state = plain.initial_state_dict
    outputs, _ = plain.evaluate(params, {"x": x}, state=state)
    g = backend.randn(*outputs["y"].shape, seed=1)
    expected = plain.evaluate(params, {"x": x}, output_gradients={"y": g}, state=state)
    got = again.evaluate(params, {"x": x}, output_gradients={"y": g}, state=state)
    for ours, theirs in zip(got, expected, strict=True):
        for key in theirs:
            assert torch.equal(ours[key], theirs[key]), key


@pytest.mark.parametrize(
    ("backend_options", "compile_options"),
    [({}, {"use_checkpointing": True}), ({"memory_efficient": True}, {})],
    ids=["asked of compile", "asked of the backend"],
)
def test_autograd_saves_less(backend_options: dict, compile_options: dict) -> None:
    shape = [3, TOKENS, WIDTH]
    gradients, saved = [], []
    for of_backend, of_compile in (({}, {}), (backend_options, compile_options)):
        backend = ml.TorchBackend(requires_grad=True, **of_backend)
        compiled = ml.compile(transformer(), backend, shapes={"x": shape}, **of_compile)
        params = compiled.get_parameters()
        sizes: list[int] = []

        def note(tensor: "torch.Tensor", sizes: list[int] = sizes) -> "torch.Tensor":
            sizes.append(tensor.numel())
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
            loss = compiled.evaluate(params, {"x": backend.randn(*shape, seed=0)})["y"].sum()
        loss.backward()
        gradients.append({key: value.grad for key, value in params.items()})
        saved.append(sum(sizes))
    for key, gradient in gradients[0].items():
        assert torch.equal(gradient, gradients[1][key]), key
    assert saved[1] < 0.6 * saved[0]
