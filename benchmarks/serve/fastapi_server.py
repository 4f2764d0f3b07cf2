"""Serves a workload with FastAPI around another runtime, by the same protocol as Mithril.

python -m benchmarks.serve.fastapi_server WORKLOAD PORT FOLDER onnxruntime|torch
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import uvicorn
from fastapi import FastAPI, Request, Response
from starlette.concurrency import run_in_threadpool

from benchmarks.serve.client import DTYPES, LENGTH_HEADER
from benchmarks.serve.models import WORKLOADS

Arrays = dict[str, np.ndarray[Any, Any]]
Run = Callable[[Arrays], np.ndarray[Any, Any]]


def onnxruntime_model(name: str, folder: Path) -> Run:
    import onnxruntime  # noqa: PLC0415 - only this runtime needs it

    session = onnxruntime.InferenceSession(
        str(folder / f"{name}.onnx"), providers=["CPUExecutionProvider"]
    )
    return lambda inputs: session.run([WORKLOADS[name].output], inputs)[0]


def torch_model(name: str, folder: Path) -> Run:
    import torch  # noqa: PLC0415 - only this runtime needs it

    from benchmarks.serve.modules import prepared_module  # noqa: PLC0415

    module = prepared_module(name, folder)

    def run(inputs: Arrays) -> np.ndarray[Any, Any]:
        with torch.inference_mode():
            # torch warns about arrays that cannot be written to.
            return module(*(torch.from_numpy(value.copy()) for value in inputs.values())).numpy()

    return run


RUNTIMES = {"onnxruntime": onnxruntime_model, "torch": torch_model}


def read_inputs(body: bytes, length: int) -> Arrays:
    inputs, at = {}, length
    for tensor in json.loads(body[:length])["inputs"]:
        size = tensor["parameters"]["binary_data_size"]
        array = np.frombuffer(body[at : at + size], DTYPES[tensor["datatype"]])
        inputs[tensor["name"]] = array.reshape(tensor["shape"])
        at += size
    return inputs


def main() -> None:
    name, port, folder = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    run = RUNTIMES[sys.argv[4]](name, folder)
    app = FastAPI()

    @app.get("/v2/health/ready")
    def ready() -> None:
        return None

    # A plain function runs in a thread of Starlette's pool, as FastAPI recommends for blocking
    # work; reading the body is asynchronous.
    def infer(body: bytes, length: int) -> Response:
        result = run(read_inputs(body, length))
        message = {
            "model_name": name,
            "outputs": [
                {
                    "name": WORKLOADS[name].output,
                    "datatype": "FP32",
                    "shape": list(result.shape),
                    "parameters": {"binary_data_size": result.nbytes},
                }
            ],
        }
        head = json.dumps(message).encode()
        return Response(head + result.tobytes(), headers={LENGTH_HEADER: str(len(head))})

    @app.post("/v2/models/{model}/infer")
    async def answer(model: str, request: Request) -> Response:
        body = await request.body()
        return await run_in_threadpool(infer, body, int(request.headers[LENGTH_HEADER]))

    uvicorn.run(app, port=port, log_level="warning", access_log=False)


if __name__ == "__main__":
    main()
