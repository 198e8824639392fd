"""Serve a GGUF file on loopback with llama.cpp's OpenAI-compatible server, until it is stopped. Runs in .venv-model.

Arguments: the file, the name of the model, the port, the number of threads, and `cache` or `no-cache`. One request is
answered at a time. Without a cache nothing is shared between requests, so an answer does not depend on the others. With
one, the server keeps the last prompt, and reads of the next only what comes after their shared beginning.
"""

import sys
import time
from importlib.metadata import version

import xllamacpp

path, name, port, threads, cache = sys.argv[1:]
parameters = xllamacpp.CommonParams()
parameters.model.path = path
parameters.model_alias = {name}
parameters.hostnames = ["127.0.0.1"]
parameters.port = int(port)
parameters.n_ctx = 8192
parameters.n_parallel = 1
parameters.cache_prompt = cache == "cache"
parameters.cache_ram_mib = 0
# Threads for batches are set apart: without them prompts are read at a quarter of the speed.
parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = int(threads)
parameters.warmup = False
parameters.ui = False
server = xllamacpp.Server(parameters)
print(
    f"serving {name} with llama.cpp {version('xllamacpp')} at {server.listening_address}/v1 (Ctrl-C stops)", flush=True
)
try:
    while True:
        time.sleep(3600)
except KeyboardInterrupt:
    pass
