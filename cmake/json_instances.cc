#define ETUDE_INSTANCE template
#include "cmake/json_instances.h"
