#pragma once
// The libzmq side of a test: libzmq's sockets as values. Each call has a time limit, and each failure is an
// exception that names the failed call.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#if !__has_include(<zmq.h>)
#error "libzmq's header is missing; tools/setup --for test installs libzmq3-dev"
#endif
#include <zmq.h>

namespace zmtp::test::libzmq {

// A message, part by part.
using parts = std::vector<std::string>;

class context {
public:
  context();
  context(const context&) = delete;
  context& operator=(const context&) = delete;
  ~context();

  // Every call that waits fails from now on, in all threads.
  void shutdown() noexcept;
  [[nodiscard]] void* handle() const noexcept { return handle_; }

private:
  void* handle_;
};

// May move once from the thread that made it to another. Closing discards unsent messages, unless ZMQ_LINGER is
// set.
class socket {
public:
  static constexpr std::chrono::milliseconds timeout{15'000};

  socket(context& owner, int type);
  socket(const socket&) = delete;
  socket& operator=(const socket&) = delete;
  ~socket();

  void set(int option, int value);
  void set(int option, std::string_view value);

  // The endpoint as bound, at a port that the system chose.
  std::string bind(const std::string& at = "tcp://127.0.0.1:*");
  void connect(const std::string& to);
  void close() noexcept;

  void send(const parts& message);
  // False if there is no room.
  [[nodiscard]] bool try_send(const parts& message);
  [[nodiscard]] parts receive();
  // Receives a message, and returns this property of the connection that it came through.
  [[nodiscard]] std::string receive_from(const char* property);
  // Nothing if none comes in time.
  [[nodiscard]] std::optional<parts> receive_within(std::chrono::milliseconds time);
  // Waits until one of these (ZMQ_POLLIN, ZMQ_POLLOUT) holds, and returns those that do.
  [[nodiscard]] int wait_for(int events);

  [[nodiscard]] void* handle() const noexcept { return handle_; }

private:
  [[nodiscard]] int poll(int events, std::chrono::milliseconds time);
  [[nodiscard]] bool send(const parts& message, int flags);
  [[nodiscard]] parts take();

  void* handle_;
};

// The events of the connections of a socket. Make the monitor before the socket binds or connects, and destroy
// it before the socket.
class monitor {
public:
  monitor(context& owner, socket& watched);
  monitor(const monitor&) = delete;
  monitor& operator=(const monitor&) = delete;
  ~monitor();

  // Waits for one of these ZMQ_EVENT_…, passing over others; nothing if none comes in time.
  [[nodiscard]] std::optional<int> wait_within(int events, std::chrono::milliseconds time);
  // The same, where not coming is a failure.
  int wait(int events);

private:
  socket& watched_;
  socket watcher_;
};

}  // namespace zmtp::test::libzmq
