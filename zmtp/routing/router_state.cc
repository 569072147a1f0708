#include "zmtp/routing/router_state.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace zmtp {

std::string identity_table::make_up(std::uint32_t random) {
  std::string id;
  do {
    last_made_up_ = last_made_up_ ? *last_made_up_ + 1 : random;
    id.assign(1, '\0');
    for (int shift = 24; shift >= 0; shift -= 8) {
      id += static_cast<char>(*last_made_up_ >> shift & 0xff);
    }
  } while (peers_.contains(id));
  return id;
}

namespace {

// A routing id that begins with a zero byte is reserved for generated ids.
bool usable(std::string_view routing_id) noexcept {
  return !routing_id.empty() && routing_id.front() != '\0';
}

// Authenticated peers cannot take the routing ids of others.
bool same_owner(const peer_info& holder, const peer_info& who) noexcept {
  return holder.public_key == who.public_key &&
         (who.public_key.has_value() || holder.user_id == who.user_id);
}

}  // namespace

socket_state::verdict router_state::on_admission(std::optional<peer_id> id, const peer_info& info) {
  if (!usable(info.routing_id)) {
    return {};
  }
  const auto holder = identities_.find(info.routing_id);
  const auto* held_by = holder ? find(*holder) : nullptr;
  // An endpoint without a connection keeps its routing id until another peer attaches with it.
  if (held_by == nullptr || !held_by->attached || holder == id) {
    return {};
  }
  if (options_.handover && same_owner(held_by->info, info)) {
    return {.refused = {}, .probe = {}, .evict = holder};
  }
  return {.refused = errc::duplicate_routing_id, .probe = holder, .evict = {}};
}

bool router_state::succeeds(const peer_info& last, const peer_info& who) const {
  return usable(who.routing_id) && who.routing_id == last.routing_id;
}

void router_state::on_attached(pipe& p, peer_info info, std::uint32_t random) {
  identities_.erase(p.info.routing_id, p.id);
  if (!usable(info.routing_id)) {
    // All peers of an endpoint that announce no routing id get the id that was generated for the
    // first. That id names the endpoint.
    const auto made_up = !p.info.routing_id.empty() && !usable(p.info.routing_id);
    info.routing_id = made_up ? p.info.routing_id : identities_.make_up(random);
  }
  identities_.insert(info.routing_id, p.id);
  socket_state::on_attached(p, std::move(info), random);
}

void router_state::close_pipe(pipe& p) {
  identities_.erase(p.info.routing_id, p.id);
  socket_state::close_pipe(p);
}

void router_state::forget(pipe& p) {
  identities_.erase(p.info.routing_id, p.id);
  socket_state::forget(p);
}

bool router_state::receive(message& to) {
  routed_message next;
  while (const auto* const p = next_readable()) {
    // Read the routing id first. When the last message of a disconnected peer is received, its pipe
    // is deleted.
    sender_.assign(p->info.routing_id);
    if (!socket_state::receive(next) || next.what != routed_message::kind::message) {
      continue;
    }
    if (next.content.size() == message::max_parts) {
      drop_received();
      continue;
    }
    to = std::move(next.content);
    to.push_front(sender_);
    return true;
  }
  return false;
}

// Copies messages into the batch before it takes them from the queue, so that none is lost if there
// is no memory.
bool router_state::receive_enveloped(message_batch& to) {
  const auto before = to.size();
  while (accepts(to)) {
    auto* const p = next_readable();
    if (p == nullptr) {
      break;
    }
    prepare_taking(*p);
    std::size_t taken = 0;
    if (!p->in.mark_at_front()) {
      taken = to.append_behind(p->info.routing_id, p->in.front(),
                               std::min(max_batch - to.size(), turn_of(*p)));
    }
    const auto item = take_item(*p, std::max<std::size_t>(taken, 1));
    if (taken == 0 && item.what == routed_message::kind::message) {
      drop_received();
    }
  }
  return to.size() != before;
}

send_status router_state::send(message_batch& from, if_full then) {
  auto* const run =
      skip_notices(from) ? std::get_if<message_run>(&from.first_item().content) : nullptr;
  const auto part = run != nullptr ? send_some(*run) : frame::cut{};
  if (part.messages == 0) {
    return socket_state::send(from, then);
  }
  from.drop_front(part);
  return send_status::queued;
}

// Queues messages at the front of the run. Stops before the first one that cannot be queued, and
// before a message that has only an envelope.
frame::cut router_state::send_some(const message_run& run) {
  frame::cut sent;
  while (sent.messages < run.messages) {
    auto* const at = run.data + sent.bytes;
    const auto reach = frame::message_at(at);
    const auto to = identities_.find(frame::first_part(at));
    auto* const p = to ? find(*to) : nullptr;
    if (reach.parts == 1 || reach.parts > message::max_parts - largest_envelope || p == nullptr ||
        !takes(*p)) {
      break;
    }
    const auto envelope =
        frame::header_size(*at) + static_cast<std::size_t>(frame::declared_size(at));
    touch(*p);
    p->out.push({.memory = run.memory,
                 .data = at + envelope,
                 .size = reach.bytes - envelope,
                 .messages = 1,
                 .shared = true});
    count_sent(*p);
    sent.bytes += reach.bytes;
    ++sent.messages;
  }
  return sent;
}

send_status router_state::send(message&& m, if_full then) {
  const auto to = identities_.find(m.front());
  auto* const p = to ? find(*to) : nullptr;
  const auto status = p == nullptr || !reachable(*p) ? send_status::unknown
                      : p->out.full()                ? send_status::full
                                                     : send_status::queued;
  if (m.size() == 1) {
    ++counters_.dropped_unexpected;
    m.clear();
  } else if (status == send_status::queued) {
    m.pop_front();
    queue(*p, std::move(m));
  } else if (options_.mandatory || (status == send_status::full && then == if_full::report)) {
    return status;
  } else {
    count_drop(p != nullptr ? p->id : peer_id{}, status);
    m.clear();
  }
  return send_status::queued;
}

}  // namespace zmtp
