#pragma once
// Recognises in what a failed job printed that it got no more memory, of its GPU or of the machine. Pure.

#include <optional>
#include <string>
#include <string_view>

#include "kernel/domain/job_spec.h"

namespace kernel {

struct MemoryFailure {
  bool gpu = false;
  std::string said;  ///< The line that says so, at most 160 bytes, without control characters.
};

/// The last line on stderr of an allocation that failed, in the words of CUDA, HIP, PyTorch, JAX, TensorFlow, CuPy,
/// Python, NumPy, C++, Java, Node.js, Go, Rust, R and Julia. None if a later traceback shows that the job went on after
/// it. `has_gpu`: libraries that use the same words for both kinds of memory mean the GPU's.
std::optional<MemoryFailure> memory_failure(std::string_view err, bool has_gpu);

/// The outcome of a job that failed for want of memory as `JobEnd::memory` or `gpu_memory`, with a reason that says
/// what to do; else the outcome itself. A job that asks for a retry keeps its end.
JobOutcome with_memory_failure(JobOutcome, std::string_view err, bool has_gpu);

}  // namespace kernel
