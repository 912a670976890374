"""Runs on a real NVIDIA device: what they see, what is metered, out of memory, shares, and two studies that take turns.
Skipped by name without one. PyTorch is used where the system's Python has it; else the driver itself is called."""
import importlib.util
import shutil
import subprocess
import unittest

from harness import EtudeTest, until

SIZE = 1 << 30
# Holds memory on the device until a sample of the meter saw it.
HOLDS = '''
import ctypes, json, os, sys, time
cuda = ctypes.CDLL("libcuda.so.1")
def call(name, *arguments):
    answer = getattr(cuda, name)(*arguments)
    if answer:
        word = ctypes.c_char_p()
        cuda.cuGetErrorName(answer, ctypes.byref(word))
        sys.exit(f"{name}: {word.value.decode()}")
devices, context, place = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
call("cuInit", 0)
call("cuDeviceGetCount", ctypes.byref(devices))
call("cuCtxCreate_v2", ctypes.byref(context), 0, 0)
call("cuMemAlloc_v2", ctypes.byref(place), ctypes.c_size_t(BYTES))
time.sleep(2)
print(devices.value, os.environ["CUDA_VISIBLE_DEVICES"])
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write(json.dumps({"name": "cost", "value": devices.value}) + "\\n")
'''
TORCH = '''
import json, os, torch
torch.manual_seed(int(os.environ["ETUDE_SEED"]))
x = torch.randn(4096, 64, device="cuda")
y = x @ torch.randn(64, 1, device="cuda")
model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 1)).cuda()
optimiser = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(500):
    loss = torch.nn.functional.mse_loss(model(x), y)
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write(json.dumps({"name": "cost", "value": loss.item()}) + "\\n")
'''
STUDY = '''
etude: 1
title: A device
question: What does a run see of it?
run: python3 -S job.py {arm} {seed}
factors:
  arm: {levels: [a, b], baseline: a}
metrics:
  cost: {primary: true}
design: {replicates: {min: 2, max: 2}, smoke: false}
resources: {timeout: 10m, gpus: 1}
'''


def told(field):
    """What nvidia-smi says of each device."""
    if not shutil.which("nvidia-smi"):
        return []
    done = subprocess.run(["nvidia-smi", f"--query-gpu={field}", "--format=csv,noheader,nounits"],
                          capture_output=True, text=True)
    return done.stdout.split("\n")[:-1] if done.returncode == 0 else []


@unittest.skipUnless(told("uuid"), "gpu: there is no NVIDIA device here")
class Gpu(EtudeTest):
    def job(self, size, after=""):
        return HOLDS.replace("BYTES", str(size)) + after

    def test_a_run_sees_one_device_and_its_memory_and_energy_are_metered(self):
        self.study(STUDY, self.job(SIZE))
        ended = self.run_study()
        self.assertEqual((ended["outcome"], ended["runs"]["succeeded"]), ("concluded", 4), ended)
        for run in self.lines("runs", "s1"):
            count, uuid = self.etude("run-log", run["id"]).stdout.split()
            self.assertEqual((count, uuid), ("1", run["lease"]["gpus"][0]))
            self.assertIn(uuid, told("uuid"))
            self.assertGreaterEqual(run["usage"]["gpu"]["memory_peak_bytes"], SIZE)
            if told("power.draw")[0].replace(".", "").isdigit():
                self.assertGreater(run["usage"]["energy"]["joules"], 0)

    def test_more_memory_than_the_device_has_is_out_of_memory(self):
        self.study(STUDY, self.job(int(told("memory.total")[0]) << 21))
        self.run_study(code=None)
        runs = [run for run in self.lines("runs", "s1") if run["state"] == "failed"]
        self.assertTrue(runs)
        self.assertEqual({run.get("out_of_memory") for run in runs}, {"gpu"})
        self.assertIn("CUDA_ERROR_OUT_OF_MEMORY", runs[0]["reason"])

    def test_shares_run_side_by_side_and_count_as_half(self):
        self.study(STUDY.replace("gpus: 1", "gpus: 0.5"), self.job(SIZE))
        ended = self.lines("run", "study.yaml", "-j", "2")[-1]
        self.assertEqual(ended["runs"]["succeeded"], 4, ended)
        self.assertTrue(any(run["beside"] for run in self.lines("runs", "s1")))

    def test_the_kernel_dies_and_the_next_one_takes_the_device_over(self):
        self.study(STUDY, self.job(SIZE))
        kernel = subprocess.Popen(self.command("run", "study.yaml"), cwd=self.dir, stdout=subprocess.DEVNULL)
        until(lambda: "running" in [run["state"] for run in self.lines("runs", "s1", code=None)])
        kernel.kill()
        kernel.wait()
        ended = self.lines("resume")[-1]
        self.assertEqual((ended["outcome"], ended["runs"]["succeeded"]), ("concluded", 4), ended)

    @unittest.skipUnless(importlib.util.find_spec("torch"), "gpu: the system's Python has no PyTorch")
    def test_a_model_is_trained(self):
        self.study(STUDY, TORCH)
        ended = self.run_study()
        self.assertEqual(ended["runs"]["succeeded"], 4, ended)
        self.study(STUDY, "import torch\ntorch.empty(1 << 45, dtype=torch.uint8, device='cuda')\n")
        self.run_study(code=None)
        self.assertEqual({run.get("out_of_memory") for run in self.lines("runs", "s2")}, {"gpu"})


if __name__ == "__main__":
    unittest.main()
