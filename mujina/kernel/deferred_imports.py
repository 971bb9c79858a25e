"""The one place that may defer a heavy import: each function here imports its package at the first call, not at start.

The figures are what a start saves (time, memory).
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, TextIO


def function(module: str, name: str) -> Callable[..., Any]:
    """A function or class for a manifest, which is imported when it is first called: every start reads all manifests."""

    @cache
    def imported() -> Callable[..., Any]:
        return getattr(import_module(module), name)

    def call(*arguments: Any, **named: Any) -> Any:
        return imported()(*arguments, **named)

    call.__name__ = name
    return call


def latex2mathml():
    """Formulas: only processes that draw one need it (120 ms, 4 MB)."""
    from latex2mathml import converter

    return converter


def cron():
    """Cron expressions: only processes that save or run a schedule need them (3 ms)."""
    import cronsim

    return cronsim


def python_versions():
    """Versions of Python packages: only requests about these need them (7 ms)."""
    from packaging import version

    return version


def python_specifiers():
    """Conditions on versions (3 ms)."""
    from packaging import specifiers

    return specifiers


def dns() -> tuple[Any, Any, Any]:
    """Questions to name servers: only domains of sites that are verified need them (40 ms)."""
    import dns.asyncresolver
    import dns.exception
    import dns.nameserver

    return dns.asyncresolver, dns.nameserver, dns.exception


def ciphers():
    """Authenticated encryption (10 ms, 7 MB)."""
    from cryptography.hazmat.primitives.ciphers import aead

    return aead


def cipher_errors():
    """The exceptions of `ciphers()`."""
    from cryptography import exceptions

    return exceptions


def rsa():
    """RSA keys (part of the cost of `ciphers()`)."""
    from cryptography.hazmat.primitives.asymmetric import rsa

    return rsa


def signatures():
    """Padding and hashes for RSA signatures (part of the cost of `ciphers()`)."""
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import padding

    return padding, hashes


def key_forms():
    """Serialization of keys (part of the cost of `ciphers()`)."""
    from cryptography.hazmat.primitives import serialization

    return serialization


def x509():
    """Certificates (part of the cost of `ciphers()`)."""
    from cryptography import x509

    return x509


def ed25519():
    """Ed25519 keys (part of the cost of `ciphers()`)."""
    from cryptography.hazmat.primitives.asymmetric import ed25519

    return ed25519


def elliptic_curves():
    """ECDSA keys (part of the cost of `ciphers()`)."""
    from cryptography.hazmat.primitives.asymmetric import ec

    return ec


def dss_signature(r: int, s: int) -> bytes:
    """The two numbers of an ECDSA signature, encoded (part of the cost of `ciphers()`)."""
    from cryptography.hazmat.primitives.asymmetric import utils

    return utils.encode_dss_signature(r, s)


def openpgp():
    """OpenPGP certificates (8 ms, 9 MB)."""
    import pysequoia

    return pysequoia


def aiosmtplib():
    """The SMTP client (40 ms, 3 MB)."""
    import aiosmtplib

    return aiosmtplib


def falcon():
    """Requests of pages, and bodies that are read in pieces (45 ms, 5 MB)."""
    import falcon

    return falcon


def falcon_request():
    """A request whose cookies and body falcon reads (part of the cost of `falcon()`)."""
    from falcon.asgi import Request

    return Request


def multipart():
    """Bodies in parts (part of the cost of `falcon()`)."""
    from falcon.asgi.multipart import MultipartForm
    from falcon.media.multipart import MultipartParseOptions

    return MultipartForm, MultipartParseOptions


def jinja2():
    """Templates of pages and mails (60 ms, 5 MB)."""
    import jinja2

    return jinja2


def markupsafe():
    """Escaping (part of the cost of `jinja2()`)."""
    import markupsafe

    return markupsafe


def httpcore2():
    """The HTTP client engine (40 ms, 2 MB)."""
    import httpcore2

    return httpcore2


def obstore():
    """Object storage: folders and buckets (20 ms, 8 MB)."""
    import obstore

    return obstore


def pillow():
    """Image decoding and resizing (30 ms, 8 MB)."""
    from PIL import Image, ImageOps

    return Image, ImageOps


def postgres():
    """The PostgreSQL engine with its driver (150 ms, 13 MB)."""
    from mujina.kernel.db.postgres import database

    return database


def psycopg():
    """The driver of PostgreSQL alone (part of the cost of `postgres()`)."""
    import psycopg

    return psycopg


def postgres_url():
    """The check of the URL of a PostgreSQL database (part of the cost of `postgres()`)."""
    from mujina.kernel.db.postgres import url

    return url


def postgres_errors():
    """The errors of PostgreSQL, translated to those of both engines (part of the cost of `postgres()`)."""
    from mujina.kernel.db.postgres import errors

    return errors


def progress_bars():
    """Progress bars on a terminal (60 ms, 6 MB)."""
    from rich import progress

    return progress


def terminal(file: TextIO):
    """The terminal on which progress bars are shown."""
    from rich.console import Console

    return Console(file=file)


def idna():
    """Host names beyond ASCII (3 ms, 1 MB)."""
    import idna

    return idna


def prometheus():
    """The text format of Prometheus (15 ms, 2 MB; needed when the metrics are read)."""
    import prometheus_client

    return prometheus_client


def prometheus_families():
    """The kinds of metrics of Prometheus."""
    from prometheus_client import metrics_core

    return metrics_core


def pygit2():
    """Git objects without a process (30 ms, 12 MB)."""
    import pygit2

    return pygit2


def re2():
    """Patterns that users write, matched in linear time (5 ms, 3 MB)."""
    import re2

    return re2


def segno():
    """QR codes (15 ms, 1 MB)."""
    import segno

    return segno


def asyncssh():
    """The SSH server (150 ms, 20 MB)."""
    import asyncssh

    return asyncssh


def cmark() -> Any:
    """The Markdown library itself, below its Python functions (5 ms, 1 MB)."""
    return import_module("cmarkgfm._cmark")


def nh3():
    """The HTML sanitizer (3 ms, 2 MB)."""
    import nh3

    return nh3


def lexer(module: str, name: str) -> Any:
    """One lexer class of Pygments (10 to 60 ms for the first, 5 MB)."""
    return getattr(import_module(f"pygments.lexers.{module}"), name)


def token_types():
    """The token types of Pygments."""
    from pygments import token

    return token


def tomllib():
    """TOML: only instances with a settings file need it (5 ms)."""
    import tomllib

    return tomllib


def yaml():
    """YAML (15 ms, 2 MB)."""
    import yaml

    return yaml


def yaml_parser(text: str) -> Any:
    """The parser of YAML that is not written in Python (part of the cost of `yaml()`)."""
    return import_module("yaml.cyaml").CParser(text)
