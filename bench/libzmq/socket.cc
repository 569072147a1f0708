#include "bench/libzmq/socket.h"

#include "bench/support/curve_keys.h"

#include <cerrno>
#include <cstring>

namespace bench::libzmq {
namespace {

void check(int result, const std::string& what) {
  if (result != 0) {
    fail_zmq(what);
  }
}

}  // namespace

void fail_zmq(std::string_view what) { fail(std::string{what} + ": " + zmq_strerror(zmq_errno())); }

context::context() : handle_{zmq_ctx_new()} {
  if (handle_ == nullptr) {
    fail_zmq("cannot make a context");
  }
}

context::~context() {
  while (zmq_ctx_term(handle_) != 0 && zmq_errno() == EINTR) {
  }
}

message::message(std::size_t size) {
  check(zmq_msg_init_size(&message_, size), "cannot make a message");
}

message::message(std::string_view content) {
  check(zmq_msg_init_size(&message_, content.size()), "cannot make a message");
  std::memcpy(zmq_msg_data(&message_), content.data(), content.size());
}

socket::socket(context& owner, int type) : handle_{zmq_socket(owner.handle(), type)} {
  if (handle_ == nullptr) {
    fail_zmq("cannot make a socket");
  }
}

socket::~socket() { zmq_close(handle_); }

void socket::set(int option, int value) {
  check(zmq_setsockopt(handle_, option, &value, sizeof value), "cannot set an option");
}

void socket::set_unlimited() {
  set(ZMQ_SNDHWM, 0);
  set(ZMQ_RCVHWM, 0);
}

void socket::set_curve_server() {
  set(ZMQ_CURVE_SERVER, 1);
  set_key(ZMQ_CURVE_SECRETKEY, curve_server_secret);
}

void socket::set_curve_client() {
  set_key(ZMQ_CURVE_SERVERKEY, curve_server_public);
  set_key(ZMQ_CURVE_PUBLICKEY, curve_client_public);
  set_key(ZMQ_CURVE_SECRETKEY, curve_client_secret);
}

void socket::set_key(int option, std::string_view key) {
  const std::string text{key};  // 40 characters and a zero
  check(zmq_setsockopt(handle_, option, text.c_str(), text.size() + 1), "cannot set a key");
}

void socket::subscribe(std::string_view topic) {
  check(zmq_setsockopt(handle_, ZMQ_SUBSCRIBE, topic.data(), topic.size()), "cannot subscribe");
}

void socket::bind(const std::string& endpoint) {
  check(zmq_bind(handle_, endpoint.c_str()), "cannot bind " + endpoint);
}

void socket::connect(const std::string& endpoint) {
  check(zmq_connect(handle_, endpoint.c_str()), "cannot connect to " + endpoint);
}

void socket::send_copy(std::string_view part, more_parts more) {
  message copy{part};
  send(copy, more);
}

bool socket::try_receive(message& part, int flags) {
  if (zmq_msg_recv(part.handle(), handle_, flags) >= 0) {
    return true;
  }
  if (zmq_errno() != EAGAIN && zmq_errno() != EINTR) {
    fail_receive();
  }
  return false;
}

void socket::fail_receive() {
  if (zmq_errno() == EAGAIN) {
    fail("nothing came in time: start the other programs, with the same arguments");
  }
  fail_zmq("cannot receive");
}

bool socket::wait_readable(long milliseconds) {
  zmq_pollitem_t item{handle_, 0, ZMQ_POLLIN, 0};
  const int ready = zmq_poll(&item, 1, milliseconds);
  if (ready < 0 && zmq_errno() != EINTR) {
    fail_zmq("cannot wait");
  }
  return ready > 0;
}

}  // namespace bench::libzmq
