#include "kernel/runs/memory_failure.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/utf8.h"
#include "kernel/runs/run_outcome.h"

namespace kernel {

namespace {

constexpr std::size_t most_read = 256 << 10, longest_quote = 160;
constexpr std::string_view traceback = "Traceback (most recent call last)";

bool has(std::string_view text, std::string_view words) {
  return text.find(words) != text.npos;
}

template <std::size_t N>
bool has_any(std::string_view text, const std::array<std::string_view, N>& all) {
  return std::ranges::any_of(all, [&](std::string_view words) { return has(text, words); });
}

bool has_word_of_memory(std::string_view line) {
  return has_any(line, std::to_array<std::string_view>({"ut of memory", "OOM", "llocat"}));
}

/// Whether the line tells of a failed allocation, and of which memory.
std::optional<bool> is_of_gpu(std::string_view line, bool has_gpu) {
  if (has_any(line, std::to_array<std::string_view>(
                        {"CUDA out of memory", "HIP out of memory", "XPU out of memory", "torch.OutOfMemoryError",
                         "torch.cuda.OutOfMemoryError", "CUDA error: out of memory", "CUDA_ERROR_OUT_OF_MEMORY",
                         "cudaErrorMemoryAllocation", "hipErrorOutOfMemory", "CUBLAS_STATUS_ALLOC_FAILED",
                         "CUDNN_STATUS_ALLOC_FAILED", "cudaMalloc failed: out of memory",
                         "cupy.cuda.memory.OutOfMemoryError", "CL_MEM_OBJECT_ALLOCATION_FAILURE"})) ||
      (has_any(line, std::to_array<std::string_view>({"CUDA failure", "Cuda failure", "CUDA Error"})) &&
       has(line, "out of memory")))
    return true;
  // gRPC uses the first word for quotas, too.
  if ((has(line, "RESOURCE_EXHAUSTED") && has_word_of_memory(line)) || has(line, "OOM when allocating tensor"))
    return has_gpu;
  const std::string_view trimmed = line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
  if (trimmed == "MemoryError" || trimmed.starts_with("MemoryError: ") ||
      has_any(line, std::to_array<std::string_view>(
                        {"_ArrayMemoryError: ", "std::bad_alloc", "java.lang.OutOfMemoryError",
                         "JavaScript heap out of memory", "DefaultCPUAllocator: can't allocate memory",
                         "[Errno 12] Cannot allocate memory", "fatal error: runtime: out of memory",
                         "cannot allocate vector of size", "OutOfMemoryError()"})) ||
      (has(line, "memory allocation of ") && has(line, " bytes failed")))
    return false;
  return std::nullopt;
}

/// Whether a job that printed this after the failure had survived it: another exception, which is no consequence,
/// ended it. Several processes print side by side, and their launcher then says that it was a child that failed.
bool went_on(std::string_view after) {
  if (has(after, "ChildFailedError")) return false;
  for (std::size_t at = after.find(traceback); at != after.npos; at = after.find(traceback, at + 1)) {
    const std::string_view before = after.substr(0, at);
    if (!has(before, "During handling of the above exception") && !has(before, "The above exception was the direct"))
      return true;
  }
  return false;
}

std::string quoted(std::string_view line) {
  line = line.substr(line.find_first_not_of(" \t\r"));
  std::string text(line);
  if (!valid_utf8(text))
    std::ranges::replace_if(
        text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '`'; }, ' ');
  if (text.size() > longest_quote) text = std::string(utf8_prefix(text, longest_quote)) + "…";
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

}  // namespace

std::optional<MemoryFailure> memory_failure(std::string_view err, bool has_gpu) {
  if (err.size() > most_read) err.remove_prefix(err.size() - most_read);
  for (std::size_t end = err.size(); end > 0;) {
    const std::size_t before = err.rfind('\n', end - 1);
    const std::size_t begin = before == err.npos ? 0 : before + 1;
    const std::string_view line = err.substr(begin, end - begin);
    if (const auto gpu = is_of_gpu(line, has_gpu)) {
      if (went_on(err.substr(end))) return std::nullopt;
      return MemoryFailure{*gpu, quoted(line)};
    }
    end = begin == 0 ? 0 : begin - 1;
  }
  return std::nullopt;
}

JobOutcome with_memory_failure(JobOutcome outcome, std::string_view err, bool has_gpu) {
  const bool failed = outcome.end == JobEnd::signalled ||
                      (outcome.end == JobEnd::exited && outcome.exit != 0 && outcome.exit != retry_exit);
  if (!failed) return outcome;
  auto found = memory_failure(err, has_gpu);
  if (!found) return outcome;
  Reason end = std::move(outcome.reason);
  if (end.empty()) end = {ReasonCode::exit_status, {{"status", outcome.exit}}};
  outcome.end = found->gpu ? JobEnd::gpu_memory : JobEnd::memory;
  outcome.reason = {found->gpu ? ReasonCode::gpu_out_of_memory : ReasonCode::job_out_of_memory,
                    {{"end", std::vector{std::move(end)}}, {"said", std::move(found->said)}}};
  return outcome;
}

}  // namespace kernel
