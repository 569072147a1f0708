#include "test/zmtp/simulation/history.h"

#include <algorithm>
#include <limits>

namespace zmtp::simulation {

namespace {

// More findings give no more information.
constexpr std::size_t most_findings = 20;
constexpr std::size_t most_events = 10'000;

std::string number_of(std::size_t n) { return std::to_string(n); }

violation violation_of(unwrapped::state found) noexcept {
  return found == unwrapped::state::cut_short ? violation::partial : violation::spliced;
}

template <class Topics>
bool matches(const Topics& topics, std::string_view first_part) {
  return std::any_of(topics.begin(), topics.end(),
                     [&](const auto& topic) { return first_part.starts_with(topic); });
}

}  // namespace

std::string history::name(const parcel& p) {
  return "parcel " + number_of(p.sequence) + " of " + number_of(p.sender);
}

std::string history::name(std::uint32_t number) const {
  return std::string{to_string(users_.at(number).type)} + " " + number_of(number);
}

void history::report(violation what, std::string text) {
  if (findings_.size() < most_findings) {
    findings_.push_back({what, std::move(text)});
  }
}

void history::add(std::uint32_t number, process& of, const user& what, false_layer layer) {
  wires_.add(of, number, std::move(layer));
  static_cast<user&>(users_[number]) = what;
}

void history::begin_life(std::uint32_t number, const zmtp::socket& socket) {
  auto& own = users_.at(number);
  own.socket = &socket;
  own.monitor.emplace(socket.monitor(most_events));
  if (own.publishes) {
    own.publications.emplace(*own.publishes);
  }
}

void history::end_life(std::uint32_t number) {
  life next;
  static_cast<user&>(next) = users_.at(number);
  // A publisher that connects keeps the messages that it has queued for the endpoint.
  next.ever = users_.at(number).ever;
  users_.at(number) = std::move(next);
  wires_.for_each([&](wire& w) { w.given_up = w.given_up || w.reader == number; });
}

const history::entry* history::find(std::uint32_t sender, std::uint32_t sequence) const {
  const auto of = sent_.find(sender);
  return of != sent_.end() && sequence >= 1 && sequence <= of->second.size()
             ? &of->second[sequence - 1]
             : nullptr;
}

history::entry* history::find(std::uint32_t sender, std::uint32_t sequence) {
  return const_cast<entry*>(std::as_const(*this).find(sender, sequence));
}

parcel history::next(std::uint32_t sender, std::uint32_t destination, std::uint32_t answers) {
  auto& of = sent_[sender];
  const parcel p{.sender = sender,
                 .sequence = static_cast<std::uint32_t>(of.size() + 1),
                 .destination = destination,
                 .answers = answers,
                 .sum = 0,
                 .size = 0};
  of.emplace_back().what = p;
  return p;
}

void history::offered(const parcel& p, std::string_view topic) {
  auto& e = *find(p.sender, p.sequence);
  e.what = p;
  e.topic = topic;
  e.offered = true;
  largest_ = std::max(largest_, p.size + 512);
  const auto& sender = users_.at(p.sender);
  // REQ drops answers that come late. An answer may go to a connection that has ended since its
  // request.
  const bool to_req = p.destination != 0 && users_.at(p.destination).type == socket_type::req;
  const auto* const request = p.answers != 0 ? find(p.destination, p.answers) : nullptr;
  const bool expected =
      expect_all_ && !sender.publishes && !to_req && (request == nullptr || request->expected != 0);
  e.expected = expected ? 1 : 0;
}

void history::queued(const parcel& p, std::size_t receivers) {
  auto& e = *find(p.sender, p.sequence);
  e.queued = true;
  auto& sender = users_.at(p.sender);
  if (sender.publications) {
    catch_up(p.sender);
    sender.publications->on_published(p.sequence, e.topic);
    e.expected = receivers;
  }
  missing_ += e.received_by.size() < e.expected ? 1U : 0U;
}

void history::subscribed(std::uint32_t number, std::string_view topic) {
  users_.at(number).topics.emplace(topic);
  users_.at(number).ever.emplace(topic);
}

void history::unsubscribed(std::uint32_t number, std::string_view topic) {
  auto& own = users_.at(number);
  own.topics.erase(own.topics.find(topic));
  wires_.for_each([&](wire& w) {
    for (auto i = w.reader == number ? w.next : w.messages.size(); i < w.messages.size(); ++i) {
      const auto* const e = find(w.messages[i].sender, w.messages[i].sequence);
      w.messages[i].excused |= e != nullptr && !matches(own.topics, e->topic);
    }
  });
}

// REQ drops late answers, and PUB all messages.
bool history::may_drop(const life& reader, const wire::written& what) {
  return what.excused || reader.type == socket_type::req || reader.type == socket_type::pub;
}

void history::on_garbled(const wire& on) {
  report(violation::spliced, name(on.writer) + " writes what is no ZMTP");
}

void history::on_subscription(const wire& on, bool begins, std::string_view topic) {
  catch_up(on.reader);
  if (auto& of = users_.at(on.reader).publications) {
    const auto* const back = wires_.written_by(on.reader, on.connection->id());
    of->on_subscription(back->of_writer, begins, topic);
  }
}

void history::on_written(wire& on, std::span<const std::string_view> message, std::size_t end) {
  auto& writer = users_.at(on.writer);
  auto& reader = users_.at(on.reader);
  const auto m = unwrap(message);
  auto& w = on.messages.emplace_back(
      wire::written{.sender = m.what.sender, .sequence = m.what.sequence, .end = end});
  ++writer.handed;
  auto* const e = find(m.what.sender, m.what.sequence);
  if (m.found != unwrapped::state::whole || e == nullptr || !e->offered || !(e->what == m.what) ||
      m.what.sender != on.writer) {
    report(violation_of(m.found),
           name(on.writer) + " writes what was not sent so: " + name(m.what));
    return;
  }
  w.excused = reader.type == socket_type::sub && !matches(reader.topics, e->topic);
  if (m.what.destination != 0 && m.what.destination != on.reader) {
    report(violation::misaddressed,
           name(m.what) + " is written to " + name(on.reader) + ", which it is not for");
  }
  using writing = publication_check::writing;
  auto found = writing::owed;
  if (writer.publications) {
    found = writer.publications->on_written(on.of_writer, m.what.sequence, e->topic);
  } else if (std::exchange(e->written, true)) {
    report(violation::duplicate, name(m.what) + " is written a second time");
  }
  if (found == writing::again) {
    return;
  }
  if (found == writing::not_owed) {
    report(violation::not_wanted, name(m.what) + " is written to " + name(on.reader) +
                                      ", which did not subscribe to \"" + e->topic + "\"");
  }
  auto& last = writer.last_written[on.of_writer];
  if (m.what.sequence <= last || found == writing::stale) {
    report(violation::reordered, name(m.what) + " is written behind " + number_of(last));
  }
  last = m.what.sequence;
}

// A last value can be written twice, also on a later connection. The history takes the first one for
// received, which the socket may have dropped, also with the rest of a connection that it gave up.
// Then the user got this one.
bool history::take_back(wire& on, std::size_t position) {
  auto& what = on.messages[position];
  auto& reader = users_.at(on.reader);
  for (const auto& [id, peer] : reader.peers) {
    const auto last = std::find(peer.streams.begin(), peer.streams.end(), on.connection->id());
    if (last == peer.streams.end()) {
      continue;
    }
    for (auto stream = peer.streams.begin(); stream <= last; ++stream) {
      auto& in = *wires_.read_by(on.reader, *stream);
      const auto end = stream == last ? in.messages.begin() + static_cast<std::ptrdiff_t>(position)
                                      : in.messages.end();
      const auto found = std::find_if(in.messages.begin(), end, [&](const wire::written& before) {
        return before.sender == what.sender && before.sequence == what.sequence &&
               before.received && (in.given_up || may_drop(reader, before));
      });
      if (found != end) {
        std::swap(found->received, what.received);
        ++(in.given_up ? reader.doubtful : reader.dropped);
        return true;
      }
    }
  }
  return false;
}

// The user got something later from the same connection, or will get nothing more.
void history::pass_over(wire& on, std::size_t position) {
  const auto& w = on.messages[position];
  auto& reader = users_.at(on.reader);
  if (w.received) {
    return;
  }
  if (may_drop(reader, w)) {
    ++reader.dropped;
  } else if (!take_back(on, position) && find(w.sender, w.sequence) != nullptr) {
    report(violation::lost, "parcel " + number_of(w.sequence) + " of " + number_of(w.sender) +
                                " came to " + name(on.reader) + " and was not received");
  }
}

std::optional<parcel> history::received(std::uint32_t number, const routed_message& m) {
  catch_up(number);
  auto& own = users_.at(number);
  check_presence(number, m);
  if (m.what != routed_message::kind::message) {
    return std::nullopt;
  }
  ++own.received;
  const auto found = unwrap(m.content);
  if (own.type == socket_type::xpub && found.found == unwrapped::state::no_parcel) {
    notified(number, m);
    return std::nullopt;
  }
  ++count_;
  auto* const e = find(found.what.sender, found.what.sequence);
  if (found.found != unwrapped::state::whole || e == nullptr || !(e->what == found.what)) {
    report(violation_of(found.found),
           name(number) + " receives what was not sent so: " + name(found.what));
    return std::nullopt;
  }
  if (own.type == socket_type::sub || own.type == socket_type::xsub) {
    const auto first = m.content.front();
    // XSUB does not filter messages that were in flight when it cancelled the topic.
    if (own.type == socket_type::sub ? !matches(own.topics, first) : !matches(own.ever, first)) {
      report(violation::not_wanted, name(number) + " receives what it did not subscribe to");
    }
  }
  return take(number, m.peer, *e) ? std::optional{found.what} : std::nullopt;
}

// Finds the place where the message came. Returns whether it may be received now.
// The user has a message of the connection at `first`, so the rest of those before has come.
void history::end_streams(std::uint32_t number, presence& of, std::size_t first) {
  for (; of.over < first; ++of.over) {
    auto& on = *wires_.read_by(number, of.streams[of.over]);
    for (const auto came = on.came(); !on.given_up && on.next < came; ++on.next) {
      pass_over(on, on.next);
    }
  }
}

bool history::take(std::uint32_t number, peer_id from, entry& e) {
  auto& own = users_.at(number);
  const auto is_it = [&](const wire::written& w) {
    return w.sender == e.what.sender && w.sequence == e.what.sequence;
  };
  auto& peer = own.peers[from];
  auto wrong = violation::misaddressed;
  for (std::size_t i = 0; i != peer.streams.size(); ++i) {
    auto& on = *wires_.read_by(number, peer.streams[i]);
    const auto begin = on.messages.begin();
    const auto end = begin + static_cast<std::ptrdiff_t>(on.came());
    if (i < peer.over) {
      const auto late = std::find_if(begin, end, is_it);
      wrong = late == end ? wrong : late->received ? violation::duplicate : violation::mingled;
      continue;
    }
    const auto from_next = begin + static_cast<std::ptrdiff_t>(on.next);
    if (const auto at = std::find_if(from_next, end, is_it); at != end) {
      const auto position = static_cast<std::size_t>(at - begin);
      for (; on.next < position; ++on.next) {
        pass_over(on, on.next);
      }
      ++on.next;
      at->received = true;
      end_streams(number, peer, i);
      if (own.type == socket_type::pair && e.what.sequence < own.last_received) {
        report(violation::mingled,
               name(e.what) + " is received behind " + number_of(own.last_received));
      }
      own.last_received = e.what.sequence;
      const bool was_missing = e.queued && e.received_by.size() < e.expected;
      ++e.received_by[number];
      missing_ -= was_missing && e.received_by.size() == e.expected ? 1U : 0U;
      return true;
    }
    if (const auto before = std::find_if(begin, from_next, is_it); before != from_next) {
      wrong = before->received ? violation::duplicate : violation::reordered;
    }
  }
  report(wrong, name(e.what) + " is received by " + name(number) +
                    (wrong == violation::duplicate   ? " a second time"
                     : wrong == violation::reordered ? " behind what was written later"
                     : wrong == violation::mingled   ? " behind messages of a later connection"
                                                     : " and did not come from that peer"));
  return false;
}

std::size_t history::times_received(std::uint32_t number, std::uint32_t sender,
                                    std::uint32_t sequence) const {
  const auto& by = find(sender, sequence)->received_by;
  const auto times = by.find(number);
  return times == by.end() ? 0 : times->second;
}

std::size_t history::bytes_lost(std::uint32_t sender) const {
  std::size_t bytes = 0;
  bool first = true;
  if (const auto of = sent_.find(sender); of != sent_.end()) {
    for (const auto& e : of->second) {
      if (e.queued && e.received_by.empty()) {
        bytes += std::exchange(first, false) ? 0 : e.what.size;
      }
    }
  }
  return bytes;
}

void history::close() {
  wires_.for_each([this](wire& w) {
    const auto came = w.came();
    if (w.given_up) {
      users_.at(w.reader).doubtful += w.messages.size() - std::min(w.next, w.messages.size());
      return;
    }
    for (; w.next < came; ++w.next) {
      pass_over(w, w.next);
    }
    if (came < w.messages.size() && w.connection->alive()) {
      report(violation::lost, "a parcel from " + name(w.writer) + " to " + name(w.reader) +
                                  " is under way for ever");
    }
  });
  for (const auto& [sender, entries] : sent_) {
    for (const auto& e : entries) {
      if (e.queued && e.received_by.size() < e.expected) {
        report(violation::lost, name(e.what) + " has not arrived");
      }
    }
  }
}

}  // namespace zmtp::simulation
