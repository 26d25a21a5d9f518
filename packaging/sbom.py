"""Writes the bill of materials of a release, as SPDX 2.3 in JSON, to standard output.

    python3 packaging/sbom.py VERSION EPOCH LIST...

A LIST has lines of NAME SHA256 CLIENT PACKAGE VERSION, as script/fetch reads them: what is inside
the wheels and the static command.
"""

import datetime
import json
import re
import sys
from urllib.parse import quote

# How the URL of a package begins (https://github.com/package-url).
KINDS = {"pip": "pypi", "npm": "npm", "apt": "deb/debian", "orig": "deb/debian"}


def packages(lists):
    """(sha256, client, package, version) of each."""
    for path in lists:
        with open(path, encoding="utf-8") as file:
            for line in file:
                if not line.startswith("#"):
                    yield line.split()[1:]


def url(client, package, version):
    return f"pkg:{KINDS[client]}/{quote(package)}@{quote(version)}"


def main(version, epoch, *lists):
    created = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc)
    inside = [{
        "SPDXID": "SPDXRef-" + re.sub("[^A-Za-z0-9.-]", "-", f"{client}-{package}-{one}"),
        "name": package, "versionInfo": one, "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "checksums": [{"algorithm": "SHA256", "checksumValue": sha256}],
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                          "referenceLocator": url(client, package, one)}],
        "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION",
    } for sha256, client, package, one in packages(lists)]
    own = {"SPDXID": "SPDXRef-twinset", "name": "twinset", "versionInfo": version,
           "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
           "licenseConcluded": "Apache-2.0", "copyrightText": "NOASSERTION"}
    json.dump({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"twinset-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/twinset-{version}-{epoch}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
                         "creators": ["Tool: twinset packaging/sbom.py"]},
        "packages": [own, *inside],
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
             "relatedSpdxElement": "SPDXRef-twinset"},
            *({"spdxElementId": "SPDXRef-twinset", "relationshipType": "CONTAINS",
               "relatedSpdxElement": one["SPDXID"]} for one in inside)],
    }, sys.stdout, indent=1)
    print()


main(*sys.argv[1:])
