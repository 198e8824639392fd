"""Requests by Anthropic's own client, of the extra `anthropic`: it works as the openai client does."""

from __future__ import annotations

from typing import Any

import anthropic

from nullbench_site.evaluation.endpoints.client import Client

_VERSION = "anthropic-version"


class AnthropicClient(Client):
    """The connections to one endpoint of Anthropic's API. For one event loop."""

    status_error = anthropic.APIStatusError
    broken = (*Client.broken, anthropic.AnthropicError)

    def made(self, settings: dict[str, Any]) -> Any:
        """Return the client. It sends its own version of the API, unless `headers` of the endpoint name another."""
        sdk = anthropic.AsyncAnthropic(**settings)
        kept = {name: value for name, value in self.headers.items() if isinstance(value, str)}
        omitted = dict.fromkeys((*sdk.default_headers, *self.headers, "X-Stainless-Timeout"), anthropic.Omit())
        self.headers = {**omitted, _VERSION: sdk.default_headers[_VERSION], **kept}
        return sdk
