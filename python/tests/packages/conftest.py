"""The program examples/chat, and the packages that make its models and tokenizers."""

import importlib

import pytest
from chat_tokenizers import built_program


@pytest.fixture(scope="module")
def program():
    return built_program()


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch", reason="torch is not installed")


@pytest.fixture(scope="module")
def transformers():
    return pytest.importorskip("transformers", reason="transformers is not installed")


@pytest.fixture(scope="module")
def tokenizers(transformers):  # it needs them
    return importlib.import_module("tokenizers")
