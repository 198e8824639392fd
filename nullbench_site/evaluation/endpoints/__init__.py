"""Requests to servers by HTTP, in the chat completions format of OpenAI that most of them support."""
