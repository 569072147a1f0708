#include "mdp/keyed_requests.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace mdp {

using std::chrono::milliseconds;

keyed_request* keyed_requests::find(const request_key& key, std::string_view service) noexcept {
  const auto at = known_.find(id_view{key, service});
  return at == known_.end() ? nullptr : &at->second;
}

keyed_request& keyed_requests::enter(const keyed_attempt& first, std::string_view service,
                                     request& running) {
  const auto at =
      known_
          .emplace(std::piecewise_construct,
                   std::forward_as_tuple(id{first.key, std::string{service}}), std::tuple<>{})
          .first;
  auto& one = at->second;
  one.key = &at->first.key;
  one.service = at->first.service;
  one.running = &running;
  one.latest_attempt = first.number;
  one.entered_at = now_;
  charge(one, request_overhead + service.size());
  return one;
}

void keyed_requests::add_part(keyed_request& one, const zmtp::message& part) {
  if (one.too_large) {
    return;
  }
  if (!make_room(one, part)) {
    drop_parts(one);
    one.too_large = true;
    return;
  }
  auto& kept = one.parts.emplace_back(part);
  // Without the copy, the part could pin the read buffer that contains it.
  kept.compact();
  one.frames += kept.size();
  charge(one, kept.framed_size());
}

void keyed_requests::restart(keyed_request& one) noexcept {
  drop_parts(one);
  one.too_large = false;
}

void keyed_requests::answer(keyed_request& one, const zmtp::message& last) {
  add_part(one, last);
  if (one.too_large) {
    fail(one, request_fault::too_large, request_outcome::unknown);
  } else {
    end(one, keyed_request::state::answered);
  }
}

void keyed_requests::fail(keyed_request& one, request_fault fault, request_outcome result) {
  drop_parts(one);
  one.fault = fault;
  one.result = result;
  end(one, keyed_request::state::failed);
}

void keyed_requests::withdraw(keyed_request& one) noexcept { erase(one); }

void keyed_requests::end(keyed_request& one, keyed_request::state as) {
  one.is = as;
  one.running = nullptr;
  one.ended_at = now_;
  ended_.push_back(one);
  forget_down_to(0);
}

milliseconds keyed_requests::memory() const noexcept {
  return last_forgotten_ ? std::chrono::duration_cast<milliseconds>(now_ - *last_forgotten_)
                         : milliseconds::max();
}

std::optional<keyed_requests::time_point> keyed_requests::next_deadline() const noexcept {
  return ended_.empty() ? std::nullopt : std::optional{ended_.front().ended_at + limit_.time};
}

void keyed_requests::expire() {
  while (!ended_.empty() && ended_.front().ended_at + limit_.time <= now_) {
    forget(ended_.front());
  }
}

void keyed_requests::charge(keyed_request& one, std::size_t bytes) noexcept {
  one.bytes += bytes;
  bytes_ += bytes;
}

void keyed_requests::drop_parts(keyed_request& one) noexcept {
  for (const auto& part : one.parts) {
    one.bytes -= part.framed_size();
    bytes_ -= part.framed_size();
  }
  one.parts = {};
  one.frames = 0;
}

bool keyed_requests::make_room(const keyed_request& one, const zmtp::message& part) noexcept {
  const auto bytes = part.framed_size();
  if (one.bytes + bytes > reply_limit_.bytes || one.frames + part.size() > reply_limit_.parts) {
    return false;
  }
  forget_down_to(bytes);
  return bytes_ + bytes <= limit_.bytes;
}

// Requests in progress are not forgotten. The limits of clients and workers bound their number.
void keyed_requests::forget_down_to(std::size_t bytes) noexcept {
  while (!ended_.empty() && (ended_.size() > limit_.requests || bytes_ + bytes > limit_.bytes)) {
    forget(ended_.front());
  }
}

void keyed_requests::forget(keyed_request& one) noexcept {
  last_forgotten_ = std::max(last_forgotten_.value_or(one.entered_at), one.entered_at);
  ended_.erase(ended_.iterator_to(one));
  erase(one);
}

void keyed_requests::erase(keyed_request& one) noexcept {
  bytes_ -= one.bytes;
  known_.erase(known_.find(id_view{*one.key, one.service}));
}

}  // namespace mdp
