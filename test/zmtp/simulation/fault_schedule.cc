#include "test/zmtp/simulation/fault_schedule.h"

#include <boost/asio/post.hpp>

#include <chrono>
#include <utility>

namespace zmtp::simulation {

using std::chrono::milliseconds;

std::string to_string(const troubles& kinds) {
  const std::pair<bool, const char*> all[] = {
      {kinds.cuts, ", cuts"},   {kinds.half_open, ", half-open"},
      {kinds.kills, ", kills"}, {kinds.pauses, ", pauses"},
      {kinds.parts, ", parts"}, {kinds.disconnects, ", disconnects"},
      {kinds.moves, ", moves"}, {kinds.outages, ", outages"}};
  std::string text;
  for (const auto& [is_one, name] : all) {
    text += is_one ? name : "";
  }
  return text;
}

fault_schedule::fault_schedule(world& in, const participants& all, const troubles& kinds,
                               programs& of, history& record)
    : disturbance{in.net()}, world_{in}, all_{all}, programs_{of}, history_{record} {
  if (kinds.cuts || kinds.half_open) {
    also_kill_connections({.at_any_byte = kinds.cuts,
                           .half_open = kinds.half_open,
                           .doomed = 30,
                           .most_bytes = 40'000});
  }
  const auto add = [this](bool wanted, void (fault_schedule::*one)()) {
    if (wanted) {
      also([this, one] { (this->*one)(); });
    }
  };
  add(kinds.kills, &fault_schedule::kill_one);
  add(kinds.pauses, &fault_schedule::pause_one);
  add(kinds.parts, &fault_schedule::part_two);
  add(kinds.disconnects, &fault_schedule::disconnect_one);
  add(kinds.moves, &fault_schedule::move_one);
  add(kinds.outages, &fault_schedule::take_away_one);
}

void fault_schedule::stop() {
  disturbance::stop();
  net().rejoin_all();
  for (const auto& p : all_) {
    p->in->resume();
  }
}

void fault_schedule::in_process(participant& p, std::function<void()> act) {
  boost::asio::post(p.in->executor(), [&p, act = std::move(act)] {
    if (p.socket != nullptr) {
      act();
    }
  });
}

void fault_schedule::kill_one() {
  auto& one = any();
  programs_.kill(one, random().chance(30) ? death::power : death::process);
  programs_.start(one);
}

void fault_schedule::pause_one() {
  auto& one = any();
  one.in->pause();
  world_.after(random().up_to(milliseconds{3'000}), [&one] { one.in->resume(); });
}

void fault_schedule::part_two() {
  auto& from = any().in->machine();
  auto& to = any().in->machine();
  net().part(from, to);
  world_.after(random().up_to(milliseconds{3'000}), [this, &from, &to] { net().rejoin(from, to); });
}

void fault_schedule::disconnect_one() {
  auto& one = any();
  in_process(one, [this, &one] {
    const auto peers = one.socket->peers();
    if (!peers.empty()) {
      one.socket->disconnect(peers[random().pick(peers.size())].id);
    }
  });
}

void fault_schedule::move_one() {
  auto& one = any();
  if (one.connects_to.empty()) {
    return;
  }
  const auto& to = *one.connects_to[random().pick(one.connects_to.size())];
  in_process(one, [this, &one, &to] {
    error_code ec;
    one.socket->disconnect(to.endpoint(), ec);
    if (!ec) {
      history_.disconnected(one.number, to.number);
      one.socket->connect(to.endpoint());
      history_.connected(one.number, to.number);
    }
  });
}

void fault_schedule::take_away_one() {
  auto& one = any();
  if (!one.binds) {
    return;
  }
  in_process(one, [this, &one] {
    error_code ec;
    one.socket->unbind(one.endpoint_at("*"), ec);
    if (!ec) {
      world_.after(random().up_to(milliseconds{1'000}), [this, &one, life = one.starts] {
        if (one.starts == life) {
          in_process(one, [&one] { one.socket->bind(one.endpoint_at("*")); });
        }
      });
    }
  });
}

}  // namespace zmtp::simulation
