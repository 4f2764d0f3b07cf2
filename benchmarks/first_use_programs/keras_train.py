import os

os.environ["KERAS_BACKEND"] = "jax"
import keras
from digits import load_digits
from keras import layers

images, labels = load_digits()
images = images.reshape(-1, 8, 8, 1)
model = keras.Sequential(
    [
        keras.Input((8, 8, 1)),
        layers.Conv2D(16, 3, padding="same", activation="relu"),
        layers.MaxPooling2D(2),
        layers.Conv2D(32, 3, padding="same", activation="relu"),
        layers.Flatten(),
        layers.Dense(10),
    ]
)
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile(keras.optimizers.Adam(3e-3), loss, metrics=["accuracy"])
model.fit(images[:1437], labels[:1437], batch_size=32, epochs=12, verbose=0)
print("accuracy", model.evaluate(images[1437:], labels[1437:], verbose=0)[1])
model.save("digits.keras")
