"""Beam search in a recurrent language model, as one compiled model of two loops.

Usage: python examples/python/beam_search.py

A small network learns sequences of a random process of second order. The search keeps the `width`
most probable beginnings at each step, in a loop with the scores, tokens and hidden states of all
beams as carries. A second loop follows the parents of the best one back to the start. Prints the
log probabilities that a greedy search and a beam search find, and the best one of all sequences.
"""

import itertools

import numpy as np

import mithril as ml

TOKENS, HIDDEN, LENGTH, START = 6, 32, 6, 0
WEIGHTS = {name: name for name in ("w_token", "w_hidden", "b_hidden", "w_out", "b_out")}
SHAPES = {"token": [LENGTH, None], "next": [LENGTH, None], "h": [None, HIDDEN]}


def compose_cell() -> ml.Model:
    """Returns one step: token [N] and h [N, HIDDEN] to log_p [N, TOKENS] and h_next."""
    cell = ml.Model()
    cell |= ml.Embedding(TOKENS, dim=HIDDEN)(input="token", weight="w_token", output="from_token")
    cell |= ml.Linear(HIDDEN)(input="h", weight="w_hidden", bias="b_hidden", output="from_h")
    cell |= ml.Tanh()(input=cell["from_token"] + cell["from_h"], output="h_next")
    cell |= ml.Linear(TOKENS)(input="h_next", weight="w_out", bias="b_out", output="logits")
    cell |= ml.LogSoftmax()(input="logits", output="log_p")
    return cell


def compose_scores() -> ml.Model:
    """Returns the log probability of each token of tokens [LENGTH, N]."""
    step = ml.Model()
    step |= compose_cell()(token="token", h="h", log_p="log_p", h_next="h_next", **WEIGHTS)
    following = step.add_input("next")
    step |= ml.TakeAlongAxis(axis=1)(input="log_p", index=following[:, None], output="chosen")
    step |= ml.Buffer()(input=step["chosen"][:, 0], output="score")
    return ml.Scan(step, carry={"h": "h_next"}, sequences=["token", "next"], outputs=["score"])


def compose_search(width: int) -> ml.Model:
    """Returns a model of the best sequence [LENGTH] and its log probability."""
    step = ml.Model()
    step |= compose_cell()(token="token", h="h", log_p="log_p", h_next="h_all", **WEIGHTS)
    score = step.add_input("score")
    scores = (score[:, None] + step["log_p"]).reshape((width * TOKENS,))
    step |= ml.TopK(width)(input=scores, values="score_next", indices="chosen")
    step |= ml.Buffer()(input=step["chosen"] // TOKENS, output="parent")
    step |= ml.Buffer()(input=step["chosen"] % TOKENS, output="token_next")
    step |= ml.Gather()(input="h_all", index="parent", output="h_next")
    forward = ml.Scan(
        step,
        carry={"h": "h_next", "token": "token_next", "score": "score_next"},
        outputs=["parent", "token_next"],
        length=LENGTH,
    )
    back = ml.Model()
    back |= ml.Gather()(input="tokens", index="beam", output="token")
    back |= ml.Gather()(input="parents", index="beam", output="before")
    follow = ml.Scan(
        back,
        carry={"beam": "before"},
        sequences=["tokens", "parents"],
        outputs=["token"],
        reverse=True,
    )
    search = ml.Model()
    search |= forward(h="h", token="token", score="score", score_last="scores", **WEIGHTS)
    search |= follow(
        beam=ml.Tensor(0), tokens=forward.token_next, parents=forward.parent, token="best"
    )
    search |= ml.Buffer()(input=search["scores"][0], output="log_p")
    return search


def sample(random: np.random.Generator, count: int) -> np.ndarray:
    """Returns sequences [LENGTH + 1, count] of the process, which begin with START."""
    table = np.random.default_rng(0).dirichlet(np.full(TOKENS, 0.5), (TOKENS, TOKENS)).cumsum(-1)
    tokens = np.full((LENGTH + 1, count), START)
    for t in range(1, LENGTH + 1):
        now = table[tokens[max(t - 2, 0)], tokens[t - 1]]
        tokens[t] = (random.random((count, 1)) > now[:, :-1]).sum(-1)
    return tokens


def data_of(tokens: np.ndarray) -> dict[str, np.ndarray]:
    return {
        "token": tokens[:-1],
        "next": tokens[1:],
        "h": np.zeros((tokens.shape[1], HIDDEN), np.float32),
    }


def learn(random: np.random.Generator) -> dict[str, np.ndarray]:
    train = ml.TrainModel(compose_scores())
    train.add_loss(ml.Buffer(), input="score", reduce_steps=[ml.Mean()], coef=-1.0)
    compiled = ml.compile(
        train,
        ml.CpuBackend(),
        shapes=SHAPES,
    )
    params = compiled.get_parameters(seed=0)
    step = ml.TrainingStep(compiled, ml.Adam(1e-2))
    for number in range(401):
        outputs = step(params, data_of(sample(random, 256)))
        if number % 100 == 0:
            print(f"step {number:3}: loss {float(outputs['final_cost']):.3f}")
    return params


def search(params: dict[str, np.ndarray], width: int) -> tuple[list[int], float]:
    compiled = ml.compile(
        compose_search(width),
        ml.CpuBackend(),
        inference=True,
        shapes={"h": [width, HIDDEN], "token": [width], "score": [width]},
    )
    score = np.full(width, -1e9, np.float32)  # all beams but the first are copies
    score[0] = 0
    found = compiled.infer(
        params,
        {
            "h": np.zeros((width, HIDDEN), np.float32),
            "token": np.full(width, START),
            "score": score,
        },
    )
    return np.asarray(found["best"]).tolist(), float(found["log_p"])


def main() -> tuple[float, float, float]:
    params = learn(np.random.default_rng(1))
    greedy, beams = search(params, 1), search(params, 16)
    every = np.array(list(itertools.product(range(TOKENS), repeat=LENGTH))).T
    every = np.concatenate([np.full((1, every.shape[1]), START), every])
    scores = ml.compile(compose_scores(), ml.CpuBackend(), inference=True, shapes=SHAPES)
    log_p = np.asarray(scores.infer(params, data_of(every))["score"]).sum(0)
    best = int(log_p.argmax())
    print(f"greedy:      {greedy[0]} {greedy[1]:.4f}")
    print(f"beam search: {beams[0]} {beams[1]:.4f}")
    print(f"best of all: {every[1:, best].tolist()} {log_p[best]:.4f}")
    return greedy[1], beams[1], float(log_p[best])


if __name__ == "__main__":
    main()
