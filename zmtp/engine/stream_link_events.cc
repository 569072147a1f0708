// The part of stream_link that handles the events of its conversation.

#include "zmtp/engine/stream_link.h"

#include <string>
#include <utility>
#include <variant>

namespace zmtp {

void stream_link::process() {
  const auto refused_before = core_->state().counters().refused_subscriptions;
  while (!ended_) {
    auto* const p = own_pipe();
    conversation_.receive_into(p != nullptr ? p->in : core_->no_queues().in);
    if (p != nullptr) {
      p->blocked = conversation_.blocked();
      p->rest = p->blocked                      ? unread::messages
                : conversation_.message_begun() ? unread::beginning
                                                : unread::nothing;
      core_->state().on_received(*p);
    }
    auto event = conversation_.next_event();
    if (!event) {
      break;
    }
    on_event(std::move(*event));
  }
  const auto refused = conversation_.refused_subscriptions();
  core_->state().on_refused_subscriptions(refused - std::exchange(refused_, refused));
  if (ended_) {
    return;
  }
  if (core_->state().counters().refused_subscriptions != refused_before) {
    report(monitor_event::kind::subscription_refused, errc::too_many_subscriptions);
  }
  if (conversation_.has_output(out())) {
    write_soon();
  }
  arm_deadline();
}

void stream_link::on_event(conversation::event&& event) {
  struct {
    stream_link& self;
    void operator()(const conversation::authentication_requested&) const {
      self.on_authentication();
    }
    void operator()(const conversation::admission_requested&) const { self.on_admission(); }
    void operator()(const conversation::ready&) const { self.on_ready(); }
    void operator()(const conversation::subscription& s) const {
      if (auto* p = self.own_pipe()) {
        self.core_->state().on_subscription(*p, s.subscribe, s.topic);
      }
    }
    void operator()(const conversation::not_reading&) const {
      if (auto* p = self.own_pipe()) {
        self.core_->state().on_not_reading(*p);
        self.report(monitor_event::kind::not_reading);
      }
    }
    void operator()(const conversation::closed& c) const {
      self.write();
      self.end(c.reason);
    }
  } act{*this};
  std::visit(act, event);
}

void stream_link::on_authentication() {
  if (authenticator_ == nullptr) {
    conversation_.authenticated();
    return;
  }
  auto who = known_peer();
  admission_ = std::make_unique<admission>(core_->executor());
  admission_->ask(authenticator_, std::move(who), conversation_.shown(),
                  [link = std::weak_ptr{self()}](authenticator::verdict answer) {
                    if (const auto self = link.lock(); self && !self->ended_) {
                      self->on_verdict(std::move(answer));
                    }
                  });
}

void stream_link::on_verdict(authenticator::verdict&& answer) {
  or_end([&] {
    core_->turn([&] {
      if (const auto* refused = admission_->record(std::move(answer))) {
        conversation_.refuse(errc::not_admitted, refused->status);
      } else {
        conversation_.authenticated();
      }
      process();
    });
  });
  or_end([this] { settle(); });
}

void stream_link::on_admission() {
  if (const auto refused = decide_admission(known_peer())) {
    conversation_.refuse(refused);
  } else {
    conversation_.admit();
  }
}

void stream_link::on_ready() {
  if (attach(known_peer()) == nullptr) {
    conversation_.close(errc::socket_closed);
    return;
  }
  conversation_.forget_handshake();
  admission_.reset();
  authenticator_.reset();
  for (const auto& m : core_->state().greetings()) {
    conversation_.greet(m);
  }
  for (const auto topic : core_->state().topics()) {
    conversation_.subscribe(topic);
  }
}

}  // namespace zmtp
