"""The Parquet corpus: schemas, writer, reader.

Finished units are staging files; `compact` merges them into the sorted shards that others read.
"""
