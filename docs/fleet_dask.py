"""roofswap as a map step of Dask: a table of launches in, a table of predicted times out, two worker processes.

    python3 docs/fleet_dask.py fleet.parquet answers/ --to h100-sxm5,l4 --check

`--check` answers the table in a single process as well and compares every value. Needs a roofswap built with `--features fleet`
in PATH (or ROOFSWAP=/path/to/it), and `pip install "dask[dataframe]" pyarrow`.
"""

import argparse
import os
import subprocess
import tempfile

import dask
import dask.dataframe as dd
import pandas as pd
import pyarrow as pa

ROOFSWAP = os.environ.get("ROOFSWAP", "roofswap")


def command(targets, table="-"):
    return [ROOFSWAP, "predict", "--batch", table, "--to", targets, "--format", "arrow"]


def predict(part: pd.DataFrame, targets: str) -> pd.DataFrame:
    """One partition through one process: an Arrow stream to its standard input, an Arrow stream back."""
    table = pa.Table.from_pandas(part, preserve_index=False)
    rows = pa.BufferOutputStream()
    with pa.ipc.new_stream(rows, table.schema) as writer:
        writer.write_table(table)
    # A worker of Dask has one core; without this every process takes all of them.
    one_core = {**os.environ, "RAYON_NUM_THREADS": "1"}
    done = subprocess.run(command(targets), input=rows.getvalue(), stdout=subprocess.PIPE, env=one_core, check=True)
    answers = pa.ipc.open_stream(done.stdout).read_pandas()
    # `row` counts within the partition.
    return answers.drop(columns="row")


def single_process_differs(file, targets, folder):
    """Compares the parts, in their order, with the stream of one process that reads the whole table."""
    parts = sorted(os.listdir(folder), key=lambda name: int(name.split(".")[1]))
    with tempfile.TemporaryFile() as kept:
        subprocess.run(command(targets, file), stdout=kept, check=True)
        kept.seek(0)
        whole = (pa.Table.from_batches([batch]).drop_columns(["row"]) for batch in pa.ipc.open_stream(kept))
        left, rows = None, 0
        for name in parts:
            part = pa.Table.from_pandas(pd.read_parquet(os.path.join(folder, name)), preserve_index=False)
            while left is None or left.num_rows < part.num_rows:
                more = next(whole)
                left = more if left is None else pa.concat_tables([left, more])
            here, left = left.slice(0, part.num_rows), left.slice(part.num_rows)
            if not here.combine_chunks().equals(part.cast(here.schema).combine_chunks()):
                return f"{name} differs"
            rows += part.num_rows
        if left.num_rows or next(whole, None) is not None:
            return f"the single process has more than {rows} rows"
    print(f"{rows} rows, equal to the single process")
    return None


def main():
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("table")
    asked.add_argument("answers")
    asked.add_argument("--to", default="h100-sxm5")
    asked.add_argument("--workers", type=int, default=2)
    asked.add_argument("--check", action="store_true")
    asked = asked.parse_args()
    rows = dd.read_parquet(asked.table, split_row_groups=1)
    meta = predict(rows.head(1, npartitions=1), asked.to).iloc[:0]
    answers = rows.map_partitions(predict, asked.to, meta=meta)
    with dask.config.set(scheduler="processes", num_workers=asked.workers):
        answers.to_parquet(asked.answers, write_index=False)
    if asked.check:
        raise SystemExit(single_process_differs(asked.table, asked.to, asked.answers))


if __name__ == "__main__":
    main()
