"""Requests to servers by HTTP, in the chat completions of OpenAI that most of them understand."""
