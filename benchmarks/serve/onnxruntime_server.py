"""Serves a workload with FastAPI and ONNX Runtime, by the same protocol as Mithril.

python -m benchmarks.serve.onnxruntime_server WORKLOAD PORT FOLDER
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import uvicorn
from fastapi import FastAPI, Request, Response
from starlette.concurrency import run_in_threadpool

from benchmarks.serve.client import DTYPES, LENGTH_HEADER


def read_inputs(body: bytes, length: int) -> dict[str, np.ndarray[Any, Any]]:
    inputs, at = {}, length
    for each in json.loads(body[:length])["inputs"]:
        size = each["parameters"]["binary_data_size"]
        array = np.frombuffer(body[at : at + size], DTYPES[each["datatype"]])
        inputs[each["name"]] = array.reshape(each["shape"])
        at += size
    return inputs


def main() -> None:
    name, port, folder = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    session = onnxruntime.InferenceSession(
        str(folder / f"{name}.onnx"), providers=["CPUExecutionProvider"]
    )
    outputs = [each.name for each in session.get_outputs()]
    app = FastAPI()

    @app.get("/v2/health/ready")
    def ready() -> None:
        return None

    # A plain function runs in a thread of Starlette's pool, as FastAPI recommends for blocking
    # work; reading the body is asynchronous.
    def infer(body: bytes, length: int) -> Response:
        (result,) = session.run(outputs, read_inputs(body, length))
        message = {
            "model_name": name,
            "outputs": [
                {
                    "name": outputs[0],
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
