#include "test/chp/simulation/fault_schedule.h"

#include "zmtp/storage/error.h"

#include <string>
#include <utility>

namespace chp::simulation {

using std::chrono::milliseconds;
using zmtp::storage_errc;
using zmtp::simulation::death;

std::string_view to_string(fault f) noexcept {
  switch (f) {
    case fault::kill: return "kill";
    case fault::power_loss: return "power loss";
    case fault::wipe: return "wipe";
    case fault::pause: return "pause";
    case fault::slow_disk: return "slow disk";
    case fault::full_disk: return "full disk";
    case fault::failed_disk: return "failed disk";
    case fault::failed_epochs: return "failed epochs";
    case fault::failed_lost_files: return "failed lost files";
    case fault::forged_epochs: return "forged epochs";
    case fault::link_cut: return "link cut";
    case fault::one_way_cut: return "one-way cut";
    case fault::client_cut: return "client cut";
    case fault::client_kill: return "client kill";
    case fault::client_pause: return "client pause";
    case fault::slow: return "slow";
    case fault::refused: return "refused";
    case fault::connections_cut: return "connections cut";
  }
  return {};
}

void fault_schedule::make(fault f, milliseconds longest) {
  in_->net().here().note("fault: " + std::string{to_string(f)}, {});
  ++made_;
  ++open_;
  in_->after(in_->random().up_to(longest), [this, f, over = begin(f, longest)] {
    in_->net().here().note("over: " + std::string{to_string(f)}, {});
    over();
    --open_;
  });
}

fault_schedule::end fault_schedule::begin(fault f, milliseconds longest) {
  switch (f) {
    case fault::kill: return kill(death::process);
    case fault::power_loss: return kill(death::power);
    case fault::wipe: return wipe();
    case fault::pause: return pause();
    case fault::slow_disk:
    case fault::full_disk:
    case fault::failed_disk: return spoil_disk(f, longest);
    case fault::failed_epochs:
    case fault::failed_lost_files: return spoil_files(f);
    case fault::forged_epochs: return forge_epochs();
    case fault::link_cut: return cut_link(true);
    case fault::one_way_cut: return cut_link(false);
    case fault::client_cut: return cut_client();
    case fault::client_kill: return kill_client();
    case fault::client_pause: return pause_client();
    case fault::slow: return slow_down(longest);
    case fault::refused: return refuse();
    case fault::connections_cut: break;
  }
  cut_connections();
  return [] {};
}

// A backup in sync has everything, also what it does not publish yet. An active server that is paused
// does not know that its backup has started again without data.
void fault_schedule::stop(server who, death how) {
  auto& one = *servers_[who];
  const auto& other = *servers_[1 - who];
  const bool is_covered = one.is_in_sync() && !other.has_store() && other.is_following();
  one.kill(how);
  if (!is_covered) {
    history_->on_loss({one.content(), other.content()}, other.has_all_in_content());
  }
}

fault_schedule::end fault_schedule::kill(death how) {
  const auto who = any_server();
  stop(who, how);
  return [this, who] {
    if (!servers_[who]->running()) {
      servers_[who]->start();
    }
  };
}

// The record of epochs goes too, now and then. Without it, a primary serves an empty map if it does
// not reach its backup, so this is rare.
fault_schedule::end fault_schedule::wipe() {
  const auto who = any_server();
  auto& one = *servers_[who];
  stop(who, death::power);
  one.wipe_disk();
  if (in_->random().chance(who == 1 ? 50 : 10)) {
    one.wipe_epochs();
  }
  const auto& other = *servers_[1 - who];
  history_->on_loss({one.content(), other.content()}, other.has_all_in_content());
  return [&one] {
    if (!one.running()) {
      one.start();
    }
  };
}

fault_schedule::end fault_schedule::pause() {
  auto& one = *servers_[any_server()];
  if (one.running()) {
    one.pause();
  }
  return [&one] { one.resume(); };
}

fault_schedule::end fault_schedule::spoil_disk(fault f, milliseconds longest) {
  const auto who = any_server();
  auto& disk = servers_[who]->disk();
  if (f == fault::slow_disk) {
    disk.slow_down(longest / 4);
    return [&disk] { disk.slow_down(simulated_disk::usual_delay); };
  }
  disk.fail_with(f == fault::full_disk ? storage_errc::store_full : storage_errc::store_failed);
  return [this, who, &disk] {
    disk.fail_with({});
    restart_if_failed(who);
  };
}

void fault_schedule::restart_if_failed(server who) {
  if (servers_[who]->has_failed()) {
    stop(who, death::process);
    servers_[who]->start();
  }
}

fault_schedule::end fault_schedule::spoil_files(fault f) {
  auto& one = *servers_[any_server()];
  if (f == fault::failed_epochs) {
    one.fail_epochs(true);
    return [&one] { one.fail_epochs(false); };
  }
  one.fail_lost_files(true);
  return [&one] { one.fail_lost_files(false); };
}

fault_schedule::end fault_schedule::forge_epochs() {
  auto& one = *servers_[any_server()];
  one.forge_epochs(true);
  return [&one] { one.forge_epochs(false); };
}

fault_schedule::end fault_schedule::cut_link(bool both_ways) {
  auto& net = in_->net();
  const auto who = any_server();
  auto& from = servers_[who]->process().machine();
  auto& to = servers_[1 - who]->process().machine();
  net.part(from, to);
  if (both_ways) {
    net.part(to, from);
  }
  auto& cut_off = *servers_[who];
  cut_off.cut_witness(both_ways);
  return [&net, &from, &to, &cut_off] {
    cut_off.cut_witness(false);
    net.rejoin(from, to);
    net.rejoin(to, from);
  };
}

fault_schedule::end fault_schedule::cut_client() {
  auto& net = in_->net();
  auto& client = *hosts_[in_->random().pick(hosts_.size())];
  auto& of = servers_[any_server()]->process().machine();
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

fault_schedule::end fault_schedule::kill_client() {
  auto& one = any_client();
  one.kill(in_->random().chance(50) ? death::process : death::power);
  return [&one] {
    if (!one.process().running()) {
      one.start();
    }
  };
}

fault_schedule::end fault_schedule::pause_client() {
  auto& one = any_client();
  one.process().pause();
  return [&one] { one.resume(); };
}

fault_schedule::end fault_schedule::slow_down(milliseconds longest) {
  auto& how = in_->net().options();
  how.most_delay = longest / 4;
  cut_connections();
  return [this, &how] {
    how.most_delay = zmtp::simulation::net_options{}.most_delay;
    cut_connections();
  };
}

fault_schedule::end fault_schedule::refuse() {
  in_->net().options().failing_connects = 70;
  return [this] { in_->net().options().failing_connects = 0; };
}

void fault_schedule::cut_connections() {
  for (const auto& stream : in_->net().living()) {
    stream->cut(milliseconds{0}, milliseconds{0});
  }
}

}  // namespace chp::simulation
