"""Servers on this machine: endpoints on loopback, and whether one is running."""

from __future__ import annotations

import os
import socket
from ipaddress import ip_address
from urllib.parse import urlsplit

from nullbench_site.evaluation.endpoints.endpoint import resolve
from nullbench_site.evaluation.endpoints.faults import Fault
from nullbench_site.specs.types import Endpoint

START = "start it (the local model: nullbench-site model)"
"""The remedy if a server on this machine is not running."""
_LONGEST_WAIT = 2.0
_PORTS = {"http": 80, "https": 443}


def is_loopback(host: str) -> bool:
    """Return True if a host is this machine's loopback."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_local(endpoint: Endpoint) -> bool:
    """Return True if an endpoint is on loopback. Without its address, it is not."""
    try:
        return is_loopback(urlsplit(resolve(endpoint, os.environ).base_url).hostname or "")
    except Fault:
        return False


def is_stopped(endpoint: Endpoint) -> bool:
    """Return True if an endpoint is on loopback and refuses connections: its server is not running."""
    try:
        url = urlsplit(resolve(endpoint, os.environ).base_url)
    except Fault:
        return False
    host = url.hostname or ""
    if not is_loopback(host):
        return False
    try:
        with socket.create_connection((host, url.port or _PORTS[url.scheme]), _LONGEST_WAIT):
            return False
    except ConnectionRefusedError:
        return True
    except OSError:
        return False
