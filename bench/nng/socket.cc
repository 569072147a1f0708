#include "bench/nng/socket.h"

#include "bench/support/arguments.h"

#include <nng/protocol/pubsub0/sub.h>

#include <algorithm>
#include <atomic>

namespace bench::nng {
namespace {

void check(int error, const std::string& what) {
  if (error != 0) [[unlikely]] {
    fail(what + ": " + nng_strerror(error));
  }
}

std::atomic<bool> disconnected = false;

}  // namespace

void await_disconnect() { disconnected.wait(false); }

message::message(std::size_t size) {
  check(nng_msg_alloc(&handle_, size), "cannot make a message");
}

void message::clear() {
  if (handle_ != nullptr) {
    nng_msg_free(handle_);
    handle_ = nullptr;
  }
}

socket::socket(int (*open)(nng_socket*)) {
  check(open(&handle_), "cannot make a socket");
  // A message may have any size, as with the other libraries.
  check(nng_socket_set_size(handle_, NNG_OPT_RECVMAXSZ, 0), "cannot set an option");
  const auto note = [](nng_pipe, nng_pipe_ev, void*) {
    disconnected = true;
    disconnected.notify_all();
  };
  check(nng_pipe_notify(handle_, NNG_PIPE_EV_REM_POST, note, nullptr), "cannot watch connections");
}

void socket::set_send_buffer(int messages) {
  check(nng_socket_set_int(handle_, NNG_OPT_SENDBUF, messages), "cannot set the send buffer");
}

void socket::set_receive_buffer(int messages) {
  check(nng_socket_set_int(handle_, NNG_OPT_RECVBUF, messages), "cannot set the receive buffer");
}

void socket::set_receive_deadline(int milliseconds) {
  check(nng_socket_set_ms(handle_, NNG_OPT_RECVTIMEO, milliseconds), "cannot set a deadline");
}

void socket::subscribe(std::string_view topic) {
  check(nng_socket_set(handle_, NNG_OPT_SUB_SUBSCRIBE, topic.data(), topic.size()),
        "cannot subscribe");
}

void socket::bind(const std::string& endpoint) {
  check(nng_listen(handle_, endpoint.c_str(), nullptr, 0), "cannot bind " + endpoint);
}

void socket::connect(const std::string& endpoint) {
  check(nng_dial(handle_, endpoint.c_str(), nullptr, 0), "cannot connect to " + endpoint);
}

void socket::send(message& whole) {
  check(nng_sendmsg(handle_, whole.handle_, 0), "cannot send");
  whole.handle_ = nullptr;
}

void socket::send_copy(std::span<const std::byte> content) {
  message copy{content.size()};
  std::ranges::copy(content, copy.bytes().begin());
  send(copy);
}

bool socket::try_receive(message& whole) {
  whole.clear();
  const int error = nng_recvmsg(handle_, &whole.handle_, 0);
  if (error == NNG_ETIMEDOUT) {
    return false;
  }
  check(error, "cannot receive");
  return true;
}

void socket::receive(message& whole) {
  if (!try_receive(whole)) [[unlikely]] {
    fail("nothing came in time: start the other program, with the same arguments");
  }
}

void socket::receive(message& whole, std::uint64_t size) {
  receive(whole);
  if (whole.bytes().size() != size) [[unlikely]] {
    fail("a message of another size: give both programs the same arguments");
  }
}

}  // namespace bench::nng
