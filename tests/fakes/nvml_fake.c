// A machine with NVIDIA devices, as its management library tells of it. The file that $NVML_FAKE names is read at every
// call: a line per device, `uuid=GPU-a minor=0 pci=0:3b:0 total=80 used=3 energy=120 share=37 pids=12:1,13:0`, or
// `init=9`, the answer to nvmlInit. `mig=2` says that the next two lines are instances of the device, with `gi=1 ci=0`:
// they have no index. What a line does not name is not supported. With NVML_FAKE_OLD it is a library from
// before energy counters and the present list of processes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { success = 0, invalid = 2, unsupported = 3, not_found = 6, too_small = 7 };

struct memory {
  unsigned long long total, free, used;
};
struct utilisation {
  unsigned gpu, memory;
};
struct pci {
  char legacy_id[16];
  unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
  char id[32];
};
struct process {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};

// A handle is the device's line number, from 1.
static int line_of(unsigned long number, char* line, size_t size) {
  const char* path = getenv("NVML_FAKE");
  FILE* file = path ? fopen(path, "r") : NULL;
  int found = 0;
  if (!file) return 0;
  for (unsigned long at = 1; fgets(line, (int)size, file); ++at)
    if (at == number) {
      found = 1;
      break;
    }
  fclose(file);
  if (found) line[strcspn(line, "\n")] = '\0';
  return found;
}

static int word_of(const void* device, const char* key, char* word, size_t size) {
  char line[1024], *rest = line;
  if (!line_of((unsigned long)device, line, sizeof line)) return invalid;
  for (char* pair; (pair = strsep(&rest, " "));) {
    const size_t length = strlen(key);
    if (strncmp(pair, key, length) != 0 || pair[length] != '=') continue;
    if (strlen(pair + length + 1) >= size) return too_small;
    strcpy(word, pair + length + 1);
    return success;
  }
  return unsupported;
}

static int number_of(const void* device, const char* key, unsigned long long* value) {
  char word[64];
  const int answer = word_of(device, key, word, sizeof word);
  if (answer == success) *value = strtoull(word, NULL, 10);
  return answer;
}

int nvmlInit_v2(void) {
  unsigned long long answer = success;
  number_of((const void*)1, "init", &answer);
  return (int)answer;
}
int nvmlShutdown(void) {
  return success;
}
const char* nvmlErrorString(int error) {
  return error == 9 ? "Driver Not Loaded" : "another error";
}

static int is_instance(const char* line) {
  return strncmp(line, "uuid=MIG-", 9) == 0;
}
static int handle_of(unsigned long number, void** device) {
  char line[1024];
  *device = (void*)number;
  if (!line_of(number, line, sizeof line)) return invalid;
  return strstr(line, "lost") ? 15 : success;
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  char line[1024];
  *count = 0;
  for (unsigned long at = 1; line_of(at, line, sizeof line); ++at) *count += !is_instance(line);
  return success;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  char line[1024];
  for (unsigned long at = 1; line_of(at, line, sizeof line); ++at)
    if (!is_instance(line) && index-- == 0) return handle_of(at, device);
  return invalid;
}
int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  char word[96];
  for (unsigned long at = 1;; ++at) {
    const int answer = word_of((void*)at, "uuid", word, sizeof word);
    if (answer == invalid) return not_found;
    if (answer != success || strcmp(word, uuid) != 0) continue;
    return handle_of(at, device);
  }
}
int nvmlSystemGetDriverVersion(char* text, unsigned size) {
  snprintf(text, size, "535.104.05");
  return 0;
}
int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  *version = 12020;
  return 0;
}
int nvmlDeviceGetUUID(void* device, char* text, unsigned size) {
  return word_of(device, "uuid", text, size);
}
int nvmlDeviceGetName(void* device, char* text, unsigned size) {
  return word_of(device, "name", text, size);
}
int nvmlDeviceGetMinorNumber(void* device, unsigned* minor) {
  unsigned long long value = 0;
  const int answer = number_of(device, "minor", &value);
  *minor = (unsigned)value;
  return answer;
}
int nvmlDeviceGetPciInfo_v3(void* device, struct pci* pci) {
  char word[64];
  const int answer = word_of(device, "pci", word, sizeof word);
  if (answer != success) return answer;
  return sscanf(word, "%x:%x:%x", &pci->domain, &pci->bus, &pci->device) == 3 ? success : invalid;
}
int nvmlDeviceGetMemoryInfo(void* device, struct memory* memory) {
  const int answer = number_of(device, "total", &memory->total);
  if (answer != success) return answer;
  memory->free = 0;
  return number_of(device, "used", &memory->used);
}
int nvmlDeviceGetUtilizationRates(void* device, struct utilisation* utilisation) {
  unsigned long long share = 0;
  const int answer = number_of(device, "share", &share);
  utilisation->gpu = (unsigned)share;
  utilisation->memory = 0;
  return answer;
}

#ifndef NVML_FAKE_OLD
int nvmlDeviceGetMaxMigDeviceCount(void* device, unsigned* count) {
  unsigned long long instances = 0;
  const int answer = number_of(device, "mig", &instances);
  *count = (unsigned)instances;
  return answer;
}
int nvmlDeviceGetMigMode(void* device, unsigned* now, unsigned* pending) {
  unsigned instances = 0;
  const int answer = nvmlDeviceGetMaxMigDeviceCount(device, &instances);
  *now = *pending = instances > 0;
  return answer;
}
int nvmlDeviceGetMigDeviceHandleByIndex(void* device, unsigned index, void** instance) {
  char line[1024];
  const unsigned long at = (unsigned long)device + 1 + index;
  return line_of(at, line, sizeof line) && is_instance(line) ? handle_of(at, instance) : not_found;
}
static int unsigned_of(void* device, const char* key, unsigned* value) {
  unsigned long long number = 0;
  const int answer = number_of(device, key, &number);
  *value = (unsigned)number;
  return answer;
}
int nvmlDeviceGetGpuInstanceId(void* device, unsigned* id) {
  return unsigned_of(device, "gi", id);
}
int nvmlDeviceGetComputeInstanceId(void* device, unsigned* id) {
  return unsigned_of(device, "ci", id);
}
int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules) {
  return number_of(device, "energy", millijoules);
}
int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count, struct process* list) {
  char word[1024], *rest = word;
  unsigned found = 0;
  const unsigned room = *count;
  const int answer = word_of(device, "pids", word, sizeof word);
  if (answer != success) return answer;
  for (char* entry; (entry = strsep(&rest, ","));) {
    if (!*entry) continue;
    if (found < room) {
      const char* memory = strchr(entry, ':');
      list[found].pid = (unsigned)strtoul(entry, NULL, 10);
      list[found].memory = memory ? strtoull(memory + 1, NULL, 10) : ~0ull;
    }
    ++found;
  }
  *count = found;
  return found > room ? too_small : success;
}
#endif
