#include "test/mdp/simulation/broker_process.h"

#include "mdp/announcement.h"
#include "mdp/command.h"
#include "zmtp/routing/router_state.h"

#include <string>
#include <utility>
#include <variant>

namespace mdp::simulation {

namespace {

zmtp::socket_options router_options(std::uint64_t instance) {
  zmtp::socket_options options;
  options.send_mark.messages.reset();
  options.announce_peers = true;
  options.extensions = announce_broker(instance);
  return options;
}

// Returns the dialect of a message to a worker; nothing if the message is not for workers.
std::optional<dialect> worker_dialect_of(const zmtp::message& m) {
  if (m.front() == "MDPW02") {
    return dialect::v02;
  }
  if (m.size() > 1 && m.front().empty()) {
    if (m[1] == "MDPW01") {
      return dialect::v01;
    }
    if (m[1] == "MDPW02") {
      return dialect::v02_delimited;
    }
  }
  return std::nullopt;
}

}  // namespace

broker_process::life::life(broker_process& of, std::uint64_t instance)
    : state{of.options_, instance},
      router{&of.here().open(of.host(),
                             std::make_unique<zmtp::router_state>(router_options(instance)))},
      alarm{of.here(), of.host(), [&of] { of.on_time(); }} {}

void broker_process::begin() {
  life_.emplace(*this, here().random().next());
  life_->router->serve([this] { return receive(); });
  life_->router->bind(name());
}

void broker_process::end() {
  workers_expired_ += life_->state.status().counters.workers_expired;
  life_.reset();
}

std::uint64_t broker_process::stream_of(zmtp::peer_id peer) const {
  return here().books().stream_of(life_->router->number(), peer);
}

bool broker_process::receive() {
  const auto now = here().now();
  auto& state = life_->state;
  auto& router = life_->router->state();
  zmtp::routed_message item;
  bool did = false;
  while (router.receive(item)) {
    did = true;
    switch (item.what) {
      case zmtp::routed_message::kind::message:
        tell_books_of(item.peer, item.content);
        state.on_message(item.peer, std::move(item.content), now, life_->actions);
        break;
      case zmtp::routed_message::kind::attached: {
        static const zmtp::peer_info nobody;
        const auto* const p = router.find(item.peer);
        const auto& known = p != nullptr ? p->info : nobody;
        state.on_attached(item.peer, known.routing_id, known.properties, now, life_->actions);
        break;
      }
      case zmtp::routed_message::kind::detached:
        if (!faults_.forgets_detach) {
          state.on_detached(item.peer, now, life_->actions);
        }
        break;
    }
    carry_out();
  }
  if (did) {
    state.compact();
    life_->alarm.set(state.next_deadline());
  }
  return did;
}

void broker_process::on_time() {
  life_->router->turn([this] {
    auto& state = life_->state;
    const auto now = here().now();
    while (faults_.judges_before_it_hears && state.next_deadline().value_or(now) < now) {
      state.on_deadline(*state.next_deadline(), life_->actions);
    }
    state.on_deadline(now, life_->actions);
    carry_out();
    life_->alarm.set(state.next_deadline());
  });
}

void broker_process::carry_out() {
  auto& actions = life_->actions;
  if (actions.empty()) {
    return;
  }
  if (faults_.edit) {
    faults_.edit(actions);
  }
  tell_books_of_sends();
  auto& router = *life_->router;
  for (std::size_t i = 0; i < actions.sends.size(); ++i) {
    auto next = std::move(actions.sends[i]);
    const auto status = router.send(
        [&](zmtp::if_full) { return router.state().send(next.to, std::move(next.content)); });
    if (status != zmtp::send_status::queued) {
      life_->state.on_not_taken(next.to, std::move(next.content), here().now(), actions);
    }
  }
  for (const auto peer : actions.pause) {
    if (auto* p = router.state().find(peer)) {
      router.state().pause(*p);
    }
  }
  for (const auto peer : actions.resume) {
    if (auto* p = router.state().find(peer); p != nullptr && !faults_.forgets_to_resume) {
      router.state().resume(*p);
    }
  }
  for (const auto peer : actions.close) {
    router.disconnect(peer);
  }
  actions.clear();
}

void broker_process::tell_books_of(zmtp::peer_id from, const zmtp::message& said) {
  auto copy = said;
  const auto input = parse_for_broker(copy);
  if (!input || std::holds_alternative<client_request>(*input)) {
    return;
  }
  here().books().on_heard(stream_of(from));
  if (const auto* reply = std::get_if<worker_reply>(&*input); reply != nullptr && reply->final) {
    copy.pop_front();
    copy.pop_front();
    if (const auto pieces = pieces_of(copy); pieces && !pieces->empty()) {
      here().books().on_returned(pieces->front().call, stream_of(from));
    }
  }
  if (const auto* nack = std::get_if<worker_nack>(&*input)) {
    const auto given = life_->given.find({stream_of(from), std::string{nack->address}});
    if (given != life_->given.end()) {
      here().books().on_handed_back(given->second, stream_of(from));
    }
  }
  if (std::holds_alternative<worker_disconnect>(*input)) {
    here().books().on_graceful_close(stream_of(from));
  }
}

void broker_process::tell_books_of_sends() {
  auto& books = here().books();
  // A disconnected worker loses its requests before other workers get them.
  for (const auto peer : life_->actions.close) {
    books.on_graceful_close(stream_of(peer));
  }
  std::vector<std::pair<std::uint32_t, std::uint64_t>> given;
  for (const auto& [to, content] : life_->actions.sends) {
    const auto how = worker_dialect_of(content);
    auto copy = content;
    const auto said = how ? parse_for_worker(copy, *how) : parsed<worker_input>{errc::no_header};
    if (!said) {
      continue;
    }
    if (std::holds_alternative<broker_disconnect>(*said)) {
      books.on_graceful_close(stream_of(to));
    } else if (const auto* asked = std::get_if<broker_request>(&*said)) {
      if (const auto call = call_of(copy, 2)) {
        given.emplace_back(*call, stream_of(to));
        life_->given.insert_or_assign({stream_of(to), std::string{asked->address}}, *call);
      }
    }
  }
  for (const auto& [call, stream] : given) {
    books.on_given(call, stream);
  }
}

void broker_process::check_rest() {
  auto& books = here().books();
  auto s = status();
  if (faults_.edit_status) {
    faults_.edit_status(s);
  }
  const auto& c = s.counters;
  const auto ends = c.replies + c.expired + c.exhausted + c.cut_short + c.abandoned + c.oversized +
                    c.declined + c.failed + c.stopped;
  if (c.requests != ends) {
    books.report(violation::miscounted, "of " + std::to_string(c.requests) + " requests of " +
                                            name() + " " + std::to_string(ends) + " have ended");
  }
  if (s.waiting != 0 || s.working != 0) {
    books.report(violation::lost, name() + " has " + std::to_string(s.waiting) +
                                      " requests that wait and " + std::to_string(s.working) +
                                      " in workers' hands");
  }
  if (s.peers != attached()) {
    books.report(violation::leaked, name() + " knows " + std::to_string(s.peers) + " peers of " +
                                        std::to_string(attached()));
  }
}

}  // namespace mdp::simulation
