"""Builds without the server, and with one that does not load."""

import sys

import pytest
from mithril.serving import server

import mithril as ml


def test_serving_without_the_server_is_an_error(monkeypatch):
    monkeypatch.setattr(server, "find_spec", lambda name: None)
    with pytest.raises(ml.BackendError) as caught:
        ml.serve(ml.Engine())
    assert str(caught.value) == (
        "mithril.BackendError[E1240]: this build of Mithril has no server\n"
        "  help: install the headers of Boost (Debian: libboost-dev) and build it again"
    )


def test_a_server_that_does_not_load_is_an_error(monkeypatch):
    monkeypatch.setattr(server, "find_spec", lambda name: name)
    monkeypatch.setitem(sys.modules, "mithril._server", None)
    with pytest.raises(ml.BackendError) as caught:
        ml.serve(ml.Engine())
    assert str(caught.value).splitlines() == [
        "mithril.BackendError[E1240]: the server of Mithril does not load: import of "
        "mithril._server halted; None in sys.modules",
        "  help: install Mithril again",
    ]
