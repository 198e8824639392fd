"""What hosts of repositories are asked, and how: JSON over HTTP, with a token that stands in no message."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import Any, ClassVar, Self, TypeVar

import httpx2
import msgspec

from nullbench_site.errors import NullbenchError, UsageError
from nullbench_site.evaluation.endpoints.redaction import received_line
from nullbench_site.specs.digest import NOT_JSON

_PAGE = 100
_MOST_PAGES = 30
MOST_LISTED = _PAGE * _MOST_PAGES
"""Of anything that is listed; of the files of a pull request GitHub lists no more."""
_SECONDS = 30
_VISIBLE = re.compile(r"[\x21-\x7e]+")
T = TypeVar("T")


class HostError(NullbenchError):
    """A host refused, or could not be reached."""


class HostApi:
    """One repository of a host. Raises HostError wherever it is refused.

    name: of the host. advice: what to do where it refuses. address_variable, token_variable: of the environment.
    """

    name: ClassVar[str]
    advice: ClassVar[str]
    address_variable: ClassVar[str]
    token_variable: ClassVar[str]

    def __init__(self, address: str, token: str, headers: Mapping[str, str] | None = None) -> None:
        """Raises UsageError where the token is none that a header can hold."""
        if not _VISIBLE.fullmatch(token):
            found = f"{self.token_variable} holds a space, a line break or a letter outside ASCII"
            raise UsageError(f"{found}; set it to the token alone")
        self._token = token
        with self._reaching(self.address_variable):
            self._client = httpx2.Client(
                base_url=address,
                headers={"Authorization": f"Bearer {token}", "User-Agent": "nullbench-site", **(headers or {})},
                timeout=_SECONDS,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._client.close()

    def pages(self, path: str, kind: type[T], **query: str) -> Iterator[T]:
        """Each part of a list, page by page."""
        for page in range(1, _MOST_PAGES + 1):
            listed = self.ask("GET", path, list[kind], params={**query, "per_page": _PAGE, "page": page})  # type: ignore[valid-type]
            yield from listed
            if len(listed) < _PAGE:
                return

    def ask(self, method: str, path: str, kind: type[T], **more: Any) -> T:
        """What is answered to one request."""
        response = self._response(method, path, **more)
        try:
            return msgspec.json.decode(response.content, type=kind)
        except NOT_JSON as error:
            raise HostError(f"{method} {path}: {self.name}'s answer cannot be read ({error}); try again") from None

    def file(self, path: str, most: int) -> bytes | None:
        """A file, and at most one byte more of it than `most`; None where there is none."""
        content = b""
        # Files may stand elsewhere, where the client does not send the token.
        with self._reaching(f"GET {path}"), self._client.stream("GET", path, follow_redirects=True) as response:
            if response.status_code == httpx2.codes.NOT_FOUND:
                return None
            if not response.is_success:
                raise HostError(f"GET {path}: {self.name} refused ({response.status_code}); {self.advice}")
            for part in response.iter_bytes():
                content += part
                if len(content) > most:
                    break
        return content[: most + 1]

    def _response(self, method: str, path: str, **more: Any) -> httpx2.Response:
        with self._reaching(f"{method} {path}"):
            response = self._client.request(method, path, **more)
        if not response.is_success:
            said = received_line(response.text, (self._token,))
            raise HostError(f"{method} {path}: {self.name} refused ({response.status_code} {said}); {self.advice}")
        return response

    @contextmanager
    def _reaching(self, what: str) -> Iterator[None]:
        """Turn what goes wrong on the way into a HostError. what: was asked for."""
        try:
            yield
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
            # Others may hold a part of an address, and so of the password in it.
            said = str(error) if isinstance(error, httpx2.HTTPError) else type(error).__name__
            said = received_line(said, (self._token,))
            advice = f"check {self.address_variable}, SSL_CERT_FILE and the proxy of the environment, and try again"
            raise HostError(f"{what}: {self.name} could not be reached ({said}); {advice}") from None
