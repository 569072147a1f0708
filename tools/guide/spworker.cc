// spworker: Simple Pirate worker: takes one request after the other from the queue.

#include "tools/guide/pirate_work.h"

#include <random>
#include <string>

namespace {

namespace asio = boost::asio;

// Returns a name that distinguishes the lines of several workers.
std::string random_name() {
  std::random_device device;
  std::uniform_int_distribution<unsigned> number{0, 0xffff};
  return fmt::format("({:04X}-{:04X}) ", number(device), number(device));
}

asio::awaitable<int> serve(const guide::work_settings& is) {
  const auto prefix = random_name();
  const auto tell = [prefix](const zmtp::pirate_worker_event& event) {
    if (event.what == zmtp::pirate_worker_event::kind::ready) {
      guide::say("I: {}worker ready", prefix);
    }
  };
  return guide::work(is, {.protocol = zmtp::pirate_protocol::simple}, prefix, tell);
}

}  // namespace

int main(int argc, char** argv) {
  guide::work_settings is;
  guide::command_line line{"Simple Pirate worker: echoes requests, and simulates faults"};
  guide::add_work(line, is);
  return guide::run(line, argc, argv, serve, is);
}
