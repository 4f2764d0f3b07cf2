import os
from typing import Annotated

os.environ["KERAS_BACKEND"] = "jax"
import keras
import numpy as np
import uvicorn
from fastapi import Body, FastAPI

model, app = keras.models.load_model("digits.keras"), FastAPI()


@app.post("/infer")
def infer(image: Annotated[list, Body(embed=True)]):
    return model.predict(np.array(image, np.float32).reshape(-1, 8, 8, 1), verbose=0).tolist()


uvicorn.run(app, port=8000)
