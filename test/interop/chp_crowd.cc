#include "test/interop/chp_crowd.h"

#include "zmtp/runtime/completion.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace chp::test {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using std::chrono::milliseconds;

namespace {

constexpr std::uint64_t erase_one_of = 20;
constexpr asio::as_tuple_t<asio::use_awaitable_t<>> token{};

}  // namespace

crowd::crowd(asio::io_context& context, const storm_options& how)
    : context_{context}, how_{how}, changed_{context} {
  for (const auto& text : how.groups) {
    const auto group = parse_group(text);
    for (auto left = group.clients; left != 0; --left) {
      add(group.servers, {});
    }
  }
  writers_ = all_.size();
}

const crowd::participant& crowd::join(const std::vector<server_address>& servers,
                                      const std::string& subtree) {
  return add(servers, subtree);
}

crowd::participant& crowd::add(const std::vector<server_address>& servers,
                               const std::string& subtree) {
  auto& p = *all_.emplace_back(std::make_unique<participant>());
  p.number = static_cast<std::uint32_t>(all_.size() - 1);
  p.subtree = subtree;
  p.made = p.progress = clock::now();
  client_options options;
  options.subtree = subtree;
  options.heartbeat = how_.heartbeat;
  options.server_ttl = how_.server_ttl;
  p.client = std::make_unique<client>(context_.get_executor(), servers, options,
                                      [this](const client_event& event) {
                                        ++events_[static_cast<std::size_t>(event.what)];
                                        notice();
                                      });
  p.client->on_lost([this, number = p.number](const lost_update& one) {
    ledger_.lose(number, one.key, one.value);
    ++lost_;
  });
  asio::co_spawn(context_, watch(p), zmtp::rethrow);
  return p;
}

void crowd::stop() {
  over_ = true;
  for (const auto& p : all_) {
    p->client->stop();
  }
}

asio::awaitable<bool> crowd::until(std::function<bool()> condition) {
  const auto end = clock::now() + how_.timeout;
  while (!condition()) {
    if (clock::now() >= end) {
      co_return false;
    }
    changed_.expires_at(end);
    co_await changed_.async_wait(token);
  }
  co_return true;
}

asio::awaitable<void> crowd::watch(participant& p) {
  auto watcher = p.client->watch(p.subtree);
  if (std::get<0>(co_await p.client->async_wait_ready(token))) {
    co_return;
  }
  p.ready_after = std::chrono::duration_cast<milliseconds>(clock::now() - p.made);
  notice();
  std::vector<change> batch;
  for (;;) {
    const auto [ec, size] = co_await watcher.async_receive(batch, token);
    if (ec) {
      co_return;
    }
    const auto now = clock::now();
    for (const auto& notified : batch) {
      look_at(p, notified, now);
    }
    notice();
  }
}

void crowd::look_at(participant& p, const change& notified, clock::time_point now) {
  out_of_order_ += notified.number < p.seen ? 1U : 0U;
  p.seen = notified.number;
  if (notified.key.starts_with(lifetime_keys)) {
    if (notified.erased()) {
      lifetimes_.gone(notified.key, now);
    }
  } else if (!notified.erased() && !ledger_.knows(notified.key, notified.value)) {
    ++invented_;
  }
}

void crowd::begin_waiting(participant& p, clock::time_point now) {
  if (p.waiting++ == 0) {
    p.progress = now;
  }
  ++waiting_;
}

void crowd::end_waiting(participant& p, clock::time_point began, clock::time_point now) {
  --p.waiting;
  --waiting_;
  ++p.committed;
  p.longest_wait = std::max(p.longest_wait, now - p.progress);
  p.progress = now;
  latencies_.push_back(std::chrono::duration_cast<std::chrono::microseconds>(now - began));
  notice();
}

void crowd::update(participant& p, const std::string& key, update_ledger::kind what) {
  const auto began = clock::now();
  auto value = ledger_.begin(p.number, key, what, began, how_.size);
  const auto number = ledger_.begun(p.number);
  begin_waiting(p, began);
  auto done = [this, &p, number, began](boost::system::error_code ec, truth) {
    if (ec) {
      failed_ += ec == asio::error::operation_aborted ? 0U : 1U;
      return;
    }
    const auto now = clock::now();
    ledger_.commit(p.number, number, now);
    end_waiting(p, began, now);
  };
  if (what == update_ledger::kind::erase) {
    p.client->async_erase(key, std::move(done));
  } else {
    p.client->async_set(key, std::move(value), std::move(done));
  }
}

void crowd::set_lifetime(participant& p) {
  const auto key = std::string{lifetime_keys} + std::to_string(next_lifetime_++);
  const std::chrono::seconds ttl{1 + next_lifetime_ % how_.longest_ttl};
  const auto began = clock::now();
  lifetimes_.begin(key, ttl, began);
  begin_waiting(p, began);
  p.client->async_set(key, "x", set_options{.ttl = ttl},
                      [this, &p, key, began](boost::system::error_code ec, truth) {
                        if (!ec) {
                          const auto now = clock::now();
                          lifetimes_.commit(key, now);
                          end_waiting(p, began, now);
                        }
                      });
}

void crowd::update_next(participant& p) {
  const auto drawn = random_();
  std::string key;
  if (how_.shared != 0 && drawn % 10 == 0) {
    key = "/shared/" + std::to_string(drawn / 10 % how_.shared);
  } else {
    key = "/c" + std::to_string(p.number) + '/' + std::to_string(p.next_key++ % how_.keys);
  }
  update(p, key,
         drawn / 1'000 % erase_one_of == 0 ? update_ledger::kind::erase : update_ledger::kind::set);
}

// Sends all due updates once per wakeup. A pause of this process does not cause a burst.
asio::awaitable<void> crowd::write() {
  asio::steady_timer beat{context_};
  std::uint64_t next = 0;
  double due = 0;
  double due_lifetimes = 0;
  for (auto last = clock::now(); !over_;) {
    beat.expires_after(2ms);
    co_await beat.async_wait(asio::use_awaitable);
    const auto now = clock::now();
    const auto seconds =
        std::chrono::duration<double>{std::min<clock::duration>(now - last, 100ms)}.count();
    last = now;
    if (paused_) {
      continue;
    }
    for (due += seconds * static_cast<double>(how_.rate); due >= 1; due -= 1) {
      update_next(*all_[next++ % writers_]);
    }
    for (due_lifetimes += seconds * static_cast<double>(how_.lifetimes); due_lifetimes >= 1;
         due_lifetimes -= 1) {
      set_lifetime(*all_[next++ % writers_]);
    }
  }
}

asio::awaitable<void> crowd::preload() {
  static constexpr std::uint64_t window = 5'000;
  auto& first = *all_.front();
  const std::function<bool()> has_room = [&first] { return first.waiting <= window / 2; };
  const std::function<bool()> nothing_waits = [this] { return waiting_ == 0; };
  bool in_time = true;
  for (std::uint64_t i = 0; i < how_.preload && in_time;) {
    for (; i < how_.preload && first.waiting < window; ++i) {
      update(first, "/p/" + std::to_string(i), update_ledger::kind::set);
    }
    in_time = co_await until(has_room);
  }
  if (!in_time || !co_await until(nothing_waits)) {
    throw std::runtime_error{"the preloaded keys were not committed in time"};
  }
  latencies_.clear();
}

bool crowd::all_follow() const {
  return std::all_of(all_.begin(), all_.end(), [](const auto& p) {
    const auto now = p->client->status();
    return now.ready && now.following;
  });
}

bool crowd::all_are_answered() const {
  return std::all_of(all_.begin(), all_.end(),
                     [](const auto& p) { return p->client->status().asked == 0; });
}

void crowd::begin_fault() {
  note_waits();
  counting_waits_ = true;
}

void crowd::end_faults() {
  note_waits();
  counting_waits_ = false;
}

void crowd::note_waits() {
  for (std::size_t i = 0; i < writers_; ++i) {
    auto& p = *all_[i];
    if (counting_waits_) {
      waits_.push_back(
          std::max(p.longest_wait, p.waiting == 0 ? clock::duration{} : clock::now() - p.progress));
    }
    p.longest_wait = {};
  }
}

}  // namespace chp::test
