from typing import Annotated

import numpy as np
import onnxruntime
import uvicorn
from fastapi import Body, FastAPI

session, app = onnxruntime.InferenceSession("module.onnx"), FastAPI()


@app.post("/infer")
def infer(x: Annotated[list, Body(embed=True)]):
    return session.run(None, {session.get_inputs()[0].name: np.array(x, np.float32)})[0].tolist()


uvicorn.run(app, port=8000)
