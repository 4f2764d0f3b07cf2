"""The JavaScript driver in Node and Chromium."""

from __future__ import annotations

from pathlib import Path

from web_tools import run_in

# Of a network that takes tokens and no text.
SIZES = {
    "inputSize": 7, "hiddenSize": 8, "outputSize": 9, "numLayers": 2, "contextLength": 5,
}  # fmt: skip

HEAD = """
const { LMError, TorchModel, TorchUtils } =
  await import(new URL("node_modules/mithril-driver/driver.mjs", folder));
const lmError = async (action) => {
  try {
    await action();
  } catch (error) {
    return `${error instanceof LMError} ${error.message}`;
  }
  return "nothing";
};
const networkOf = async (config) => {
  const model = new TorchModel(config);
  await model.init();
  return model;
};
const path = (name) => new URL(name, folder).pathname;
"""


def run_driver(folder: Path, script: str, engine: str = "node") -> list[str]:
    """Returns the lines that a script prints. `folder` contains the package of the driver."""
    return run_in(engine, folder, HEAD + script)
