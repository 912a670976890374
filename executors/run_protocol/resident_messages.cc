#include "executors/run_protocol/resident_messages.h"

#include <cerrno>
#include <cstring>

#include <sys/socket.h>

namespace supervisor {

bool send_message(int socket, std::string_view bytes, int descriptor, int flags) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptor)] = {};
  iovec data{const_cast<char*>(bytes.data()), bytes.size()};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  if (descriptor >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL | flags) == static_cast<ssize_t>(bytes.size());
}

ResidentMessage receive_message(int socket, std::span<char> into, int flags) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  iovec data{into.data(), into.size()};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t n = 0;
  while ((n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | flags)) < 0 && errno == EINTR) {
  }
  ResidentMessage received;
  if (n <= 0) return received;
  received.size = static_cast<std::size_t>(n);
  received.cut = (message.msg_flags & MSG_TRUNC) != 0;
  if (const cmsghdr* header = CMSG_FIRSTHDR(&message); header && header->cmsg_type == SCM_RIGHTS) {
    int descriptor = -1;
    std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
    received.descriptor.reset(descriptor);
  }
  return received;
}

}  // namespace supervisor
