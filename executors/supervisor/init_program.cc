#include "executors/supervisor/init_program.h"

#ifdef ETUDE_INIT_PROGRAM
asm(".pushsection .rodata\n"
    "etude_init_program:\n"
    ".incbin \"" ETUDE_INIT_PROGRAM
    "\"\n"
    "etude_init_program_end:\n"
    ".popsection\n");
extern const char begin[] asm("etude_init_program");
extern const char end[] asm("etude_init_program_end");
#endif

namespace supervisor {

std::string_view init_program() {
#ifdef ETUDE_INIT_PROGRAM
  return {begin, static_cast<std::size_t>(end - begin)};
#else
  return {};
#endif
}

}  // namespace supervisor
