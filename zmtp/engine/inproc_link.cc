#include "zmtp/engine/inproc_link.h"

#include "zmtp/frame.h"

#include <boost/asio/prefer.hpp>

#include <utility>

namespace zmtp {

inproc_link::inproc_link(std::shared_ptr<socket_core> core, std::shared_ptr<inproc_channel> channel,
                         inproc_channel::end own, std::optional<peer_id> pipe)
    : peer_link{std::move(core), pipe},
      channel_{std::move(channel)},
      own_{own},
      where_{std::make_shared<remote_executor>(core_->executor())},
      work_{asio::prefer(core_->executor(), asio::execution::outstanding_work.tracked)} {}

void inproc_link::start() {
  or_end([this] {
    report_start();
    finishing_ = core_->ending().finishing();
    channel_->join(own_, core_->executor(), where_, std::weak_ptr<inproc_link>{self()});
    if (own_ == inproc_channel::end::connecting) {
      say_hello();
    }
    read();
  });
}

// The properties before the peer has sent its own.
peer_info inproc_link::known_peer() {
  return {.type = {},
          .routing_id = {},
          .address = came_by()->inproc()->name,
          .properties = {},
          .process = {}};
}

void inproc_link::say_hello() {
  const auto& state = core_->state();
  channel_->say_hello(own_,
                      {.type = state.type(),
                       .routing_id = state.options().routing_id,
                       .address = came_by()->inproc()->name,
                       .properties = own_properties(state),
                       .process = {}},
                      state.greetings());
}

void inproc_link::on_mail() {
  if (ended_) {
    return;
  }
  const auto keep = self();
  core_->turn([this] {
    or_end([this] {
      if (all_taken()) {
        read();
      } else {
        channel_->hear(own_);
      }
      if (auto* p = own_pipe(); p != nullptr && waits_for_room_) {
        core_->state().touch(*p);
      }
    });
  });
  settle();
}

// Call at the end of a turn. The remaining messages must not hold more memory than they need.
void inproc_link::settle() {
  if (auto* p = own_pipe(); p != nullptr && !ended_) {
    p->in.compact();
    core_->schedule();
  }
}

// Earlier data has been delivered.
void inproc_link::read() {
  mail_.messages.clear();
  delivered_ = 0;
  channel_->collect(own_, mail_);
  if (mail_.hello && !meet(std::move(*mail_.hello))) {
    return;
  }
  deliver();
}

// Returns false if the sockets are not compatible or the peer is rejected.
bool inproc_link::meet(peer_info who) {
  auto& state = core_->state();
  auto refused = who.type && !compatible(state.type(), *who.type)
                     ? make_error_code(errc::bad_socket_type)
                     : decide_admission(who);
  auto* const p = refused ? nullptr : attach(std::move(who));
  if (p == nullptr) {
    end(refused ? refused : make_error_code(errc::socket_closed));
    return false;
  }
  met_ = true;
  near_ = channel_->near();
  core_->links().count_in_process(1);
  if (own_ == inproc_channel::end::binding) {
    say_hello();
  }
  for (const auto topic : state.topics()) {
    tell(true, topic);
  }
  for (auto& m : mail_.greetings) {
    p->in.push(std::move(m));
  }
  // Flush the messages that were sent before.
  state.touch(*p);
  if (finishing_) {
    finish();
  }
  return !ended_;
}

// Delivers up to the mark. The rest counts for the mark of the sender.
void inproc_link::deliver() {
  auto* const p = own_pipe();
  if (p == nullptr) {
    mail_.subscriptions.clear();
  } else if (met_ && !ended_) {
    take_subscriptions(*p);
    take_messages(*p);
  }
  if (mail_.over && all_taken()) {
    end(errc::connection_lost);
  }
}

// XPUB puts subscriptions into the queue of its user.
void inproc_link::take_subscriptions(pipe& p) {
  for (auto& changes = mail_.subscriptions; !changes.empty() && !p.in.full(); changes.pop()) {
    const auto& [subscribe, topic] = changes.front();
    if (subscribe && topic.size() > core_->options().limit.topic_size) {
      core_->state().on_refused_subscriptions(1);
    } else {
      core_->state().on_subscription(p, subscribe, topic);
    }
  }
}

void inproc_link::take_messages(pipe& p) {
  inproc_channel::room taken;
  try {
    take_entries(p, taken);
  } catch (const std::bad_alloc&) {
    // The link ends. The user still receives the messages before.
    core_->state().on_received(p);
    throw;
  }
  p.blocked = !all_taken();
  p.rest = delivered_ < mail_.messages.size() ? unread::messages : unread::nothing;
  core_->state().on_received(p);
  if (taken.messages != 0) {
    core_->state().count_read(counters(), taken.bytes);
    channel_->take_room(own_, taken);
  }
}

void inproc_link::take_entries(pipe& p, inproc_channel::room& taken) {
  auto& entries = mail_.messages;
  while (delivered_ < entries.size() && !p.in.full()) {
    if (auto* m = std::get_if<message>(&entries[delivered_])) {
      ++taken.messages;
      taken.bytes += m->framed_size();
      p.in.push(std::move(*m));
      ++delivered_;
      continue;
    }
    auto& run = *std::get_if<message_run>(&entries[delivered_]);
    const auto room = p.in.room();
    const bool all = run.messages <= room.messages && run.size <= room.bytes;
    const auto part = all ? frame::cut{.bytes = run.size, .messages = run.messages}
                          : frame::first_messages(run.data, run.size, room);
    p.in.push(first_of(run, part));
    run.drop_front(part);
    taken.messages += part.messages;
    taken.bytes += part.bytes;
    if (run.messages == 0) {
      entries[delivered_++] = {};
    }
  }
}

bool inproc_link::flush() {
  const auto keep = read_before_writing();
  auto* const p = own_pipe();
  if (p == nullptr || ended_ || !met_) {
    return true;
  }
  core_->state().count_written(counters(), p->out.bytes() - away_.bytes);
  p->out.hand_over(leaving_);
  inproc_channel::room replaced;
  auto room = channel_->send(own_, leaving_, core_->options().conflate ? &replaced : nullptr);
  p->out.release(room.messages + replaced.messages, room.bytes + replaced.bytes);
  core_->state().on_conflated(replaced.messages);
  waits_for_room_ = false;
  // While memory is short, learn soon which messages were taken, because other sockets wait for
  // their memory.
  const bool scarce = core_->state().account().quota() != memory_account::unlimited;
  while (!waits_for_room_ && (p->out.full() || (scarce && p->out.messages() != 0))) {
    room = channel_->wait_for_room(own_);
    p->out.release(room.messages, room.bytes);
    waits_for_room_ = room.messages == 0;
  }
  away_ = {p->out.messages(), p->out.bytes()};
  core_->state().on_written(*p);
  // An XPUB may send more now, because its queue has space.
  return p->out.empty();
}

// Returns an owner of this link for the caller, because reading may end the link.
std::shared_ptr<inproc_link> inproc_link::read_before_writing() {
  const auto* const p = own_pipe();
  if (!core_->state().reads_before_writing() || p == nullptr || p->out.empty() || ended_ || !met_ ||
      !all_taken()) {
    return nullptr;
  }
  auto keep = self();
  or_end([this] {
    read();
    settle();
  });
  return keep;
}

void inproc_link::hand_over() {
  if (!near_) {
    (void)flush();
  }
}

void inproc_link::tell(bool subscribe, std::string_view topic) {
  if (!ended_) {
    channel_->tell(own_, subscribe, topic);
  }
}

void inproc_link::resume() {
  const auto keep = self();
  or_end([this] {
    deliver();
    if (!ended_ && all_taken()) {
      read();
    }
    settle();
  });
}

void inproc_link::close(error_code reason) {
  const auto keep = self();
  end(reason);
}

void inproc_link::finish() {
  finishing_ = true;
  const auto keep = self();
  if (met_) {
    (void)flush();
    end(errc::socket_closed);
  } else if (own_pipe() == nullptr || own_pipe()->out.empty()) {
    end(errc::socket_closed);
  }
}

void inproc_link::end(error_code reason) {
  if (ended_) {
    return;
  }
  ended_ = true;
  const auto keep = self();
  report_end(reason);
  // Messages that the peer has not taken are lost with the connection, and no longer count.
  if (auto* p = own_pipe(); p != nullptr) {
    p->out.release(away_.messages, away_.bytes);
  }
  abandon();
  core_->links().count_in_process(met_ ? -1 : 0);
  detach(reason);
}

void inproc_link::abandon() noexcept {
  ended_ = true;
  where_->close();
  channel_->leave(own_);
  work_ = {};
}

}  // namespace zmtp
