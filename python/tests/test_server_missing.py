"""Builds without the server."""

import pytest

import mithril as ml
from mithril import serving


def test_serving_without_the_server_is_an_error(monkeypatch):
    monkeypatch.setattr(serving, "find_spec", lambda name: None)
    with pytest.raises(ml.BackendError) as caught:
        ml.serve(ml.Engine())
    assert str(caught.value) == (
        "mithril.BackendError[E1240]: this build of Mithril has no server\n"
        "  help: install cpp-httplib (Debian: libcpp-httplib-dev pkg-config) and build it again"
    )
