#include "test/support/meeting.h"

#include "test/support/machine.h"

#include <unistd.h>

namespace zmtp::test {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

// Returns a name that no other process of this machine, and no other test of this process, uses.
std::string new_name() {
  static int number = 0;
  return "zmtp-test-" + std::to_string(::getpid()) + "-" + std::to_string(++number);
}

// Returns an endpoint of a transport whose names the program can choose.
std::string named_endpoint(medium over) {
  const auto* const where = over == medium::inproc         ? "inproc://"
                            : over == medium::ipc_abstract ? "ipc://@"
                                                           : "ipc:///tmp/";
  return where + new_name();
}

}  // namespace

std::ostream& operator<<(std::ostream& to, medium m) {
  switch (m) {
    case medium::tcp: return to << "tcp";
    case medium::tcp_ipv6: return to << "tcp_ipv6";
    case medium::ipc: return to << "ipc";
    case medium::ipc_abstract: return to << "ipc_abstract";
    case medium::inproc: return to << "inproc";
    case medium::ws: return to << "ws";
    case medium::tls: return to << "tls";
    case medium::wss: return to << "wss";
  }
  return to;
}

std::vector<medium> media() {
  auto all = byte_media();
  all.push_back(medium::inproc);
  all.push_back(medium::ws);
  return all;
}

std::vector<medium> byte_media() {
  std::vector all{medium::tcp, medium::ipc, medium::ipc_abstract};
  if (has_ipv6()) {
    all.push_back(medium::tcp_ipv6);
  }
  return all;
}

std::vector<medium> secure_media() { return {medium::tls, medium::wss}; }

std::string free_endpoint(medium over) {
  switch (over) {
    case medium::tcp: return "tcp://127.0.0.1:*";
    case medium::tcp_ipv6: return "tcp://[::1]:*";
    case medium::ipc: return "ipc://*";
    case medium::ws: return "ws://127.0.0.1:*/zws";
    case medium::tls: return "tls+tcp://127.0.0.1:*";
    case medium::wss: return "wss://127.0.0.1:*/zws";
    case medium::ipc_abstract:
    case medium::inproc: return named_endpoint(over);
  }
  return {};
}

reserved_endpoint::reserved_endpoint(asio::io_context& context, medium over) {
  if (over == medium::ipc || over == medium::ipc_abstract || over == medium::inproc) {
    text_ = named_endpoint(over);
    return;
  }
  const bool ipv6 = over == medium::tcp_ipv6;
  holder_.emplace(context, ipv6 ? tcp::v6() : tcp::v4());
  holder_->set_option(asio::socket_base::reuse_address{true});
  if (ipv6) {
    holder_->bind({asio::ip::address_v6::loopback(), 0});
  } else {
    holder_->bind({asio::ip::address_v4::loopback(), 0});
  }
  const auto port = std::to_string(holder_->local_endpoint().port());
  text_ = free_endpoint(over);
  text_.replace(text_.find(":*") + 1, 1, port);
}

std::ostream& operator<<(std::ostream& to, side s) {
  return to << (s == side::sender ? "the_sender" : "the_receiver");
}

std::ostream& operator<<(std::ostream& to, const meeting& m) {
  return to << m.binds << "_over_" << m.over;
}

std::vector<meeting> meetings() {
  std::vector<meeting> all;
  for (const auto over : media()) {
    all.push_back({over, side::sender});
    all.push_back({over, side::receiver});
  }
  return all;
}

}  // namespace zmtp::test
