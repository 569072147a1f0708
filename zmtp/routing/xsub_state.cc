#include "zmtp/routing/xsub_state.h"

#include "zmtp/command.h"

#include <variant>

namespace zmtp {

send_status xsub_state::send(message&& m, if_full then) {
  const auto parsed = m.part_count() == 1 ? command::parse_subscription(m.front())
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
  if (!room && then == if_full::say_so) {
    return send_status::full;
  }
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
