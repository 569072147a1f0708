// Messages of workers and clients to a pirate queue, and of a queue to a worker, in any order.

#include "test/fuzz/frames.h"
#include "test/fuzz/oracle.h"
#include "zmtp/pattern/pirate_queue_state.h"
#include "zmtp/pattern/pirate_worker_state.h"

#include <array>
#include <chrono>
#include <string_view>
#include <utility>

namespace zmtp::fuzz {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t peers = 4;

// Clients that are not to be read.
using paused_clients = std::array<bool, peers>;

void check(pirate_queue_actions& actions, pirate_protocol how, paused_clients& paused) {
  for (auto& [to, content] : actions.to_workers) {
    require(to.slot < peers && to.generation == 1, "what is for workers goes to workers");
    const auto said = parse_pirate(content, how);
    require(said == pirate_kind::request || said == pirate_kind::heartbeat,
            "a worker hears requests and heartbeats");
    require(said == pirate_kind::heartbeat || envelope_size(content) == 2,
            "a request has one address");
  }
  for (auto& [to, content] : actions.to_clients) {
    require(to.slot < peers && to.generation == 2, "what is for clients goes to clients");
    require(envelope_size(content) != 0, "a reply has an empty frame and a body");
  }
  for (const auto client : actions.pause) {
    require(!std::exchange(paused.at(client.slot), true), "a client is paused once");
  }
  for (const auto client : actions.resume) {
    require(std::exchange(paused.at(client.slot), false), "a client is resumed that is paused");
  }
  actions.clear();
}

void try_queue(pirate_protocol how, std::string_view bytes) {
  pirate_queue_state queue{{.protocol = how, .waiting = 4, .workers = 3}, 0};
  pirate_queue_actions actions;
  paused_clients paused{};
  pirate_queue_state::time_point now{1h};
  while (!bytes.empty()) {
    const auto what = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    const peer_id worker{what % peers, 1};
    const peer_id client{what % peers, 2};
    switch (what / peers % 8) {
      case 0: queue.on_worker_attached(worker, {}); break;
      case 1: queue.on_worker_detached(worker, now, actions); break;
      case 2:
        queue.on_client_detached(client, actions);
        paused.at(client.slot) = false;
        break;
      case 3: now += 700ms; break;
      case 4: queue.on_deadline(now, actions); break;
      case 5:
        if (!paused.at(client.slot)) {
          queue.on_client_message(client, take_message(bytes, 1 + what / 32), now, actions);
        }
        break;
      default:
        queue.on_worker_message(worker, take_message(bytes, 1 + what / 32), now, actions);
        break;
    }
    check(actions, how, paused);
    const auto& counted = queue.counters();
    require(counted.replies + counted.lost <= counted.requests, "a request ends once");
    require(queue.idle_workers() <= queue.workers() && queue.workers() <= 3, "limits hold");
    require(queue.waiting() <= 4 + peers, "above the limit each client has one more at most");
    require(queue.waiting() != 0 || paused == paused_clients{}, "nobody is paused for nothing");
  }
}

void try_worker(pirate_protocol how, std::string_view bytes) {
  pirate_worker_state::time_point now{1h};
  pirate_worker_state worker{{.protocol = how}, now};
  pirate_worker_actions actions;
  worker.on_attached(now, actions);
  while (!bytes.empty()) {
    actions = {};
    const std::size_t frames = 1U + static_cast<unsigned char>(bytes.front()) % 6U;
    bytes.remove_prefix(1);
    worker.on_message(take_message(bytes, frames), now, actions);
    for (auto& one : actions.requests) {
      require(!one.body.empty(), "a request has a body");
      pirate_worker_actions after;
      require(!worker.reply(one.id, std::move(one.body), now, after), "it can be answered");
      require(after.sends.size() == 1, "with one reply");
      require(parse_pirate(after.sends.front(), how) == pirate_kind::request, "that is one");
    }
  }
}

}  // namespace
}  // namespace zmtp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const auto how : {zmtp::pirate_protocol::simple, zmtp::pirate_protocol::paranoid}) {
    zmtp::fuzz::try_queue(how, zmtp::fuzz::text_of(data, size));
    zmtp::fuzz::try_worker(how, zmtp::fuzz::text_of(data, size));
  }
  return 0;
}
