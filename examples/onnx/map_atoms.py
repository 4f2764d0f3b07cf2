"""Tells where the atoms of a product come from, by the attention of the transformer of rxnmap.

Acetic acid and ethanol make ethyl acetate and water. The tensors follow the description of the
network (Nugmanov et al., 2022, https://doi.org/10.1021/acs.jcim.2c00344): tokens are one for the
reaction, and for each molecule one for the molecule and one for each atom.

python examples/onnx/packages.py && python examples/onnx/map_atoms.py
"""

from typing import NamedTuple

import numpy as np
from packages import find

import mithril as ml

NUMBERS = {"H": 1, "C": 6, "N": 7, "O": 8}
REACTANT, PRODUCT = 2, 3  # roles; 1 is the reaction, and 0 what is no atom
FARTHEST = 10  # bonds


class Molecule(NamedTuple):
    """Atoms with their hydrogens, such as "CH3 C O OH", and the bonds between them."""

    atoms: str
    bonds: tuple[tuple[int, int], ...]


REACTANTS = (
    Molecule("CH3 C O OH", ((0, 1), (1, 2), (1, 3))),
    Molecule("CH3 CH2 OH", ((0, 1), (1, 2))),
)
PRODUCTS = (
    Molecule("CH3 C O O CH2 CH3", ((0, 1), (1, 2), (1, 3), (3, 4), (4, 5))),
    Molecule("OH2", ()),
)


def distances(molecule):
    """How many bonds are between each two atoms."""
    count = len(molecule.atoms.split())
    steps = np.full([count, count], FARTHEST)
    np.fill_diagonal(steps, 0)
    for first, second in molecule.bonds:
        steps[first, second] = steps[second, first] = 1
    for middle in range(count):
        steps = np.minimum(steps, steps[:, [middle]] + steps[[middle]])
    return steps


def encode(reactants, products):
    """The inputs of the network. Numbers of atoms, neighbours and distances begin at 2."""
    atoms, neighbors, roles, blocks = [0], [0], [1], [np.ones([1, 1], int)]
    for molecule in (*reactants, *products):
        steps = distances(molecule)
        atoms.append(1)
        neighbors.append(0)
        roles += [0] + [REACTANT if molecule in reactants else PRODUCT] * len(steps)
        for atom, row in zip(molecule.atoms.split(), steps, strict=True):
            element, _, hydrogens = atom.partition("H")
            hydrogens = int(hydrogens or "H" in atom)
            atoms.append(NUMBERS[element] + 2)
            neighbors.append(int((row == 1).sum()) + hydrogens + 2)
        blocks.append(np.pad(steps + 2, [(1, 0), (1, 0)], constant_values=1))
    matrix = np.zeros([len(atoms), len(atoms)], int)
    start = 0
    for block in blocks:
        end = start + len(block)
        matrix[start:end, start:end] = block
        start = end
    lists = {"atoms": atoms, "neighbors": neighbors, "distances": matrix, "roles": roles}
    return {name: np.array([value], np.int64) for name, value in lists.items()}


def matched(attention, data):
    """(product token, reactant token, score) pairs of equal elements, the best first."""
    elements, roles = data["atoms"][0], data["roles"][0]
    score = attention + attention.T
    score = score * (elements[:, None] == elements)
    score = score * ((roles[:, None] == PRODUCT) & (roles == REACTANT))
    pairs = []
    while score.max() > 0:
        product, reactant = np.unravel_index(score.argmax(), score.shape)
        pairs.append((int(product), int(reactant), float(score[product, reactant])))
        score[product] = score[:, reactant] = 0
    return pairs


def names(molecules, first):
    """What each atom's token stands for, such as "molecule 1, atom 2 (CH2)"."""
    made, token = {}, first
    for number, molecule in enumerate(molecules, 1):
        for position, atom in enumerate(molecule.atoms.split(), 1):
            made[token + position] = f"molecule {number}, atom {position} ({atom})"
        token += 1 + len(molecule.atoms.split())
    return made, token


def main():
    model, params, _ = ml.from_onnx(find("chython-rxnmap", "chython_rxnmap/rxnmap.onnx"))
    compiled = ml.compile(model, ml.CpuBackend(), inference=True)
    data = encode(REACTANTS, PRODUCTS)
    attention = np.asarray(compiled.evaluate(params, data)["attention"])
    sources, token = names(REACTANTS, 1)
    targets, _ = names(PRODUCTS, token)
    found = {}
    for product, reactant, score in sorted(matched(attention, data)):
        found[targets[product]] = sources[reactant]
        print(f"product {targets[product]:26} from reactant {sources[reactant]:26} {score:.3f}")
    return found


if __name__ == "__main__":
    main()
