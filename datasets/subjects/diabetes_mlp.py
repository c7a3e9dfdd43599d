"""Predict the progress of diabetes within a year from ten measurements."""

import keras
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

x, y = load_diabetes(return_X_y=True)
x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.3, random_state=0)
scaler = StandardScaler().fit(x_train)
x_train, x_test = scaler.transform(x_train), scaler.transform(x_test)
mean, deviation = y_train.mean(), y_train.std()
y_train, y_test = (y_train - mean) / deviation, (y_test - mean) / deviation

model = keras.Sequential(
    [
        keras.layers.Input(shape=(10,)),
        keras.layers.Dense(16, activation="relu"),
        keras.layers.Dense(8, activation="relu"),
        keras.layers.Dense(1),
    ]
)
model.compile(
    optimizer=keras.optimizers.Adam(learning_rate=0.005),
    loss="mse",
    metrics=["mae"],
)
model.fit(x_train, y_train, batch_size=32, epochs=15, verbose=0)

loss, error = model.evaluate(x_test, y_test, verbose=0)
print(f"test error {error * deviation:.1f} on a scale from 25 to 346")
