#include "test/bstar/simulation/fault_schedule.h"

#include <string>
#include <utility>

namespace bstar::simulation {

using std::chrono::milliseconds;
using zmtp::simulation::death;

std::string_view to_string(fault f) noexcept {
  switch (f) {
    case fault::kill: return "kill";
    case fault::power_loss: return "power loss";
    case fault::pause: return "pause";
    case fault::link_cut: return "link cut";
    case fault::one_way_cut: return "one-way cut";
    case fault::client_cut: return "client cut";
    case fault::slow: return "slow";
    case fault::refused: return "refused";
    case fault::connections_cut: return "connections cut";
  }
  return {};
}

void fault_schedule::make(fault f, milliseconds longest) {
  const auto begin = [&]() -> end {
    switch (f) {
      case fault::kill: return kill(death::process);
      case fault::power_loss: return kill(death::power);
      case fault::pause: return pause();
      case fault::link_cut: return cut_link(true);
      case fault::one_way_cut: return cut_link(false);
      case fault::client_cut: return cut_client();
      case fault::slow: return slow_down(longest);
      case fault::refused: return refuse();
      case fault::connections_cut: break;
    }
    cut_connections();
    return trouble_on_link([] {});
  };
  in_->net().here().note("fault: " + std::string{to_string(f)}, {});
  ++made_;
  ++open_;
  in_->after(in_->random().up_to(longest), [this, f, over = begin()] {
    in_->net().here().note("over: " + std::string{to_string(f)}, {});
    over();
    --open_;
  });
}

fault_schedule::end fault_schedule::trouble_on_link(end also) {
  history_->on_link_trouble();
  return [this, also = std::move(also)] {
    also();
    history_->on_link_repaired();
  };
}

fault_schedule::end fault_schedule::kill(death how) {
  auto& one = any_server();
  one.kill(how);
  return trouble_on_link([&one] {
    if (!one.running()) {
      one.start();
    }
  });
}

fault_schedule::end fault_schedule::pause() {
  auto& one = any_server();
  if (one.running()) {
    one.pause();
  }
  return [&one] { one.resume(); };
}

fault_schedule::end fault_schedule::cut_link(bool both_ways) {
  auto& net = in_->net();
  auto& one = any_server();
  auto& from = one.machine();
  auto& to = (&one == servers_[0] ? servers_[1] : servers_[0])->machine();
  net.part(from, to);
  if (both_ways) {
    net.part(to, from);
  }
  return trouble_on_link([&net, &from, &to] {
    net.rejoin(from, to);
    net.rejoin(to, from);
  });
}

fault_schedule::end fault_schedule::cut_client() {
  auto& net = in_->net();
  auto& client = *clients_[in_->random().pick(clients_.size())];
  auto& of = any_server().machine();
  const auto ways = in_->random().pick(3);
  if (ways != 0) {
    net.part(client, of);
  }
  if (ways != 1) {
    net.part(of, client);
  }
  return [&net, &client, &of] {
    net.rejoin(client, of);
    net.rejoin(of, client);
  };
}

fault_schedule::end fault_schedule::slow_down(milliseconds longest) {
  auto& how = in_->net().options();
  how.most_delay = longest / 4;
  cut_connections();
  return trouble_on_link([this, &how] {
    how.most_delay = zmtp::simulation::net_options{}.most_delay;
    cut_connections();
  });
}

fault_schedule::end fault_schedule::refuse() {
  in_->net().options().failing_connects = 70;
  return trouble_on_link([this] { in_->net().options().failing_connects = 0; });
}

void fault_schedule::cut_connections() {
  for (const auto& stream : in_->net().living()) {
    stream->cut(milliseconds{0}, milliseconds{0});
  }
}

}  // namespace bstar::simulation
