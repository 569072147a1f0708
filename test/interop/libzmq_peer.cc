#include "test/interop/libzmq_peer.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace zmtp::test::libzmq {

namespace {

using clock = std::chrono::steady_clock;

[[noreturn]] void fail(std::string_view what) {
  throw std::runtime_error{"libzmq: " + std::string{what} + ": " + zmq_strerror(zmq_errno())};
}

void require(int result, std::string_view what) {
  if (result < 0) {
    fail(what);
  }
}

std::chrono::milliseconds left_until(clock::time_point end) {
  return std::max(std::chrono::ceil<std::chrono::milliseconds>(end - clock::now()),
                  std::chrono::milliseconds{0});
}

}  // namespace

context::context() : handle_{zmq_ctx_new()} {}

context::~context() { zmq_ctx_term(handle_); }

void context::shutdown() noexcept { zmq_ctx_shutdown(handle_); }

socket::socket(context& owner, int type) : handle_{zmq_socket(owner.handle(), type)} {
  if (handle_ == nullptr) {
    fail("socket");
  }
  set(ZMQ_LINGER, 0);
  set(ZMQ_RCVTIMEO, static_cast<int>(timeout.count()));
  set(ZMQ_SNDTIMEO, static_cast<int>(timeout.count()));
}

socket::~socket() { close(); }

void socket::close() noexcept {
  if (handle_ != nullptr) {
    zmq_close(handle_);
    handle_ = nullptr;
  }
}

void socket::set(int option, int value) {
  require(zmq_setsockopt(handle_, option, &value, sizeof value), "set option");
}

void socket::set(int option, std::string_view value) {
  require(zmq_setsockopt(handle_, option, value.data(), value.size()), "set option");
}

std::string socket::bind(const std::string& at) {
  require(zmq_bind(handle_, at.c_str()), "bind " + at);
  std::array<char, 256> text{};
  auto size = text.size();
  require(zmq_getsockopt(handle_, ZMQ_LAST_ENDPOINT, text.data(), &size), "bound endpoint");
  return text.data();
}

void socket::connect(const std::string& to) {
  require(zmq_connect(handle_, to.c_str()), "connect " + to);
}

bool socket::send(const parts& message, int flags) {
  for (std::size_t i = 0; i < message.size(); ++i) {
    const auto more = i + 1 < message.size() ? ZMQ_SNDMORE : 0;
    if (zmq_send(handle_, message[i].data(), message[i].size(), flags | more) < 0) {
      // Only before its first part is a message refused for want of room.
      if (i == 0 && zmq_errno() == EAGAIN && (flags & ZMQ_DONTWAIT) != 0) {
        return false;
      }
      fail("send");
    }
  }
  return true;
}

void socket::send(const parts& message) { (void)send(message, 0); }

bool socket::try_send(const parts& message) { return send(message, ZMQ_DONTWAIT); }

parts socket::take() {
  parts message;
  int more = 1;
  while (more != 0) {
    zmq_msg_t part;
    zmq_msg_init(&part);
    if (zmq_msg_recv(&part, handle_, 0) < 0) {
      fail("receive");
    }
    message.emplace_back(static_cast<const char*>(zmq_msg_data(&part)), zmq_msg_size(&part));
    more = zmq_msg_more(&part);
    zmq_msg_close(&part);
  }
  return message;
}

parts socket::receive() { return take(); }

std::string socket::receive_from(const char* property) {
  zmq_msg_t part;
  zmq_msg_init(&part);
  std::string value;
  for (int more = 1; more != 0; more = zmq_msg_more(&part)) {
    if (zmq_msg_recv(&part, handle_, 0) < 0) {
      fail("receive");
    }
    const auto* const known = zmq_msg_gets(&part, property);
    value = known != nullptr ? known : "";
  }
  zmq_msg_close(&part);
  return value;
}

int socket::poll(int events, std::chrono::milliseconds time) {
  zmq_pollitem_t item{handle_, 0, static_cast<short>(events), 0};
  const auto end = clock::now() + time;
  while (zmq_poll(&item, 1, left_until(end).count()) < 0) {
    if (zmq_errno() != EINTR) {
      fail("poll");
    }
  }
  return item.revents;
}

std::optional<parts> socket::receive_within(std::chrono::milliseconds time) {
  return (poll(ZMQ_POLLIN, time) & ZMQ_POLLIN) != 0 ? std::optional{take()} : std::nullopt;
}

int socket::wait_for(int events) {
  const auto ready = poll(events, timeout);
  if (ready == 0) {
    throw std::runtime_error{"libzmq: neither readable nor writable in time"};
  }
  return ready;
}

monitor::monitor(context& owner, socket& watched) : watched_{watched}, watcher_{owner, ZMQ_PAIR} {
  static std::atomic<int> number{0};
  const auto at = "inproc://monitor-" + std::to_string(++number);
  require(zmq_socket_monitor(watched.handle(), at.c_str(), ZMQ_EVENT_ALL), "monitor");
  watcher_.connect(at);
}

monitor::~monitor() {
  // libzmq waits for room for its events. If no program reads the events, it waits without limit.
  if (watched_.handle() != nullptr) {
    zmq_socket_monitor(watched_.handle(), nullptr, 0);
  }
}

std::optional<int> monitor::wait_within(int events, std::chrono::milliseconds time) {
  const auto end = clock::now() + time;
  while (const auto message = watcher_.receive_within(left_until(end))) {
    std::uint16_t event = 0;
    std::memcpy(&event, message->front().data(), sizeof event);
    if ((event & events) != 0) {
      return event;
    }
  }
  return std::nullopt;
}

int monitor::wait(int events) {
  const auto event = wait_within(events, socket::timeout);
  if (!event) {
    throw std::runtime_error{"libzmq: no such event of the connection in time"};
  }
  return *event;
}

}  // namespace zmtp::test::libzmq
