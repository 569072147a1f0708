#include "test/simulation/ledger.h"

#include "test/simulation/sim_socket.h"

#include <algorithm>

namespace zmtp::simulation {

namespace {

// More findings give no more information.
constexpr std::size_t most_findings = 20;

violation violation_of(unwrapped::state found) noexcept {
  return found == unwrapped::state::cut_short ? violation::partial : violation::spliced;
}

std::string number(std::size_t n) { return std::to_string(n); }

}  // namespace

std::string ledger::name(const parcel& p) {
  return "parcel " + number(p.sequence) + " of socket " + number(p.sender);
}

void ledger::report(violation what, std::string text) {
  if (findings_.size() < most_findings) {
    findings_.push_back({what, std::move(text)});
  }
}

ledger::lane& ledger::lane_of(std::uint64_t stream, end_of_stream writer) {
  const auto at = static_cast<std::size_t>(stream) * 2 + static_cast<std::size_t>(writer);
  if (at >= lanes_.size()) {
    lanes_.resize(at + 2);
  }
  return lanes_[at];
}

const ledger::entry* ledger::find(const parcel& p) const {
  const auto of = sent_.find(p.sender);
  return of != sent_.end() && p.sequence >= 1 && p.sequence <= of->second.size()
             ? &of->second[p.sequence - 1]
             : nullptr;
}

ledger::entry* ledger::find(const parcel& p) {
  return const_cast<entry*>(std::as_const(*this).find(p));
}

parcel ledger::next(std::uint32_t sender, std::uint32_t destination, std::uint32_t answers) {
  auto& of = sent_[sender];
  parcel p{.sender = sender,
           .sequence = static_cast<std::uint32_t>(of.size() + 1),
           .destination = destination,
           .answers = answers,
           .sum = 0,
           .size = 0};
  of.emplace_back().what = p;
  return p;
}

void ledger::queued(const parcel& p, std::string_view topic) {
  auto& e = *find(p);
  e.what = p;
  e.topic = topic;
  e.queued = true;
  e.expected = expect_all_ && !excuses_.contains(p.destination);
  largest_ = std::max(largest_, p.size + 512);
  if (const auto known = publications_.find(p.sender); known != publications_.end()) {
    known->second.on_published(p.sequence, topic);
  }
}

void ledger::on_link(const sim_socket& socket, std::uint64_t stream, end_of_stream e) {
  lane_of(stream, e).writer = socket.number();
  lane_of(stream, other(e)).reader = socket.number();
}

void ledger::on_connected(const sim_socket& socket, peer_id pipe) {
  if (const auto known = publications_.find(socket.number()); known != publications_.end()) {
    known->second.on_opened(pipe, true);
  }
}

void ledger::on_disconnected(const sim_socket& socket, peer_id pipe) {
  if (const auto known = publications_.find(socket.number()); known != publications_.end()) {
    known->second.on_closed(pipe);
  }
}

void ledger::on_decoded(const sim_socket&, std::uint64_t stream, end_of_stream e,
                        std::size_t messages) {
  lane_of(stream, other(e)).decoded += messages;
}

void ledger::on_attached(const sim_socket& socket, peer_id pipe, std::uint64_t stream,
                         end_of_stream e) {
  lane_of(stream, e).pipe = pipe;
  lane_of(stream, other(e)).reader_pipe = pipe;
  if (const auto known = publications_.find(socket.number()); known != publications_.end()) {
    known->second.on_opened(pipe, false);
  }
  announce(socket, pipe);
}

void ledger::on_detached(const sim_socket& socket, peer_id pipe) {
  if (const auto known = publications_.find(socket.number()); known != publications_.end()) {
    known->second.on_detached(pipe);
  }
  announce(socket, pipe);
}

void ledger::announce(const sim_socket& socket, peer_id pipe) {
  if (socket.state().options().announce_peers) {
    ++presences_[{socket.number(), pipe}].announcements;
  }
}

void ledger::on_subscription(const sim_socket& socket, peer_id pipe, bool subscribe,
                             std::string_view topic) {
  if (const auto known = publications_.find(socket.number()); known != publications_.end()) {
    known->second.on_subscription(pipe, subscribe, topic);
  }
}

void ledger::on_ended(const sim_socket&, std::uint64_t stream, end_of_stream e, error_code reason) {
  lane_of(stream, e).ended = true;
  auto& read = lane_of(stream, other(e));
  read.ended = true;
  // An end that closes the connection drops the bytes that it has not decoded. An end that finds
  // the connection closed has decoded everything.
  read.dropped_unread = reason != errc::connection_lost;
}

void ledger::on_written(std::uint64_t stream, end_of_stream from,
                        std::span<const std::byte> bytes) {
  bytes_written_ += bytes.size();
  auto& l = lane_of(stream, from);
  const auto at = static_cast<std::size_t>(&l - lanes_.data());
  l.tap.hear(bytes, [&](std::span<const std::string_view> parts, std::size_t end) {
    on_handed(at, parts, end);
  });
  if (l.tap.garbled()) {
    report(violation::spliced, "socket " + number(l.writer) + " writes what is no ZMTP");
  }
}

void ledger::on_handed(std::size_t lane_number, std::span<const std::string_view> parts,
                       std::size_t end) {
  auto& l = lanes_[lane_number];
  const auto m = unwrap(parts);
  auto* const e = find(m.what);
  l.messages.push_back({m.what.sequence, end});
  ++accounts_[l.writer].handed;
  if (m.found != unwrapped::state::whole || e == nullptr || !e->queued || e->what != m.what ||
      m.what.sender != l.writer) {
    report(m.found == unwrapped::state::whole ? violation::spliced : violation_of(m.found),
           "socket " + number(l.writer) + " writes what was not sent so: " + name(m.what));
    return;
  }
  if (m.what.destination != 0 && m.what.destination != l.reader) {
    report(violation::misaddressed, name(m.what) + " is written to socket " + number(l.reader) +
                                        " and is for " + number(m.what.destination));
  }
  const auto publication = publications_.find(l.writer);
  const auto publishes = publication != publications_.end();
  const auto found = publishes ? publication->second.on_written(l.pipe, m.what.sequence, e->topic)
                               : publication_check::writing::owed;
  if (found == publication_check::writing::again) {
    e->handings.push_back(
        {.reader = l.reader, .lane = lane_number, .position = l.messages.size() - 1});
    return;
  }
  // A publisher that has not yet detected a dead connection publishes to it and to its successor.
  if (std::any_of(e->handings.begin(), e->handings.end(),
                  [&](const handing& h) { return !publishes || h.lane == lane_number; })) {
    report(violation::duplicate, name(m.what) + " is written a second time");
  }
  e->handings.push_back(
      {.reader = l.reader, .lane = lane_number, .position = l.messages.size() - 1});
  auto& last = last_on_pipe_[{l.writer, l.pipe}];
  if (m.what.sequence <= last || found == publication_check::writing::stale) {
    report(violation::reordered, name(m.what) + " is written behind " + number(last));
  }
  last = m.what.sequence;
  if (found == publication_check::writing::not_owed) {
    report(violation::not_wanted, name(m.what) + " is written to who did not subscribe");
  }
}

void ledger::on_read(std::uint64_t stream, end_of_stream at, std::size_t count) {
  lane_of(stream, other(at)).read += count;
}

// The user got something later from the same connection, or will get nothing more.
void ledger::pass_over(lane& of, std::size_t position) {
  const auto* const e = find({.sender = of.writer, .sequence = of.messages[position].sequence});
  if (e == nullptr) {
    return;  // the ledger has already reported that it was never sent
  }
  const auto excused = excuses_.find(of.reader);
  if (excused == excuses_.end() || !excused->second(e->topic)) {
    report(violation::lost, name(e->what) + " came and was not received");
    return;
  }
  ++accounts_[of.reader].dropped;
}

void ledger::pass_over_all(std::uint32_t socket) {
  for (auto& l : lanes_) {
    for (; l.reader == socket && l.next < l.came(); ++l.next) {
      pass_over(l, l.next);
    }
  }
}

// Returns the place where the message arrived: messages that arrived earlier on a pipe are received
// earlier. If no message waits there, returns a place where it arrived and has been received.
ledger::handing* ledger::receivable(entry& e, std::uint32_t socket, std::optional<peer_id> from) {
  handing* received = nullptr;
  for (auto& h : e.handings) {
    const auto& l = lanes_[h.lane];
    if (h.reader != socket || h.position >= l.decoded || (from && l.reader_pipe != *from)) {
      continue;
    }
    if (!h.received && h.position >= l.next) {
      return &h;
    }
    received = received == nullptr || h.received ? &h : received;
  }
  return received;
}

std::optional<parcel> ledger::received(std::uint32_t socket, const message& m,
                                       std::optional<peer_id> from) {
  const auto what = unwrap(m);
  ++accounts_[socket].received;
  ++parcels_received_;
  auto* const e = find(what.what);
  if (what.found != unwrapped::state::whole || e == nullptr || e->what != what.what) {
    report(what.found == unwrapped::state::whole ? violation::spliced : violation_of(what.found),
           "socket " + number(socket) + " receives what was not sent so: " + name(what.what));
    return std::nullopt;
  }
  auto* to = receivable(*e, socket, from);
  if (to == nullptr && from) {
    to = receivable(*e, socket, std::nullopt);
    if (to != nullptr) {
      report(violation::misaddressed,
             "socket " + number(socket) + " receives from another than sent it: " + name(e->what));
    }
  }
  if (to == nullptr) {
    report(violation::misaddressed,
           "socket " + number(socket) + " receives what did not come to it: " + name(e->what));
    return std::nullopt;
  }
  auto& l = lanes_[to->lane];
  if (std::exchange(to->received, true)) {
    report(violation::duplicate, name(e->what) + " is received a second time");
    return std::nullopt;
  }
  if (to->position < l.next) {
    report(violation::reordered, name(e->what) + " is received behind what was written later");
    return std::nullopt;
  }
  if (const auto stream = last_of_stream_.find(socket); stream != last_of_stream_.end()) {
    if (e->what.sequence < stream->second) {
      report(violation::mingled, name(e->what) + " is received behind " + number(stream->second));
    }
    stream->second = e->what.sequence;
  }
  for (; l.next < to->position; ++l.next) {
    pass_over(l, l.next);
  }
  ++l.next;
  return what.what;
}

std::optional<parcel> ledger::received(std::uint32_t socket, const routed_message& m) {
  auto& peer = presences_[{socket, m.peer}];
  switch (m.what) {
    case routed_message::kind::message:
      if (!peer.here) {
        report(violation::attach_order,
               "socket " + number(socket) + " receives from who is not there");
      }
      if (const auto known = publications_.find(socket); known != publications_.end()) {
        if (unwrap(m.content).found == unwrapped::state::no_parcel) {
          notified(socket, known->second, m.peer, m.content);
          return std::nullopt;
        }
      }
      return received(socket, m.content, m.peer);
    case routed_message::kind::attached:
    case routed_message::kind::detached:
      if (peer.here == (m.what == routed_message::kind::attached) || peer.announcements == 0) {
        report(violation::attach_order, "socket " + number(socket) + " hears of a peer twice");
      } else {
        --peer.announcements;
      }
      peer.here = m.what == routed_message::kind::attached;
      return std::nullopt;
  }
  return std::nullopt;
}

// A topic has its first subscriber, or no longer any.
void ledger::notified(std::uint32_t socket, publication_check& of, peer_id by, const message& m) {
  ++accounts_[socket].received;
  const auto what = m.front();
  const auto begins = what.starts_with('\1');
  if (m.size() != 1 || !(begins || what.starts_with('\0')) ||
      !of.on_told(by, begins, what.substr(1))) {
    report(violation::mistold, "socket " + number(socket) + " is told that \"" +
                                   std::string{what.substr(std::min<std::size_t>(1, what.size()))} +
                                   (begins ? "\" begins" : "\" ends") + ", which it knew");
  }
}

bool ledger::has_received(std::uint32_t socket, const parcel& p) const {
  const auto* e = find(p);
  return e != nullptr && std::any_of(e->handings.begin(), e->handings.end(), [&](const handing& h) {
           return h.reader == socket && h.received;
         });
}

bool ledger::has_received(const parcel& p) const {
  const auto* e = find(p);
  return e != nullptr && std::any_of(e->handings.begin(), e->handings.end(),
                                     [](const handing& h) { return h.received; });
}

std::size_t ledger::times_received(std::uint32_t socket, std::uint32_t sender,
                                   std::uint32_t sequence) const {
  const auto* e = find({.sender = sender, .sequence = sequence});
  return e == nullptr ? 0
                      : static_cast<std::size_t>(std::count_if(
                            e->handings.begin(), e->handings.end(),
                            [&](const handing& h) { return h.reader == socket && h.received; }));
}

void ledger::close() {
  for (auto& l : lanes_) {
    for (; l.next < l.came(); ++l.next) {
      pass_over(l, l.next);
    }
    for (auto left = l.next; left < l.messages.size(); ++left) {
      const auto came = l.messages[left].end <= l.read;
      if (came ? !l.dropped_unread : !l.ended) {
        report(violation::lost,
               "parcel " + number(l.messages[left].sequence) + " of socket " + number(l.writer) +
                   (came ? " came and was never decoded" : " is under way for ever"));
      }
    }
  }
  for (const auto& [sender, entries] : sent_) {
    for (const auto& e : entries) {
      if (e.expected && e.queued && !publications_.contains(sender) && !has_received(e.what)) {
        report(violation::lost, name(e.what) + " has not arrived");
      }
    }
  }
}

}  // namespace zmtp::simulation
