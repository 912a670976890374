#include "kernel/domain/event.h"

#include <utility>

namespace kernel {

#define ETUDE_EVENT(Type, ...) \
  EventBody::EventBody(Type event) : EventVariant(std::move(event)) {}
#include "kernel/domain/events.def"

EventBody::EventBody(const EventBody&) = default;
EventBody::EventBody(EventBody&&) noexcept = default;
EventBody& EventBody::operator=(const EventBody&) = default;
EventBody& EventBody::operator=(EventBody&&) noexcept = default;
EventBody::~EventBody() = default;

}  // namespace kernel
