from typing import Annotated

import torch
import uvicorn
from fastapi import Body, FastAPI

model, app = torch.jit.load("digits.pt"), FastAPI()


@app.post("/infer")
def infer(image: Annotated[list, Body(embed=True)]):
    return model(torch.tensor(image, dtype=torch.float32)).tolist()


uvicorn.run(app, port=8000)
