"""Run by the packed program before anything else: what the packer changed is put back, what it carries is found.

The bootloader points LD_LIBRARY_PATH at the libraries of the archive. This process has them by now; the programs that
it starts, credential plugins above all, need those of the system. And the OpenSSL of the archive looks for authorities
where the system that it was built on keeps them: where others do is found the way kubectl finds it.
"""

import os
from pathlib import Path

BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt",  # Debian, Ubuntu, Arch
    "/etc/pki/tls/certs/ca-bundle.crt",  # Fedora, Red Hat
    "/etc/ssl/ca-bundle.pem",  # SUSE
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  # Red Hat 7 and newer
    "/etc/ssl/cert.pem",  # macOS
)

before = os.environ.pop("LD_LIBRARY_PATH_ORIG", None)
os.environ.pop("LD_LIBRARY_PATH", None)
if before is not None:
    os.environ["LD_LIBRARY_PATH"] = before
for name in [name for name in os.environ if name.startswith("_PYI_")]:
    del os.environ[name]

# not on Windows, which has a store of its own: there anybody may make a C:\etc
if os.name == "posix" and not {"SSL_CERT_FILE", "SSL_CERT_DIR"} & set(os.environ):
    for bundle in BUNDLES:
        if Path(bundle).exists():
            os.environ["SSL_CERT_FILE"] = bundle
            break
