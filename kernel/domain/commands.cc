#include "kernel/domain/commands.h"

#include <utility>

namespace kernel {

#define ETUDE_COMMAND(Type) \
  CommandBody::CommandBody(Type command) : CommandVariant(std::move(command)) {}
#include "kernel/domain/commands.def"

CommandBody::CommandBody(const CommandBody&) = default;
CommandBody::CommandBody(CommandBody&&) noexcept = default;
CommandBody& CommandBody::operator=(const CommandBody&) = default;
CommandBody& CommandBody::operator=(CommandBody&&) noexcept = default;
CommandBody::~CommandBody() = default;

}  // namespace kernel
