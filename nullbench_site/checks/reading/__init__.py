"""Reading a response: its words, sentences, numbers, and Markdown. Everything takes time linear in the text."""
