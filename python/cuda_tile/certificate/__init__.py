# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Certificates: PTX stores what Tile IR stores, for all data; docs/certificate.md."""

from cuda_tile.certificate.certify import Certificate as Certificate
from cuda_tile.certificate.certify import Launch as Launch
from cuda_tile.certificate.certify import certify as certify
