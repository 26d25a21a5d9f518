"""text-dedup: its own command for MinHash on JSON lines, word 5-shingles, all cores.

It keeps the records in a format of its own, from which the list of those removed is made.
"""
import os
import shutil
import subprocess
import sys

import records
from datasets import load_from_disk


def dedup(source, kept, removed):
    folder = kept + ".text-dedup"
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([
        sys.executable, "-m", "text_dedup.minhash", "--path", "json", "--data_files", source,
        "--split", "train", "--cache_dir", os.path.join(folder, "cache"), "--output",
        os.path.join(folder, "kept"), "--column", "text", "--batch_size", "10000", "--threshold",
        str(records.THRESHOLD), "--num_perm", str(records.HASHES), "--ngram", "5", "--min_length",
        "0", "--num_proc", str(os.cpu_count())], check=True, stdout=subprocess.DEVNULL)
    stays = set(load_from_disk(os.path.join(folder, "kept"))["id"])
    with open(removed, "w", encoding="utf-8") as gone:
        gone.writelines(f"{name}\n" for _, name, _ in records.read(source) if name not in stays)
    shutil.rmtree(folder)


records.main(dedup)
