// What programs print when they get no more memory, and what only looks like it. The lines are those of the programs
// themselves, with other numbers.
#include "kernel/runs/memory_failure.h"

#include <catch2/catch.hpp>

#include "kernel/wording/wording.h"

namespace {

using kernel::JobEnd;
using kernel::JobOutcome;
using kernel::memory_failure;
using kernel::ReasonCode;

const std::string of_torch =
    "Traceback (most recent call last):\n"
    "  File \"/etude/work/train.py\", line 31, in <module>\n"
    "    loss = model(x).sum()\n"
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has a total capacity of 79.11 GiB "
    "of which 11.44 GiB is free. Process 1190 has 67.66 GiB memory in use. Of the allocated memory 66.94 GiB is "
    "allocated by PyTorch, and 240.07 MiB is reserved by PyTorch but unallocated.\n";
const std::string another =
    "Traceback (most recent call last):\n  File \"/etude/work/train.py\", line 9\nKeyError: 'lr'\n";

std::string kind(const std::string& err, bool has_gpu = true) {
  const auto found = memory_failure(err, has_gpu);
  return !found ? "none" : found->gpu ? "gpu" : "machine";
}

JobOutcome ended(JobEnd end, int exit, int signal = 0) {
  JobOutcome outcome;
  outcome.end = end;
  outcome.exit = exit;
  outcome.signal = signal;
  return outcome;
}

}  // namespace

TEST_CASE("a GPU without memory is recognised in the words of each library") {
  CHECK(kind(of_torch) == "gpu");
  for (const char* line :
       {"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 23.70 GiB total capacity)",
        "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB", "RuntimeError: CUDA error: out of memory",
        "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
        "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 64.00 GiB.",
        "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 68719476736 "
        "bytes.",
        "jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Out of memory allocating 34359738368 bytes.",
        "ResourceExhaustedError: OOM when allocating tensor with shape[4096,4096,64] and type float on "
        "/job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc [Op:Conv2D]",
        "cupy.cuda.memory.OutOfMemoryError: Out of memory allocating 8,000,000,000 bytes (allocated so far: 512 "
        "bytes).",
        "terminate called: thrust::system::system_error what(): parallel_for failed: cudaErrorMemoryAllocation: out of "
        "memory",
        "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 9000.00 MiB on device 0: cudaMalloc failed: out of "
        "memory",
        "node1:12:40 [0] NCCL WARN Cuda failure 'out of memory'"}) {
    INFO(line);
    CHECK(kind(std::string(line) + "\n") == "gpu");
  }
}

TEST_CASE("memory of the machine is told apart, and words for both are the GPU's only if the run has one") {
  for (const char* line :
       {"MemoryError", "MemoryError: Unable to allocate internal buffer.",
        "numpy.core._exceptions._ArrayMemoryError: Unable to allocate 1.46 TiB for an array with shape (448000, "
        "448000)",
        "terminate called after throwing an instance of 'std::bad_alloc'",
        "Exception in thread \"main\" java.lang.OutOfMemoryError: Java heap space",
        "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
        "RuntimeError: [enforce fail at alloc_cpu.cpp:117] err == 0. DefaultCPUAllocator: can't allocate memory: you "
        "tried to allocate 4000000000000 bytes. Error code 12 (Cannot allocate memory)",
        "OSError: [Errno 12] Cannot allocate memory", "memory allocation of 8589934592 bytes failed",
        "Error: cannot allocate vector of size 74.5 Gb"}) {
    INFO(line);
    CHECK(kind(std::string(line) + "\n") == "machine");
  }
  const std::string jax = "XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory allocating 800000000000 bytes.\n";
  CHECK(kind(jax, true) == "gpu");
  CHECK(kind(jax, false) == "machine");
}

TEST_CASE("what only looks like it is none: quotas, talk of memory, and failures that the job survived") {
  for (const char* line : {"grpc: RESOURCE_EXHAUSTED: quota exceeded for this minute", "out of memory is what we test",
                           "class MemoryErrorTest", "retrying with batch 8", ""}) {
    INFO(line);
    CHECK(kind(std::string(line) + "\n") == "none");
  }
  CHECK(kind(of_torch + "batch 64 is too large, trying 32\n" + another) == "none");
  CHECK(kind(of_torch + "batch 64 is too large, trying 32\n") == "gpu");
  CHECK(kind(of_torch + "\nDuring handling of the above exception, another exception occurred:\n\n" + another) ==
        "gpu");
  CHECK(kind("[rank0]: " + of_torch + "[rank1]: " + another +
             "Traceback (most recent call last):\n  File \"/usr/bin/torchrun\", line 8, in <module>\n"
             "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \ntrain.py FAILED\n") == "gpu");
  CHECK(kind(another + of_torch) == "gpu");
  const std::string old = of_torch + std::string(300 << 10, 'x') + "\n";
  CHECK(kind(old) == "none");
}

TEST_CASE("a failed run ends for want of memory, with the line and what to do; any other end stays as it is") {
  const JobOutcome failed = kernel::with_memory_failure(ended(JobEnd::exited, 1), of_torch, true);
  CHECK(failed.end == JobEnd::gpu_memory);
  CHECK(failed.exit == 1);
  const std::string words = newest_words(failed.reason);
  CHECK(words.starts_with(
      "exit status 1: its GPU had no memory left (`torch.OutOfMemoryError: CUDA out of memory. Tried"));
  CHECK(words.ends_with("`): use a smaller batch or model, or ask for more with `resources.gpu_memory`"));
  CHECK(words.find("PyTorch") == words.npos);  // The line is long.

  JobOutcome aborted = ended(JobEnd::signalled, 0, 6);
  aborted.reason = {ReasonCode::killed_by, {{"signal", std::string("SIGABRT")}}};
  const JobOutcome told =
      kernel::with_memory_failure(aborted, "terminate called after throwing an instance of 'std::bad_alloc'\n", true);
  CHECK(told.end == JobEnd::memory);
  CHECK(newest_words(told.reason).find("(`terminate called after throwing an instance of 'std::bad_alloc'`)") !=
        std::string::npos);

  for (const auto& [end, exit] : {std::pair(JobEnd::exited, 0), std::pair(JobEnd::exited, 75),
                                  std::pair(JobEnd::timed_out, 0), std::pair(JobEnd::cancelled, 0)}) {
    const JobOutcome same = kernel::with_memory_failure(ended(end, exit), of_torch, true);
    CHECK(same.end == end);
    CHECK(same.reason.empty());
  }
  const std::string odd = "MemoryError: \x1b[31m`a`\xff\n";
  const auto found = memory_failure(odd, false);
  REQUIRE(found);
  CHECK(found->said == "MemoryError:  [31m a ?");
}
