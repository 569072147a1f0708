// A server of the map in a process of its own, for third-party peers:
//
//     chp_host FORM COLLECTOR
//     chp_host ROLE PORT STATE PEER_STATE PEER_PORT
//
// FORM is kvmsg, kvsimple_8 or kvsimple_4, COLLECTOR is sub or pull, ROLE is primary or backup, and the others
// are ports of 127.0.0.1. The program prints the endpoint of its snapshot port, and for a pair a line for each
// event. Heartbeats come every 100 ms. The program ends with its input.

#include "chp/replicated_server.h"
#include "chp/server.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <array>
#include <chrono>
#include <exception>
#include <iostream>
#include <map>
#include <string>
#include <unistd.h>

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr auto heartbeat = 100ms;

std::string at(const std::string& port) { return "tcp://127.0.0.1:" + port; }

void run_until_input_ends(asio::io_context& context) {
  asio::posix::stream_descriptor input{context, ::dup(STDIN_FILENO)};
  std::array<char, 1> byte;
  input.async_read_some(asio::buffer(byte),
                        [&context](boost::system::error_code, std::size_t) { context.stop(); });
  context.run();
}

int run_alone(const std::string& how, const std::string& collector) {
  static const std::map<std::string, chp::form> forms{{"kvmsg", chp::form::kvmsg},
                                                      {"kvsimple_8", chp::form::kvsimple_8},
                                                      {"kvsimple_4", chp::form::kvsimple_4}};
  static const std::map<std::string, chp::collector_kind> collectors{
      {"sub", chp::collector_kind::sub}, {"pull", chp::collector_kind::pull}};
  asio::io_context context{1};
  chp::server_options options;
  options.heartbeat = heartbeat;
  options.wire_format = forms.at(how);
  options.collector = collectors.at(collector);
  chp::server server{context.get_executor(), options};
  std::cout << "bound " << server.bind(at("*")).snapshots.to_string() << std::endl;
  run_until_input_ends(context);
  return 0;
}

int run_one_of_a_pair(char** arguments) {
  const std::string role = arguments[1];
  asio::io_context context{1};
  chp::replicated_server_options options;
  options.server.heartbeat = heartbeat;
  options.pair.pair.as = role == "primary" ? bstar::role::primary : bstar::role::backup;
  options.pair.pair.heartbeat = heartbeat;
  // Long enough that a busy machine does not cause an expiry of the peer.
  options.pair.pair.expiry = 1s;
  chp::replicated_server server{
      context.get_executor(), options, {.on_event = [](chp::server_event event) {
        std::cout << chp::to_string(event) << std::endl;
      }}};
  std::cout << "bound " << server.bind(at(arguments[2])).snapshots.to_string() << std::endl;
  server.bind_state(at(arguments[3]));
  server.connect({.state = at(arguments[4]), .snapshots = at(arguments[5]), .publisher = {}});
  run_until_input_ends(context);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    if (count == 3) {
      return run_alone(arguments[1], arguments[2]);
    }
    if (count == 6) {
      return run_one_of_a_pair(arguments);
    }
    std::cerr << "usage: chp_host FORM COLLECTOR | ROLE PORT STATE PEER_STATE PEER_PORT\n";
  } catch (const std::exception& failure) {
    std::cerr << "chp_host: " << failure.what() << '\n';
  }
  return 2;
}
