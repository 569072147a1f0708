#include "zmtp/routing/subscriber_state.h"

#include "zmtp/command.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace zmtp {

bool subscriber_state::subscribe(std::string_view topic) {
  if (const auto known = actions_.find(topic); known != actions_.end()) {
    ++known->second.count;
    return false;
  }
  actions_.emplace(std::string{topic}, action{.count = 1, .number = ++last_number_});
  tell(true, topic);
  return true;
}

bool subscriber_state::unsubscribe(std::string_view topic) {
  const auto known = actions_.find(topic);
  if (known == actions_.end() || --known->second.count != 0) {
    return false;
  }
  tell(false, topic);
  actions_.erase(known);
  return true;
}

// A peer that attaches later receives topics().
void subscriber_state::tell(bool subscribe, std::string_view topic) {
  bool any = false;
  for_each_pipe([&](pipe& p) {
    if (p.attached) {
      touch(p);
      any = true;
    }
  });
  if (any) {
    unsent_subscriptions_.add(subscribe, topic);
  }
}

std::vector<std::string_view> subscriber_state::topics() const {
  std::vector<std::pair<std::uint64_t, std::string_view>> in_order;
  in_order.reserve(actions_.size());
  for (const auto& [topic, what] : actions_) {
    in_order.emplace_back(what.number, topic);
  }
  std::sort(in_order.begin(), in_order.end());
  std::vector<std::string_view> all;
  all.reserve(in_order.size());
  for (const auto& [number, topic] : in_order) {
    all.push_back(topic);
  }
  return all;
}

namespace {

// In this index, the only peer is the socket itself.
constexpr subscription_index::slot self = 0;

}  // namespace

bool sub_state::subscribe(std::string_view topic) {
  const auto first = subscriber_state::subscribe(topic);
  if (first) {
    wanted_.subscribe(self, topic);
  }
  return first;
}

bool sub_state::unsubscribe(std::string_view topic) {
  const auto last = subscriber_state::unsubscribe(topic);
  if (last) {
    wanted_.cancel(self, topic);
  }
  return last;
}

bool sub_state::receive(message& to) {
  while (socket_state::receive(to)) {
    if (wanted(to)) {
      return true;
    }
    drop_received();
  }
  return false;
}

bool sub_state::receive(routed_message& to) {
  while (socket_state::receive(to)) {
    if (to.what != routed_message::kind::message || wanted(to.content)) {
      return true;
    }
    drop_received();
  }
  return false;
}

// Adds the messages between two unwanted ones as one run.
void sub_state::sift(message_batch::item&& received, message_batch& to) {
  if (wanted_.matches_all()) {
    to.push_back(std::move(received));
    return;
  }
  auto* const run = std::get_if<message_run>(&received.content);
  if (run == nullptr) {
    if (wanted(*std::get_if<message>(&received.content))) {
      to.push_back(std::move(received));
    } else {
      drop_received();
    }
    return;
  }
  frame::cut first;
  while (first.messages < run->messages) {
    const auto* const at = run->data + first.bytes;
    const auto bytes = frame::message_at(at).bytes;
    if (wanted_.matches(frame::first_part(at))) {
      first.bytes += bytes;
      ++first.messages;
      continue;
    }
    drop_received();
    if (first.messages != 0) {
      to.push_back({.content = first_of(*run, first), .peer = received.peer});
    }
    first.bytes += bytes;
    ++first.messages;
    run->drop_front(first);
    first = {};
  }
  if (run->messages != 0) {
    to.push_back(std::move(received));
  }
}

send_status xsub_state::send(message&& m, if_full then) {
  const auto parsed = m.size() == 1 ? command::parse_subscription(m.front())
                                    : decltype(command::parse_subscription({})){};
  const auto* const s = std::get_if<command::subscription>(&parsed);
  if (s == nullptr) {
    return send_to_all(std::move(m), then);
  }
  if (s->topic.size() > options_.limit.topic_size) {
    return send_status::too_long;
  }
  if (s->subscribe) {
    subscribe(s->topic);
  } else {
    unsubscribe(s->topic);
  }
  m.clear();
  return send_status::queued;
}

send_status xsub_state::send_to_all(message&& m, if_full then) {
  bool room = true;
  for_each_pipe([&](const pipe& p) { room = room && (takes(p) || !reachable(p)); });
  if (!room && then == if_full::report) {
    return send_status::full;
  }
  for_each_pipe([&](pipe& p) {
    if (takes(p)) {
      prepare_queueing(p);
    }
  });
  for_each_pipe([&](pipe& p) {
    if (takes(p)) {
      queue(p, message{m});
    } else if (reachable(p)) {
      drop_full(p);
    }
  });
  m.clear();
  return send_status::queued;
}

}  // namespace zmtp
