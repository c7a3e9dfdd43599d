"""Turn an ordinary Keras script into a training program."""
