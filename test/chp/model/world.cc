#include "test/chp/model/world.h"

#include <algorithm>
#include <utility>

namespace chp::model {
namespace {

class world {
public:
  world(const settings& how, maker servers) : check_{around_, servers_} {
    around_.how = how;
    around_.check = &check_;
    for (std::size_t c = 0; c < client_count; ++c) {
      clients_.emplace_back(c, around_);
    }
    for (std::size_t s = 0; s < 2; ++s) {
      servers_[s] = servers(s, around_);
      if (how.has_witness) {
        servers_[s]->on_witness_changed(around_.net.record);
      }
    }
  }

  checker& check() { return check_; }

  void happen(const event& e) {
    const std::size_t s = e.who % 2;
    participant& server = *servers_[s];
    const bool runs = server.runs();
    switch (e.to_do) {
      case deed::tick: tick(); break;
      case deed::hear_peer: hear_peer(s); break;
      case deed::hear_client: hear_client(s, e.what % client_count); break;
      case deed::tell_client: tell_client(s, e.what % client_count, e.what / 64 % 2 != 0); break;
      case deed::sync: server.sync(1 + e.what % 3); break;
      case deed::set: set(e); break;
      case deed::client_timer: clients_[e.who % client_count].on_timer(); break;
      case deed::crash: end_process(s, e.what % 4, "crashes"); break;
      case deed::power_loss: end_process(s, 0, "loses power"); break;
      case deed::wipe:
        end_process(s, 0, "loses its disk");
        server.wipe();
        check_.on_wipe(s);
        check_.after_loss();
        break;
      case deed::start: start_if_down(s, false); break;
      case deed::start_by_hand: start_if_down(s, around_.how.by_hand); break;
      case deed::cut: cut(s, true); break;
      case deed::heal: cut(s, false); break;
      case deed::drop: around_.net.servers.drop(); break;
      case deed::drop_client: drop_client(s, e.what % client_count); break;
      case deed::cut_client:
        drop_client(s, e.what % client_count);
        around_.net.links[e.what % client_count][s].cut = true;
        break;
      case deed::heal_client: around_.net.links[e.what % client_count][s].cut = false; break;
      case deed::fail_store: say(s, "cannot write to its disk"), server.fail_store(); break;
      case deed::heal_store: server.heal_store(); break;
      case deed::pause:
        if (runs) {
          say(s, "is paused");
          server.pause();
        }
        break;
      case deed::resume:
        if (server.paused()) {
          say(s, "goes on");
          server.resume();
        }
        break;
      case deed::forge:
        if (runs) {
          server.forge_epoch(1'000'000);
        }
        break;
      case deed::ask_witness: ask_witness(s, e.what); break;
      case deed::hear_witness: hear_witness(s, e.what % 2 != 0); break;
      case deed::lose_witness: lose_witness(s); break;
      case deed::last_one: break;
    }
    settle();
  }

  // Faults stop; then all has to be well after some rounds.
  void end() {
    check_.say("faults stop, and every client reaches both servers");
    around_.how.reach = {3, 3, 3};
    for (std::size_t s = 0; s < 2; ++s) {
      happen({deed::heal, static_cast<std::uint8_t>(s), 0});
      happen({deed::resume, static_cast<std::uint8_t>(s), 0});
      servers_[s]->heal_store();
      for (auto& links : around_.net.links) {
        links[s].cut = false;
      }
    }
    for (int round = 0; round < 200; ++round) {
      for (std::size_t s = 0; s < 2; ++s) {
        if (servers_[s]->is() == participant::role::stopped) {
          say(s, "is told by the operator to follow");
          start(s, false, true);
        }
        start_if_down(s, false);
      }
      reset_witness();
      tick();
      settle();
      exhaust_messages();
      for (client& c : clients_) {
        c.on_timer();
      }
      exhaust_messages();
      if (well(servers_, clients_)) {
        check_.at_end(clients_);
        return;
      }
    }
    throw violation{promise::ends_well, text(servers_, clients_)};
  }

private:
  void say(std::size_t s, const std::string& line) {
    check_.say((s == 0 ? "primary " : "backup ") + line);
  }

  void start(std::size_t s, bool promote_alone, bool discard) {
    servers_[s] = servers_[s]->restarted(promote_alone, discard);
    around_.net.witness[s].notice = around_.net.record;
    say(s, std::string{"starts, end "} + text(servers_[s]->state().end()) +
               (promote_alone ? ", promoted by hand" : ""));
    if (promote_alone) {
      check_.on_promotion_by_hand();
    }
  }

  void start_if_down(std::size_t s, bool promote_alone) {
    if (servers_[s]->is() == participant::role::down) {
      start(s, promote_alone, false);
    }
  }

  void end_process(std::size_t s, std::size_t transactions_written, const char* how) {
    if (servers_[s]->is() == participant::role::stopped && transactions_written == 0) {
      return;  // the disk of a server that has stopped waits for the operator
    }
    say(s, how);
    servers_[s]->crash(transactions_written);
    around_.net.witness[s].answers.clear();
    for (auto& each : around_.net.witness[s].asked) {
      each.is_answered = true;
    }
    for (std::size_t c = 0; c < client_count; ++c) {
      drop_client(s, c);
    }
    check_.after_loss();
  }

  void cut(std::size_t s, bool cut) {
    if (around_.net.cut_to[s] != cut) {
      say(s, cut ? "hears the other one no more" : "can hear the other one again");
      around_.net.cut_to[s] = cut;
    }
  }

  void tick() {
    ++around_.now;
    for (const auto& server : servers_) {
      if (server->runs()) {
        server->tick();
        settle();
      }
    }
  }

  bool hear_peer(std::size_t s) {
    auto& queue = around_.net.servers.to[s];
    if (!servers_[s]->runs() || around_.net.cut_to[s] || queue.empty()) {
      return false;
    }
    const peer_message message = std::move(queue.front());
    queue.pop_front();
    servers_[s]->on_peer(message);
    return true;
  }

  bool hear_client(std::size_t s, std::size_t c) {
    client_link& link = around_.net.links[c][s];
    if (!servers_[s]->runs() || link.cut || link.up.empty() ||
        !servers_[s]->reads(link.up.front())) {
      return false;
    }
    const to_server message = std::move(link.up.front());
    link.up.pop_front();
    servers_[s]->on_client(c, message);
    return true;
  }

  bool tell_client(std::size_t s, std::size_t c, bool answers) {
    client_link& link = around_.net.links[c][s];
    auto& queue = answers ? link.answers : link.down;
    if (link.cut || queue.empty()) {
      return false;
    }
    const to_client message = std::move(queue.front());
    queue.pop_front();
    clients_[c].on_message(s, message);
    return true;
  }

  // An attempt whose process has ended, or has an error for it, can arrive at any time.
  bool ask_witness(std::size_t s, std::size_t which) {
    auto& line = around_.net.witness[s];
    if (line.asked.empty()) {
      return false;
    }
    const auto at = line.asked.begin() + static_cast<std::ptrdiff_t>(which % line.asked.size());
    const auto attempt = *at;
    line.asked.erase(at);
    auto& record = around_.net.record;
    const bool compares = around_.how.fault != planted::witness_grants_all;
    if (!compares || record == attempt.from) {
      set_record(attempt.to);
    }
    if (!attempt.is_answered) {
      line.answers.emplace_back(record);
    }
    return true;
  }

  void set_record(const membership& to) {
    around_.net.record = to;
    check_.on_record(to);
    for (auto& line : around_.net.witness) {
      line.notice = to;
    }
  }

  // Answers and notices overtake each other.
  bool hear_witness(std::size_t s, bool notices_first) {
    auto& line = around_.net.witness[s];
    if (!servers_[s]->runs()) {
      return false;
    }
    if (line.notice && (notices_first || line.answers.empty())) {
      servers_[s]->on_witness_changed(*std::exchange(line.notice, std::nullopt));
      return true;
    }
    if (line.answers.empty()) {
      return false;
    }
    const auto answer = line.answers.front();
    line.answers.pop_front();
    servers_[s]->on_witness(answer);
    return true;
  }

  void lose_witness(std::size_t s) {
    auto& line = around_.net.witness[s];
    if (!line.answers.empty()) {
      line.answers.front().reset();
    } else if (!line.asked.empty() && !line.asked.back().is_answered) {
      line.asked.back().is_answered = true;
      line.answers.emplace_back();
    }
  }

  // The remedy of docs/chp-log.md if all members are lost.
  void reset_witness() {
    const auto& record = around_.net.record;
    const bool is_known = std::any_of(servers_.begin(), servers_.end(), [&](const auto& r) {
      return r->is() == participant::role::down || record.has(r->member());
    });
    if (around_.how.has_witness && !record.in_sync.empty() && !is_known) {
      check_.say("the operator resets the record of the witness");
      set_record({.revision = record.revision + 1, .epoch = record.epoch});
    }
  }

  void drop_client(std::size_t s, std::size_t c) {
    client_link& link = around_.net.links[c][s];
    link.up.clear();
    link.down.clear();
    link.answers.clear();
    servers_[s]->on_client_gone(c);
    clients_[c].on_link_gone(s);
  }

  void set(const event& e) {
    client& c = clients_[e.who % client_count];
    const auto ttl = static_cast<std::uint8_t>(e.what % 5 == 0 ? 1 + e.what / 16 % 6 : 0);
    const auto key = static_cast<std::uint8_t>(e.what / 256 % key_count);
    c.set(++updates_, key, e.what % 5 == 1, ttl);
    // Copies of an update without an id look like two updates. So no promise covers one that comes late, and both
    // arrive at once.
    if (c.kind() == client_kind::guide_without_ids) {
      for (std::size_t s = 0; s < 2; ++s) {
        hear_client(s, c.self());
        around_.net.links[c.self()][s].up.clear();
      }
    }
  }

  void settle() {
    for (std::size_t s = 0; s < 2; ++s) {
      servers_[s]->store();
      if (!servers_[s]->has_store() && servers_[s]->runs()) {
        servers_[s]->sync(0);
      }
    }
    for (std::size_t s = 0; s < 2; ++s) {
      // A server that becomes passive ends the connections of its clients.
      if (servers_[s]->is() != participant::role::active) {
        for (client& c : clients_) {
          if (c.follows(s)) {
            drop_client(s, c.self());
          }
        }
      }
    }
    check_.after_event();
  }

  void exhaust_messages() {
    int messages = 0;
    for (bool progress = true; std::exchange(progress, false);) {
      for (std::size_t s = 0; s < 2; ++s) {
        servers_[s]->sync(100);
        while (hear_peer(s) || ask_witness(s, 0) || hear_witness(s, false)) {
          progress = true;
          settle();
          limit(++messages);
        }
        for (std::size_t c = 0; c < client_count; ++c) {
          while (hear_client(s, c) || tell_client(s, c, false) || tell_client(s, c, true)) {
            progress = true;
            settle();
            limit(++messages);
          }
        }
      }
    }
  }

  void limit(int messages) const {
    if (messages > 2000) {
      throw violation{promise::ends_well, "messages without an end; " + text(servers_, clients_)};
    }
  }

  surroundings around_;
  checker::servers servers_;
  checker check_;
  std::vector<client> clients_;
  std::uint32_t updates_ = 0;
};

}  // namespace

figures run(const schedule& s, std::vector<std::string>* trace, maker servers) {
  world w{s.how, servers};
  w.check().tracing = trace != nullptr;
  try {
    for (const event& e : s.events) {
      w.happen(e);
    }
    w.end();
  } catch (const violation&) {
    if (trace != nullptr) {
      *trace = std::move(w.check().trace);
    }
    throw;
  }
  if (trace != nullptr) {
    *trace = std::move(w.check().trace);
  }
  return {w.check().answers(), w.check().cuts(), w.check().losses()};
}

}  // namespace chp::model
