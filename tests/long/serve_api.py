"""Compares the API of `twinset serve` with its own description, by schemathesis.

    python3 tests/long/serve_api.py TWINSET SCHEMATHESIS

Valid and invalid requests are made from /openapi.json. None may crash the server, or get a status
or an answer that is not described, and no invalid request may be accepted.
"""
import os
import re
import signal
import subprocess
import sys
import tempfile

# Checks of headers are left out: the server is stricter than the description.
CHECKS = ("not_a_server_error,status_code_conformance,content_type_conformance,"
          "response_schema_conformance,negative_data_rejection,positive_data_acceptance,"
          "unsupported_method")


def main(twinset, schemathesis):
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen([twinset, "serve", os.path.join(folder, "index.twx"), "--listen",
                                   "127.0.0.1:0"], stderr=subprocess.PIPE, text=True)
        url = re.search(r"http://[\d.:]+", server.stderr.readline())[0]
        tried = subprocess.run([schemathesis, "run", f"{url}/openapi.json", "--checks", CHECKS,
                                "--max-examples", os.environ.get("EXAMPLES", "100"),
                                "--request-timeout", "60",
                                # jansson refuses names of members with a NUL
                                "--generation-allow-x00", "false"], cwd=folder, check=False)
        server.send_signal(signal.SIGTERM)
        status = server.wait(60)
        server.stderr.close()
    return tried.returncode or status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
