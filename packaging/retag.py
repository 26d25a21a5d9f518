"""Writes a wheel once more, for another platform, reproducibly: entries in the order of their
names, with one time.

    python3 packaging/retag.py WHEEL PLATFORM FOLDER
"""

import base64
import hashlib
import os
import re
import sys
import time
import zipfile


def record(files, path):
    """The list of all files, which the wheel has in itself."""
    lines = []
    for name, (data, _) in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{path},,\n" if name == path else f"{name},sha256={digest},{len(data)}\n")
    return "".join(lines).encode()


def main(wheel, platform, folder):
    with zipfile.ZipFile(wheel) as read:
        files = {one.filename: (read.read(one), one.external_attr)
                 for one in sorted(read.infolist(), key=lambda one: one.filename)
                 if not one.is_dir()}
    for name, (data, mode) in files.items():
        if name.endswith(".dist-info/WHEEL"):
            data = re.sub(rb"(?m)^(Tag: .*-)[^-\n]*$", rb"\1" + platform.encode(), data)
            files[name] = data, mode
    path = next(name for name in files if name.endswith(".dist-info/RECORD"))
    files[path] = record(files, path), files[path][1]

    when = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
    name = os.path.basename(wheel).rpartition("-")[0] + f"-{platform}.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w", zipfile.ZIP_DEFLATED) as written:
        for one, (data, mode) in files.items():
            info = zipfile.ZipInfo(one, when)
            info.external_attr, info.compress_type = mode, zipfile.ZIP_DEFLATED
            written.writestr(info, data, compresslevel=9)


main(*sys.argv[1:])
