"""The engine behind Ray Serve: replicas of a package, on one machine or on those of a Ray cluster.

pip install "ray[serve]"
python examples/python/ray_serve.py minilm --replicas 2

Each replica is a process with an engine of its own. Ray sends requests to the replicas, and starts
a replica that ended anew. The package must be at the same path on all machines. Requests are JSON
of the Open Inference Protocol: POST /v2/models/model/infer.
"""

import argparse
import asyncio
import os
import signal
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from ray import serve
from starlette.responses import JSONResponse

import mithril as ml

ROUTE = "/v2/models/model"
AT_A_TIME = 64  # requests of one replica
DTYPES = {"BOOL": np.bool_, "INT32": np.int32, "INT64": np.int64}
DTYPES |= {"FP16": np.float16, "FP32": np.float32, "FP64": np.float64}
NAMES = {np.dtype(dtype): name for name, dtype in DTYPES.items()}


class Replica:
    """Serves one package; `options` are those of Engine.register_model, such as max_batch_size."""

    def __init__(self, path, options):
        self.engine = ml.Engine()
        self.engine.register_model("model", ml.load_package(path), **options)
        self.threads = ThreadPoolExecutor(AT_A_TIME)  # that wait for answers

    async def infer(self, inputs):
        """The outputs for a dict of arrays."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.threads, self.engine.infer, "model", inputs)

    async def __call__(self, request):
        """The answer to a request over HTTP."""
        body = await request.json()
        try:
            outputs = await self.infer(
                {tensor["name"]: array_of(tensor) for tensor in body["inputs"]}
            )
        except ml.Error as error:
            return JSONResponse({"error": str(error), "code": error.code}, status_code=400)
        except (KeyError, TypeError, ValueError) as error:
            return JSONResponse({"error": f"no valid request: {error!r}"}, status_code=400)
        listed = [tensor_of(name, array) for name, array in outputs.items()]
        return {"model_name": "model", "outputs": listed}

    def process(self):
        """The process of this replica."""
        return os.getpid()


def array_of(tensor):
    """The array of a tensor of the protocol."""
    return np.array(tensor["data"], DTYPES[tensor["datatype"]]).reshape(tensor["shape"])


def tensor_of(name, array):
    """The tensor of the protocol for an output."""
    datatype = NAMES[array.dtype]
    return {
        "name": name,
        "datatype": datatype,
        "shape": array.shape,
        "data": array.ravel().tolist(),
    }


def deploy(path, replicas, port, **options):
    """Starts the replicas, and returns a handle that calls them from Python."""
    serve.start(http_options={"host": "127.0.0.1", "port": port})
    deployment = serve.deployment(
        Replica,
        num_replicas=replicas,
        max_ongoing_requests=AT_A_TIME,
        health_check_period_s=1,
        ray_actor_options={"num_cpus": 0.5},
    )
    return serve.run(deployment.bind(os.path.abspath(path), options), route_prefix=ROUTE)


def main():
    parser = argparse.ArgumentParser(description="Serves a package with Ray.")
    parser.add_argument("package")
    parser.add_argument("--replicas", type=int, default=2)
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--max-batch-size", type=int, default=1)
    given = parser.parse_args()
    deploy(given.package, given.replicas, given.port, max_batch_size=given.max_batch_size)
    print(f"POST http://127.0.0.1:{given.port}{ROUTE}/infer", flush=True)
    signal.sigwait([signal.SIGINT, signal.SIGTERM])
    serve.shutdown()


if __name__ == "__main__":
    main()
