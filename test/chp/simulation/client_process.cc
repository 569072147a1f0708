#include "test/chp/simulation/client_process.h"

#include "test/chp/simulation/server_process.h"
#include "zmtp/runtime/timer.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace chp::simulation {

namespace asio = boost::asio;

void client_process::start() {
  // The process owns the client, because a client must be destroyed before its context.
  process_->start([this](const asio::any_io_executor& executor) {
    std::vector<server_address> servers;
    for (const auto each : options_.servers) {
      servers.push_back(server_address::at(endpoint_of(each)));
    }
    client_ = std::make_shared<client>(executor, servers, options_.client,
                                       [this](const client_event& event) { on_event(event); });
    if (!options_.drops_losses) {
      client_->on_lost(
          [this](const lost_update& lost) { history_->on_told_lost(lost.key, lost.value); });
    }
    asio::co_spawn(executor, write(), zmtp::rethrow);
    asio::co_spawn(executor, watch(), zmtp::rethrow);
    return client_;
  });
}

void client_process::kill(zmtp::simulation::death how) {
  client_.reset();
  process_->kill(how);
  for (const auto& each : std::exchange(open_, {})) {
    history_->forget(each.first);
  }
  history_->on_untellable(name());
  history_->on_told_history_lost(name());  // the next client has seen nothing
  seen_.clear();
}

bool client_process::reaches(server which) const {
  const auto& all = options_.servers;
  return std::find(all.begin(), all.end(), which) != all.end();
}

bool client_process::has_room_for(const server_process& of) const {
  const auto most = options_.client.most_keys;
  return most == client_options{}.most_keys || part_of(of.published()).size() <= most;
}

void client_process::tell_limits() {
  if (!is_following() || client_->status().counters.lost_unlisted != 0) {
    history_->on_untellable(name());
  }
}

map_history::content client_process::copy() const {
  map_history::content all;
  client_->for_each({},
                    [&](std::string_view key, std::string_view value) { all.emplace(key, value); });
  return all;
}

map_history::content client_process::part_of(const map_history::content& map) const {
  map_history::content part;
  std::copy_if(map.begin(), map.end(), std::inserter(part, part.end()),
               [this](const auto& each) { return each.first.starts_with(options_.part); });
  return part;
}

asio::awaitable<void> client_process::write() {
  zmtp::timer pause{co_await asio::this_coro::executor};
  for (;;) {
    pause.expires_after(world_->random().up_to(options_.pace));
    co_await pause.async_wait(asio::use_awaitable);
    tell_seen();
    if (writes_) {
      update();
      if (world_->random().chance(options_.cancels)) {
        cancel_one();
      }
    }
  }
}

void client_process::update() {
  auto& random = world_->random();
  const auto value = name() + '.' + std::to_string(++last_);
  const bool draws_once = random.chance(40);
  const bool once = options_.part.empty() ? draws_once : is_once(options_.part);
  const std::chrono::seconds ttl{options_.sets_ttls && random.chance(30) ? random.between(1, 3)
                                                                         : 0};
  const bool has_ttl = ttl.count() != 0;
  const auto key = once ? (has_ttl ? "/once/ttl/" : "/once/") + value
                        : "/shared/" + std::to_string(random.pick(options_.shared_keys));
  const bool erases = !once && !has_ttl && random.chance(25);
  const auto which = history_->begin(name(), key, erases ? std::string{} : value, ttl);
  const auto& signal = open_[which] = std::make_unique<asio::cancellation_signal>();
  set_options how;
  if (random.chance(20)) {
    how.until = random.up_to(20 * options_.client.heartbeat);
  }
  if (has_ttl) {
    how.ttl = ttl * options_.ttl_factor;
    erase_later(key, ttl);
  }
  how.require = random.chance(options_.requires_both) ? required::both : required::one;
  auto done = asio::bind_cancellation_slot(
      signal->slot(),
      [this, which, key, began = world_->now()](const boost::system::error_code& ec, truth says) {
        open_.erase(which);
        const bool is_on_one = says == truth::one_server || says == truth::one_disk;
        if (is_on_one && !client_->status().degraded && replicated_at_ < began) {
          history_->report(violation::untold_degraded, name() + ": " + key);
        }
        history_->end(which, ec, options_.claims_both && !ec ? truth::both_servers : says,
                      client_->get(key), followed_);
      });
  if (erases) {
    client_->async_erase(key, {.until = how.until, .require = how.require}, std::move(done));
  } else {
    client_->async_set(key, value, how, std::move(done));
  }
}

void client_process::erase_later(const std::string& key, std::chrono::seconds ttl) {
  if (options_.erases_after) {
    world_->after(ttl * *options_.erases_after / 100, [this, key] {
      if (client_) {
        client_->async_erase(key, {}, [](const boost::system::error_code&, truth) {});
      }
    });
  }
}

void client_process::cancel_one() {
  auto one = open_.begin();
  std::advance(one, world_->random().pick(open_.size()));
  one->second->emit(asio::cancellation_type::total);
}

asio::awaitable<void> client_process::watch() {
  auto changes = client_->watch();
  std::vector<change> batch;
  for (;;) {
    co_await changes.async_receive(batch, asio::use_awaitable);
    for (const auto& each : batch) {
      on_change(each);
    }
  }
}

// A server that becomes active shows what is not committed yet. Such a key can be missing for a while
// when the client follows the other server, whose log has it too.
void client_process::on_change(const change& c) {
  if (!is_once(c.key)) {
    return;
  }
  const auto before = seen_.find(c.key);
  if (c.erased() && expires(c.key) && options_.sets_expired_again) {
    client_->async_set(c.key, c.key.substr(sizeof "/once/ttl/" - 1), {},
                       [](const boost::system::error_code&, truth) {});
  }
  if (!c.erased() && before != seen_.end() && before->second.is_present && !options_.sees_twice) {
    history_->report(violation::made_twice, name() + " sees " + c.key + " again");
  }
  if (!c.erased()) {
    seen_[c.key] = {true, world_->now()};
  } else if (before != seen_.end()) {
    before->second.is_present = false;
  }
}

// A client can hear that its server is degraded after it has the snapshot, which uses another connection,
// but before it takes the server for silent.
void client_process::tell_seen() {
  const auto then = world_->now() - *options_.client.server_ttl - options_.client.heartbeat;
  const auto now = client_->status();
  if (!now.acknowledges || now.degraded || last_event_ > then) {
    return;
  }
  for (auto& [key, each] : seen_) {
    if (each.is_present && !each.is_told && each.at <= then && is_kept(key)) {
      history_->on_seen(key);
      each.is_told = true;
    }
  }
}

void client_process::check_seen() {
  for (const auto& [key, each] : seen_) {
    if (!each.is_present && !expires(key)) {
      history_->report(violation::unreported_history,
                       name() + " does not have " + key + " any more");
    }
  }
}

void client_process::on_event(const client_event& event) {
  world_->net().here().note(name() + ": " + to_string(event.what), {event.server});
  last_event_ = world_->now();
  if (event.what == client_event::kind::replicated) {
    replicated_at_ = world_->now();
  } else if (event.what == client_event::kind::too_large) {
    ++larger_maps_;
  } else if (event.what == client_event::kind::following) {
    followed_ = options_.servers[event.server];
  } else if (event.what == client_event::kind::history_lost && !options_.drops_lost_histories) {
    ++lost_histories_;
    seen_.clear();
    history_->on_told_history_lost(name());
  } else if (event.what == client_event::kind::session_forgotten) {
    history_->on_untellable(name());
  }
}

}  // namespace chp::simulation
