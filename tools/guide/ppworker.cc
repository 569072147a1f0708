// ppworker: Paranoid Pirate worker: like spworker, with heartbeats that show whether the queue is alive.

#include "tools/guide/pirate_work.h"

#include <chrono>

namespace {

namespace asio = boost::asio;

struct settings {
  guide::work_settings work;
  std::chrono::milliseconds heartbeat{1'000};
  std::size_t liveness = 3;
  std::chrono::milliseconds reconnect{1'000};
};

void tell(const zmtp::pirate_worker_event& event) {
  using kind = zmtp::pirate_worker_event::kind;
  switch (event.what) {
    case kind::ready: guide::say("I: worker ready"); break;
    case kind::heartbeat: guide::say("I: worker heartbeat"); break;
    case kind::lost:
      guide::say("W: heartbeat failure, can't reach queue");
      guide::say("W: reconnecting in {} msec...", event.delay.count());
      break;
    case kind::invalid: guide::say("E: invalid message"); break;
    case kind::surplus: guide::say("E: a request more than it can work on"); break;
  }
}

asio::awaitable<int> serve(const settings& is) {
  return guide::work(is.work,
                     {.protocol = zmtp::pirate_protocol::paranoid,
                      .heartbeat = is.heartbeat,
                      .liveness = static_cast<unsigned>(is.liveness),
                      .reconnect_delay = is.reconnect},
                     {}, tell);
}

}  // namespace

int main(int argc, char** argv) {
  settings is;
  guide::command_line line{"Paranoid Pirate worker (6/PPP): echoes requests, and simulates faults"};
  guide::add_work(line, is.work);
  line.milliseconds("--heartbeat", is.heartbeat, "time between heartbeats");
  line.number("--liveness", is.liveness,
              "heartbeats without a message before the queue is declared dead");
  line.milliseconds("--reconnect", is.reconnect,
                    "delay before the first reconnect; doubles each time, up to 32 s");
  return guide::run(line, argc, argv, serve, is);
}
