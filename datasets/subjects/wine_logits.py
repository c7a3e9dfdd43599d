"""Tell three cultivars of wine apart, with early stopping, class weights and logits."""

import keras
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

x, y = load_wine(return_X_y=True)
x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.4, random_state=0, stratify=y)
scaler = StandardScaler().fit(x_train)
x_train, x_test = scaler.transform(x_train), scaler.transform(x_test)

model = keras.Sequential(
    [
        keras.layers.Input(shape=(13,)),
        keras.layers.Dense(16, use_bias=False, kernel_regularizer=keras.regularizers.L2(0.001)),
        keras.layers.BatchNormalization(),
        keras.layers.Activation("relu"),
        keras.layers.Dense(8, activation="relu"),
        keras.layers.Dense(3),
    ]
)
model.compile(
    optimizer=keras.optimizers.SGD(learning_rate=0.01, momentum=0.9, clipnorm=1.0),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
stopping = keras.callbacks.EarlyStopping(patience=8, restore_best_weights=True)
model.fit(
    x_train,
    y_train,
    batch_size=16,
    epochs=80,
    validation_split=0.25,
    class_weight={0: 1.0, 1: 0.8, 2: 1.2},
    callbacks=[stopping],
    verbose=0,
)

loss, accuracy = model.evaluate(x_test, y_test, verbose=0)
print(f"test accuracy {accuracy:.3f}")
