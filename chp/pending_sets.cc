#include "chp/pending_sets.h"

#include <boost/container_hash/hash.hpp>

#include <algorithm>
#include <utility>

namespace chp {

namespace {

constexpr std::size_t spare_places = 64;

std::size_t hash_of(std::string_view key, std::string_view value) noexcept {
  std::size_t hash = std::hash<std::string_view>{}(key);
  boost::hash_combine(hash, std::hash<std::string_view>{}(value));
  return hash;
}

}  // namespace

void pending_sets::begin_session(std::uint64_t session) noexcept {
  session_ = session;
  last_counter_ = 0;
}

bool pending_sets::can_send() const noexcept {
  if (unsent_.empty()) {
    return false;
  }
  const auto& next = unsent_.front();
  const auto bytes = next.key.size() + next.properties.size() + next.value.size();
  return sent_open_ == 0 || (sent_open_ < most_ && sent_bytes_ + bytes <= most_bytes_);
}

const zmtp::message& pending_sets::send_next(std::string_view more_properties) {
  const auto& next = unsent_.front();
  const auto id = update_id::of_session(session_, ++last_counter_);
  sent_.push_back(
      {.of = next.of,
       .counter = last_counter_,
       .set = make_set(how_, next.key, id, next.properties, next.value, more_properties),
       .own_properties = next.properties.size(),
       .awaited = true,
       .echoed = next.echoed,
       .for_both = next.for_both});
  if (how_ != form::kvmsg && next.echoed) {
    by_content_.emplace(hash_of(next.key, next.value), last_counter_);
  }
  ++sent_open_;
  sent_bytes_ += sent_.back().set.framed_size();
  unsent_.pop_front();
  return sent_.back().set;
}

std::uint64_t pending_sets::first_counter() const noexcept {
  return sent_.empty() ? next_counter() : sent_.front().counter;
}

void pending_sets::end(sent_update& one) {
  one.over = true;
  --sent_open_;
  sent_bytes_ -= one.set.framed_size();
}

void pending_sets::commit(sent_update& one, std::vector<ended>& done) {
  if (one.over) {
    return;
  }
  if (one.awaited) {
    // Such a server does not tell what another server has.
    done.push_back({one.of, one.for_both ? errc::not_on_both : errc{}});
  }
  end(one);
  one.set.clear();
}

void pending_sets::drop_ended() {
  while (!sent_.empty() && sent_.front().over) {
    sent_.pop_front();
  }
  // Removes ended updates from behind one that stays pending for long.
  if (sent_.size() > 2 * sent_open_ + spare_places) {
    std::erase_if(sent_, [](const sent_update& one) { return one.over; });
  }
}

void pending_sets::take(const counter_range& which, std::vector<sent_update>& taken) {
  for (auto one = at_or_after(which.first); one != sent_.end() && one->counter <= which.last;
       ++one) {
    if (!one->over) {
      end(*one);
      taken.push_back(std::move(*one));
      taken.back().over = false;
    }
  }
  drop_ended();
}

void pending_sets::commit(const update_id& echo, std::vector<ended>& done) {
  if (!echo.has_session() || echo.session() != session_) {
    return;
  }
  if (const auto found = find_counter(echo.counter()); found != sent_.end()) {
    commit(*found, done);
    drop_ended();
  }
}

void pending_sets::commit(std::string_view key, std::string_view value, std::vector<ended>& done) {
  const auto hash = hash_of(key, value);
  for (auto next = by_content_.lower_bound({hash, 0});
       next != by_content_.end() && next->first == hash; ++next) {
    const auto found = find_counter(next->second);
    if (found != sent_.end() && found->set.front() == key && found->set.back() == value) {
      by_content_.erase(next);
      commit(*found, done);
      drop_ended();
      return;
    }
  }
}

std::deque<sent_update>::iterator pending_sets::at_or_after(std::uint64_t counter) noexcept {
  return std::lower_bound(
      sent_.begin(), sent_.end(), counter,
      [](const sent_update& one, std::uint64_t wanted) { return one.counter < wanted; });
}

std::deque<sent_update>::iterator pending_sets::find_counter(std::uint64_t counter) noexcept {
  const auto found = at_or_after(counter);
  return found != sent_.end() && found->counter == counter ? found : sent_.end();
}

std::optional<std::uint64_t> pending_sets::last_unechoed() const noexcept {
  const bool any = std::any_of(sent_.begin(), sent_.end(),
                               [](const auto& one) { return !one.echoed && !one.over; });
  return any ? std::optional{sent_.back().counter} : std::nullopt;
}

void pending_sets::commit_unechoed(std::uint64_t up_to, std::vector<ended>& done) {
  for (auto one = sent_.begin(); one != sent_.end() && one->counter <= up_to; ++one) {
    if (!one->echoed) {
      commit(*one, done);
    }
  }
  drop_ended();
}

pending_sets::given_up pending_sets::give_up(ticket of) {
  const auto before = [](const auto& one, ticket t) { return one.of < t; };
  if (const auto found = std::lower_bound(unsent_.begin(), unsent_.end(), of, before);
      found != unsent_.end() && found->of == of) {
    unsent_.erase(found);
    return given_up::unsent;
  }
  if (const auto found = std::lower_bound(sent_.begin(), sent_.end(), of, before);
      found != sent_.end() && found->of == of && !found->over) {
    found->awaited = false;
    return given_up::sent;
  }
  return given_up::unknown;
}

}  // namespace chp
