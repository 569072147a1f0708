#include "zmtp/conversation/conversation.h"

#include <algorithm>
#include <utility>

namespace zmtp {

namespace {

// Peers may send these also between the parts of a message.
bool may_interrupt(const command::traffic& c) noexcept {
  return !std::holds_alternative<command::error>(c) && !std::holds_alternative<command::unknown>(c);
}

// Messages in one run. A batch takes whole runs.
constexpr std::size_t longest_run = 1024;

bool publishes(socket_type type) noexcept {
  return type == socket_type::pub || type == socket_type::xpub;
}

}  // namespace

conversation::conversation(socket_type own_type, std::unique_ptr<mechanism> security,
                           const limits& limit, const heartbeat_options& beat, time_point now)
    : limit_{&limit},
      beat_{&beat},
      own_type_{own_type},
      reader_{limit},
      handshake_{own_type, std::move(security), now + limit.handshake_time, control_.bytes()},
      heartbeat_{beat, limit},
      now_{now} {}

void conversation::receive_into(receive_queue& queue) {
  blocked_ = false;
  while (!event_ && !over() && !deciding()) {
    const bool greets = !traffic() && handshake_.at() == handshake::stage::greeting;
    if (!(greets ? read_greeting() : read_frame(queue))) {
      return;
    }
  }
}

bool conversation::read_greeting() {
  const auto size = handshake_.on_greeting(reader_.undecoded(), control_.bytes());
  if (!size) {
    close(size.error());
    return false;
  }
  reader_.skip(*size);
  return *size != 0;
}

bool conversation::read_frame(receive_queue& queue) {
  if (traffic() && queue.full()) {
    blocked_ = !reader_.empty();
    return false;
  }
  // Before admission, reject a message immediately. Its end would be rejected anyway.
  if (!traffic() && reader_.message_begun()) {
    close(errc::unexpected_command);
    return false;
  }
  switch (reader_.look(most_messages(queue))) {
    case decoder::found::more: return false;
    case decoder::found::message: take_messages(queue); return true;
    case decoder::found::command: take_command(); return true;
    case decoder::found::fault: close(reader_.fault()); return false;
  }
  return false;
}

// A publisher must look at each message, because it may be a subscription.
frame::cut conversation::most_messages(const receive_queue& queue) const noexcept {
  auto most = traffic() ? queue.room() : frame::cut{.bytes = 1, .messages = 1};
  most.messages = std::min(most.messages, publishes(own_type_) ? 1 : longest_run);
  return most;
}

void conversation::take_messages(receive_queue& queue) {
  auto run = reader_.take_messages();
  if (publishes(own_type_) && !frame::has(*run.data, frame::more)) {
    const message m{run.memory, {run.data, run.size}, 1};
    const auto parsed = command::parse_subscription(m.front());
    if (const auto* s = std::get_if<command::subscription>(&parsed)) {
      reader_.count_command();
      on_subscription(s->subscribe, s->topic);
      return;
    }
  }
  queue.push(std::move(run));
}

void conversation::take_command() {
  const auto body = reader_.take_command();
  if (!traffic()) {
    on_stage(handshake_.on_command(body, control_.bytes()));
    return;
  }
  reader_.count_command();
  const auto parsed = command::parse_traffic(body, *limit_);
  if (parsed) {
    on_command(*parsed);
  } else if (parsed.error() == errc::topic_too_long) {
    refused_subscriptions_ += publishes(own_type_) ? 1U : 0U;
  } else {
    close(parsed.error());
  }
}

void conversation::on_stage(result<handshake::stage> reached) {
  if (!reached) {
    close(reached.error());
    return;
  }
  switch (*reached) {
    case handshake::stage::greeting:
    case handshake::stage::commands: return;
    case handshake::stage::authentication: event_ = authentication_requested{}; return;
    case handshake::stage::admission: event_ = admission_requested{}; return;
    case handshake::stage::done:
      start_framing();
      state_ = state::traffic;
      reader_.start_traffic(framed_ ? &framed_->form() : nullptr);
      heartbeat_.start(now_, handshake_.peer_minor() >= 1);
      event_ = ready{};
      return;
  }
}

// The rest of the handshake precedes the first frame of the framing.
void conversation::start_framing() {
  if (auto form = handshake_.take_framing()) {
    framed_ = std::make_unique<framed_output>(std::move(form), control_.front());
    control_.drop_pending();
  }
}

void conversation::authenticated() {
  if (!over() && handshake_.at() == handshake::stage::authentication) {
    on_stage(handshake_.authenticated(control_.bytes()));
  }
}

void conversation::admit() {
  if (!over() && handshake_.at() == handshake::stage::admission) {
    on_stage(handshake_.admit(control_.bytes()));
  }
}

void conversation::refuse(error_code reason, std::string_view status) {
  if (over()) {
    return;
  }
  if (status.empty()) {
    close(reason);
    return;
  }
  handshake_.refuse(status, control_.bytes());
  end(reason);
}

void conversation::close(error_code reason) noexcept {
  if (!over()) {
    control_.drop_pending();
    if (framed_) {
      framed_->drop();
    }
    end(reason);
  }
}

void conversation::end(error_code reason) noexcept {
  state_ = state::over;
  event_ = closed{reason};
  control_.drop_due();
  not_reading_ = false;
  heartbeat_.stop();
}

std::optional<conversation::event> conversation::next_event() noexcept {
  if (!event_ && std::exchange(not_reading_, false)) {
    return not_reading{};
  }
  return std::exchange(event_, std::nullopt);
}

void conversation::on_command(const command::traffic& c) {
  if (reader_.in_message() && !may_interrupt(c)) {
    close(errc::command_in_message);
    return;
  }
  struct {
    conversation& self;
    void operator()(const command::subscribe& s) const { self.on_subscription(true, s.topic); }
    void operator()(const command::cancel& s) const { self.on_subscription(false, s.topic); }
    void operator()(const command::ping& p) const {
      if (const auto context = self.heartbeat_.on_ping(self.now_, p)) {
        self.control_.pong(*context);
      } else {
        self.close(context.error());
      }
    }
    void operator()(const command::pong&) const {}  // only the arrival of bytes matters
    void operator()(const command::error& e) const {
      self.peer_error_ = e.reason;
      self.close(errc::refused_by_peer);
    }
    void operator()(const command::unknown&) const {}
  } act{*this};
  std::visit(act, c);
}

void conversation::on_subscription(bool subscribe, std::string_view topic) {
  if (!publishes(own_type_)) {
    return;
  }
  if (topic.size() > limit_->topic_size) {
    ++refused_subscriptions_;
  } else {
    event_ = subscription{subscribe, std::string{topic}};
  }
}

void conversation::probe(time_point now, const acknowledgement& acknowledged) {
  if (traffic()) {
    act(heartbeat_.probe(now, acknowledged));
  }
}

void conversation::act(heartbeat::action action) {
  switch (action) {
    case heartbeat::action::none: return;
    case heartbeat::action::ping: control_.ping(); return;
    case heartbeat::action::not_reading: not_reading_ = true; return;
    case heartbeat::action::dead: close(errc::probe_unanswered); return;
    case heartbeat::action::timed_out: close(errc::heartbeat_timeout); return;
    case heartbeat::action::expired: close(errc::ttl_expired); return;
  }
}

std::size_t conversation::output(std::span<piece> to, send_queue& queue) {
  control_.fill(static_cast<std::uint16_t>(beat_->ttl.count()), handshake_.peer_minor());
  if (framed_) {
    if (traffic()) {
      framed_->fill(control_, queue);
    }
    to[0] = framed_->front();
    return framed_->pending() ? 1 : 0;
  }
  std::size_t pieces = 0;
  if (control_.pending()) {
    if (!control_goes_first(queue)) {
      return queue.gather_begun(to);
    }
    to[pieces++] = control_.front();
  }
  // Messages that were sent after a change follow it.
  if (traffic() && !queue.empty() && !control_.changes_due()) {
    pieces += queue.gather(to.subspan(pieces));
  }
  return pieces;
}

void conversation::advance(std::size_t count, send_queue& queue) noexcept {
  if (framed_) {
    framed_->advance(count, queue);
    return;
  }
  queue.advance(control_goes_first(queue) ? control_.advance(count) : count);
}

std::optional<conversation::time_point> conversation::next_deadline() const noexcept {
  switch (state_) {
    case state::handshake: return handshake_.deadline();
    case state::traffic: return heartbeat_.next_deadline();
    case state::over: return std::nullopt;
  }
  return std::nullopt;
}

void conversation::on_deadline(time_point now, const acknowledgement& acknowledged) {
  const auto due = next_deadline();
  if (!due || now < *due) {
    return;
  }
  if (!traffic()) {
    close(errc::handshake_timeout);
    return;
  }
  if (blocked_) {
    heartbeat_.on_bytes(now);  // reading has paused on the local side
  }
  act(heartbeat_.on_deadline(now, acknowledged));
}

}  // namespace zmtp
