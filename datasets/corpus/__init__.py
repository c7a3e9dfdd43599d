"""The Parquet corpus: schemas, writer, reader."""
