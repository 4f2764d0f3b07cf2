"""`import mithril` imports what every program needs, and the rest when it is first used."""

import inspect
import pickle
import subprocess
import sys

import pytest

import mithril as ml

LATE = ("data", "metrics", "packages", "per_sample", "serving", "text", "training.fit")


def output_of(program: str) -> str:
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


def test_importing_mithril_does_not_import_what_few_programs_need() -> None:
    modules = [*(f"mithril.{name}" for name in LATE), "torch", "jax", "subprocess", "hashlib"]
    loaded = f"[name for name in {modules} if name in sys.modules]"
    assert output_of(f"import sys, numpy; before = set({loaded}); import mithril; "
                     f"print(set({loaded}) - before)") == "set()"  # fmt: skip


def test_no_class_of_a_model_is_made_before_it_is_used() -> None:
    program = (
        "import mithril as ml; print('Linear' in vars(ml)); ml.Linear; print('Linear' in vars(ml))"
    )
    assert output_of(program).split() == ["False", "True"]


def test_modules_that_were_attributes_after_the_import_still_are() -> None:
    program = "import mithril as ml; print(ml.packages.__name__, ml.data.from_arrays.__name__)"
    assert output_of(program) == "mithril.packages from_arrays"


@pytest.mark.parametrize("name", ["export", "from_torch", "functional"])
def test_a_function_stays_the_function_beside_a_module_of_its_name(name: str) -> None:
    program = f"import mithril.{name}, mithril as ml; print(type(ml.{name}).__name__)"
    assert output_of(program) == "function"


def test_star_imports_give_every_public_name() -> None:
    program = "import mithril as ml; from mithril import *; print(set(ml.__all__) - set(globals()))"
    assert output_of(program) == "set()"


def test_dir_and_all_have_the_names_that_are_imported_late() -> None:
    assert {"Linear", "fit", "text", "load_package"} <= set(dir(ml)) & set(ml.__all__)
    assert "Linear" in dir(ml.models)
    assert "JaxBackend" in dir(ml.backends)


def test_threads_get_one_class() -> None:
    program = (
        "import mithril as ml; from concurrent.futures import ThreadPoolExecutor as Threads\n"
        "print(len(set(Threads(8).map(lambda _: ml.models.Gelu, range(64)))))"
    )
    assert output_of(program) == "1"


def test_a_pickle_finds_a_class_that_was_not_used_yet() -> None:
    data = pickle.dumps(ml.Linear(3)).hex()
    program = f"import pickle; print(type(pickle.loads(bytes.fromhex('{data}'))).__name__)"
    assert output_of(program) == "Linear"


def test_help_shows_the_signature_of_a_function_of_the_core() -> None:
    assert "evaluate(self, params, data={}" in output_of(
        "import mithril as ml; help(ml.CompiledModel.evaluate)"
    )
    assert str(inspect.signature(ml.set_limits)).startswith("(")
