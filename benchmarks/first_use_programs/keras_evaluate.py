import os

os.environ["KERAS_BACKEND"] = "jax"
import keras
import numpy as np

model = keras.Sequential([keras.layers.Dense(3, activation="relu")])
print(model(np.ones((2, 4), np.float32)))
