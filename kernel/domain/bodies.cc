// The members of EventBody and CommandBody that the compiler would otherwise generate in every file that uses them.
#include <utility>

#include "kernel/domain/commands.h"
#include "kernel/domain/event.h"

namespace kernel {

#define ETUDE_EVENT(Type, ...) \
  EventBody::EventBody(Type event) : EventVariant(std::move(event)) {}
#include "kernel/domain/events.def"

EventBody::EventBody(const EventBody&) = default;
EventBody::EventBody(EventBody&&) noexcept = default;
EventBody& EventBody::operator=(const EventBody&) = default;
EventBody& EventBody::operator=(EventBody&&) noexcept = default;
EventBody::~EventBody() = default;

#define ETUDE_COMMAND(Type) \
  CommandBody::CommandBody(Type command) : CommandVariant(std::move(command)) {}
#include "kernel/domain/commands.def"

CommandBody::CommandBody(const CommandBody&) = default;
CommandBody::CommandBody(CommandBody&&) noexcept = default;
CommandBody& CommandBody::operator=(const CommandBody&) = default;
CommandBody& CommandBody::operator=(CommandBody&&) noexcept = default;
CommandBody::~CommandBody() = default;

}  // namespace kernel
