#include "zmtp/conversation/connection.h"

#include "zmtp/buffer/block.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace zmtp {

namespace {

// Each command costs as much as a message of many bytes. After a peer has sent more than this in
// one read, its reads become short, so that others on the executor do not wait.
constexpr unsigned many_commands = 32;
constexpr std::size_t short_read = 1024;
// Upper limit of one read beyond the frame in progress. It limits the work per read.
constexpr std::size_t usual_read = block_size::reading;
// Bytes of subscription changes in one write. The last command may exceed them.
constexpr std::size_t control_size = block_size::large;
// Bytes of the longer of both names, with its length.
constexpr std::size_t subscribe_name_size = 1 + std::string_view{"SUBSCRIBE"}.size();

std::string_view view(std::span<const std::byte> bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Peers may send these also between the parts of a message.
bool may_interrupt(const command::traffic& c) noexcept {
  return !std::holds_alternative<command::error>(c) && !std::holds_alternative<command::unknown>(c);
}

bool publishes(socket_type type) noexcept {
  return type == socket_type::pub || type == socket_type::xpub;
}

}  // namespace

connection::connection(socket_type own_type, std::unique_ptr<mechanism> handshake,
                       const limits& limit, const heartbeat_options& beat, time_point now)
    : limit_{&limit},
      beat_{&beat},
      own_type_{own_type},
      mechanism_{std::move(handshake)},
      decoder_{limit},
      longest_read_{usual_read},
      handshake_deadline_{now + limit.handshake_time},
      heartbeat_{beat},
      now_{now} {
  // Send the whole greeting at once. A peer that would downgrade is rejected anyway.
  control_ = view(greeting::encode(mechanism_->name(), mechanism_->as_server()));
}

std::span<std::byte> connection::prepare(std::size_t ahead) {
  if (!listening()) {
    return {};
  }
  const auto needed = in_one_piece();
  const auto to_come = needed - buffer_.undecoded().size();
  const auto to = buffer_.prepare(needed);
  if (std::exchange(commands_, 0) > many_commands) {
    longest_read_ = short_read;
  }
  // A peer that is not admitted yet must not fill a buffer.
  const auto most = traffic() ? std::max(std::min(ahead, longest_read_), to_come)
                              : limit_->handshake_command_size;
  return to.first(std::min(to.size(), most));
}

void connection::commit(std::size_t count, time_point now) noexcept {
  buffer_.commit(count);
  // Reads grow back to the usual size, unless many commands follow.
  longest_read_ = std::min(longest_read_ * 2, usual_read);
  now_ = now;
  heartbeat_.on_bytes(now);
}

void connection::receive_into(receive_queue& queue) {
  blocked_ = false;
  while (!event_ && !over() && !deciding()) {
    if (!(state_ == state::greeting ? read_greeting() : read_frame(queue))) {
      return;
    }
  }
}

void connection::drop_unread() noexcept {
  buffer_ = read_buffer{};
  decoder_.message_taken();
  blocked_ = false;
}

bool connection::read_greeting() {
  const auto bytes = buffer_.undecoded();
  const auto seen = bytes.first(std::min(bytes.size(), greeting::size));
  if (const auto fault = greeting::check(seen, mechanism_->name())) {
    close(fault);
    return false;
  }
  if (seen.size() < greeting::size) {
    return false;
  }
  peer_minor_ = greeting::peer_version(seen).minor;
  buffer_.skip(greeting::size);
  state_ = state::handshake;
  mechanism_->start(control_);
  return true;
}

bool connection::read_frame(receive_queue& queue) {
  if (traffic() && queue.full()) {
    blocked_ = !buffer_.empty();
    return false;
  }
  // Before admission, reject a message immediately. Its end would be rejected anyway.
  const auto bytes = buffer_.undecoded();
  if (!traffic() && !bytes.empty() && !frame::has(bytes.front(), frame::command)) {
    close(errc::unexpected_command);
    return false;
  }
  switch (decoder_.look(bytes)) {
    case decoder::found::more: return false;
    case decoder::found::message: take_message(queue); return true;
    case decoder::found::command: take_command(); return true;
    case decoder::found::fault: close(decoder_.fault()); return false;
  }
  return false;
}

void connection::take_message(receive_queue& queue) {
  const auto run = buffer_.take(decoder_.size());
  const auto parts = decoder_.parts();
  decoder_.message_taken();
  if (publishes(own_type_) && parts == 1) {
    const message m{buffer_.memory(), run, parts};
    const auto parsed = command::parse_subscription(m.front());
    if (const auto* s = std::get_if<command::subscription>(&parsed)) {
      ++commands_;
      on_subscription(s->subscribe, s->topic);
      return;
    }
  }
  queue.emplace(buffer_.memory(), run, parts);
}

void connection::take_command() {
  buffer_.set_aside(decoder_.size());
  const auto whole = buffer_.undecoded().first(decoder_.command_size());
  const auto body = view(whole.subspan(frame::header_size(whole[0])));
  buffer_.skip(whole.size());
  decoder_.command_taken();
  if (traffic()) {
    ++commands_;
    on_traffic_command(body);
  } else {
    on_handshake_command(body);
  }
}

void connection::on_handshake_command(std::string_view body) {
  if (const auto progress = mechanism_->on_command(body, control_)) {
    on_progress(*progress);
  } else {
    close(progress.error());
  }
}

void connection::on_progress(mechanism::progress progress) {
  switch (progress) {
    case mechanism::progress::more: state_ = state::handshake; return;
    case mechanism::progress::authentication:
    case mechanism::progress::admission:
      if (const auto fault = judge_peer()) {
        close(fault);
      } else if (progress == mechanism::progress::authentication) {
        state_ = state::authentication;
        event_ = authentication_requested{};
      } else {
        state_ = state::admission;
        event_ = admission_requested{};
      }
      return;
    case mechanism::progress::done:
      state_ = state::traffic;
      decoder_.handshake_done();
      heartbeat_.start(now_, peer_minor_ >= 1);
      event_ = ready{};
      return;
  }
}

error_code connection::judge_peer() {
  // A missing Socket-Type is accepted, as in libzmq.
  if (const auto* name = peer_metadata().find("Socket-Type")) {
    peer_type_ = parse_socket_type(*name);
    if (!peer_type_ || !compatible(own_type_, *peer_type_)) {
      return errc::bad_socket_type;
    }
  }
  return peer_routing_id().size() > 255 ? make_error_code(errc::routing_id_too_long) : error_code{};
}

std::string_view connection::peer_routing_id() const noexcept {
  const auto* id = peer_metadata().find("Identity");
  return id != nullptr ? std::string_view{*id} : std::string_view{};
}

void connection::authenticated() {
  if (state_ == state::authentication) {
    on_progress(mechanism_->authenticated(control_));
  }
}

void connection::admit() {
  if (state_ == state::admission) {
    on_progress(mechanism_->admit(control_));
  }
}

void connection::refuse(error_code reason, std::string_view status) {
  if (over()) {
    return;
  }
  if (status.empty()) {
    close(reason);
    return;
  }
  mechanism_->refuse(status, control_);
  end(reason);
}

void connection::close(error_code reason) noexcept {
  if (!over()) {
    clear_control();
    end(reason);
  }
}

// Only when all bytes are written. The next commands are not encoded yet, and wait for the end of a
// message that has begun.
void connection::clear_control() noexcept {
  control_written_ = 0;
  if (control_.capacity() > block_size::small) {
    control_ = std::string{};
  } else {
    control_.clear();
  }
}

void connection::end(error_code reason) noexcept {
  state_ = state::over;
  event_ = closed{reason};
  pong_due_ = false;
  ping_due_ = false;
  changes_.clear();
  not_reading_ = false;
  heartbeat_.stop();
}

std::optional<connection::event> connection::next_event() noexcept {
  if (!event_ && std::exchange(not_reading_, false)) {
    return not_reading{};
  }
  return std::exchange(event_, std::nullopt);
}

void connection::on_traffic_command(std::string_view body) {
  const auto parsed = command::parse_traffic(body, *limit_);
  if (!parsed) {
    if (parsed.error() == errc::topic_too_long) {
      refused_subscriptions_ += publishes(own_type_) ? 1U : 0U;
    } else {
      close(parsed.error());
    }
    return;
  }
  if (decoder_.parts() != 0 && !may_interrupt(*parsed)) {
    close(errc::command_in_message);
    return;
  }
  struct {
    connection& self;
    void operator()(const command::subscribe& c) const { self.on_subscription(true, c.topic); }
    void operator()(const command::cancel& c) const { self.on_subscription(false, c.topic); }
    void operator()(const command::ping& c) const { self.on_ping(c); }
    void operator()(const command::pong&) const {}  // only the arrival of bytes matters
    void operator()(const command::error& c) const {
      self.peer_error_ = c.reason;
      self.close(errc::refused_by_peer);
    }
    void operator()(const command::unknown&) const {}
  } act{*this};
  std::visit(act, *parsed);
}

void connection::on_subscription(bool subscribe, std::string_view topic) {
  if (!publishes(own_type_)) {
    return;
  }
  if (topic.size() > limit_->topic_size) {
    ++refused_subscriptions_;
  } else {
    event_ = subscription{subscribe, std::string{topic}};
  }
}

void connection::on_ping(const command::ping& ping) {
  if (now_ - ping_second_ >= std::chrono::seconds{1}) {
    ping_second_ = now_;
    pings_ = 0;
  }
  if (++pings_ > limit_->pings_per_second) {
    close(errc::ping_flood);
    return;
  }
  pong_due_ = true;
  // libzmq also truncates a longer context.
  pong_context_ = ping.context.substr(0, limit_->ping_context_size);
  heartbeat_.on_ping(heartbeat_options::deciseconds{ping.ttl});
}

void connection::greet(const message& m) {
  control_.append(view(m.head()));
  control_.append(view(m.tail()));
}

void connection::probe(time_point now, const acknowledgement& acknowledged) {
  if (traffic()) {
    act(heartbeat_.probe(now, acknowledged));
  }
}

void connection::act(heartbeat::action action) {
  switch (action) {
    case heartbeat::action::none: return;
    case heartbeat::action::ping: ping_due_ = true; return;
    case heartbeat::action::not_reading: not_reading_ = true; return;
    case heartbeat::action::dead: close(errc::probe_unanswered); return;
    case heartbeat::action::timed_out: close(errc::heartbeat_timeout); return;
    case heartbeat::action::expired: close(errc::ttl_expired); return;
  }
}

// Encodes pending commands. All earlier bytes have been written.
void connection::fill_control() {
  if (std::exchange(pong_due_, false)) {
    command::put_pong(control_, pong_context_);
  }
  if (std::exchange(ping_due_, false)) {
    command::put_ping(control_, static_cast<std::uint16_t>(beat_->ttl.count()), {});
  }
  for (; !changes_.empty() && control_.size() < control_size; changes_.pop()) {
    const auto& [subscribe, topic] = changes_.front();
    // If there is no memory, nothing of the command has been appended.
    control_.reserve(control_.size() + frame::max_header_size + subscribe_name_size + topic.size());
    subscribe ? command::put_subscribe(control_, topic, peer_minor_)
              : command::put_cancel(control_, topic, peer_minor_);
  }
}

std::size_t connection::output(std::span<piece> to, send_queue& queue) {
  if (!control_pending()) {
    fill_control();
  }
  std::size_t pieces = 0;
  if (control_pending()) {
    if (!control_goes_first(queue)) {
      return queue.gather_begun(to);
    }
    to[pieces++] = std::as_bytes(std::span{control_}).subspan(control_written_);
  }
  // Messages that were sent after a change follow it.
  if (traffic() && !queue.empty() && changes_.empty()) {
    pieces += queue.gather(to.subspan(pieces));
  }
  return pieces;
}

void connection::advance(std::size_t count, send_queue& queue) noexcept {
  if (control_goes_first(queue)) {
    const auto own = std::min(count, control_.size() - control_written_);
    control_written_ += own;
    count -= own;
    if (!control_pending()) {
      clear_control();
    }
  }
  queue.advance(count);
}

std::optional<connection::time_point> connection::next_deadline() const noexcept {
  switch (state_) {
    case state::greeting:
    case state::handshake:
    case state::authentication:
    case state::admission: return handshake_deadline_;
    case state::traffic: return heartbeat_.next_deadline();
    case state::over: return std::nullopt;
  }
  return std::nullopt;
}

void connection::on_deadline(time_point now, const acknowledgement& acknowledged) {
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
