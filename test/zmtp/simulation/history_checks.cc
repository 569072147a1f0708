// Checks of one socket: its high-water marks at all times, its peers and counters at rest.
#include "test/zmtp/simulation/history.h"

#include <algorithm>

namespace zmtp::simulation {

void history::check_presence(std::uint32_t number, const routed_message& m) {
  auto& own = users_.at(number);
  auto& peer = own.peers[m.peer];
  if (m.what == routed_message::kind::message) {
    if (own.announces ? !peer.here : peer.streams.empty()) {
      report(violation::attach_order, name(number) + " receives from a peer that is not attached");
    }
    return;
  }
  const bool attached = m.what == routed_message::kind::attached;
  if (peer.here == attached || peer.announcements == 0) {
    report(violation::attach_order, name(number) + " is told of a peer twice");
  } else {
    --peer.announcements;
  }
  peer.here = attached;
}

// A topic has its first subscriber, or no longer any.
void history::notified(std::uint32_t number, const routed_message& m) {
  auto& own = users_.at(number);
  const auto& streams = own.peers[m.peer].streams;
  const auto what = m.content.front();
  const auto begins = what.starts_with('\1');
  const bool known = m.content.size() == 1 && !streams.empty() &&
                     (begins || what.starts_with('\0')) &&
                     own.publications->on_told(wires_.written_by(number, streams.back())->of_writer,
                                               m.peer, begins, what.substr(1));
  if (!known) {
    report(violation::mistold, name(number) + " is told that \"" +
                                   std::string{what.substr(std::min<std::size_t>(1, what.size()))} +
                                   (begins ? "\" begins" : "\" ends") + ", which it knew");
  }
}

void history::check_marks(std::uint32_t number) {
  catch_up(number);
  auto& own = users_.at(number);
  for (const auto& p : own.socket->peers()) {
    const auto check = [&](const high_water_mark& mark, std::size_t messages, std::size_t bytes,
                           const char* which) {
      if ((mark.messages && messages > *mark.messages) ||
          (mark.bytes && bytes >= *mark.bytes + largest_)) {
        report(violation::above_mark, std::string{which} + " queue of " + name(number) + " holds " +
                                          std::to_string(messages) + " messages, " +
                                          std::to_string(bytes) + " bytes");
      }
    };
    const auto& peer = own.peers[p.id];
    // A socket that finds its connection lost decodes all that it has read, in spite of the marks.
    const bool lost =
        !peer.streams.empty() && !wires_.read_by(number, peer.streams.back())->connection->alive();
    auto receive_mark = lost ? high_water_mark{{}, {}} : own.receive_mark;
    if (receive_mark.messages) {
      // Attach and detach wait in the same queue.
      *receive_mark.messages = std::max(*receive_mark.messages, peer.rest) + peer.announcements;
    }
    if (receive_mark.bytes) {
      *receive_mark.bytes = std::max(*receive_mark.bytes, peer.bytes_of_rest);
    }
    check(receive_mark, p.messages_to_receive, p.bytes_to_receive, "the receive");
    check(own.send_mark, p.messages_to_send, p.bytes_to_send, "the send");
  }
}

// A relaxed REQ keeps an answer to an earlier request until its next call.
bool history::must_receive(const user& who, const peer_status& from) {
  return who.type != socket_type::req && from.messages_to_receive != 0;
}

bool history::is_settled(std::uint32_t number, std::size_t peers) {
  catch_up(number);
  auto& own = users_.at(number);
  const auto all = own.socket->peers();
  const auto is_idle = [](const wire& w) {
    return w.came() == w.messages.size() && w.unread.empty();
  };
  return all.size() == peers && own.attached == peers &&
         std::all_of(all.begin(), all.end(), [&](const peer_status& p) {
           const auto& streams = own.peers[p.id].streams;
           return p.messages_to_send == 0 && !must_receive(own, p) && !streams.empty() &&
                  wires_.read_by(number, streams.back())->connection->alive() &&
                  is_idle(*wires_.read_by(number, streams.back())) &&
                  is_idle(*wires_.written_by(number, streams.back()));
         });
}

// The user of an XPUB knows the topics of its peers.
void history::check_told(std::uint32_t number) {
  const auto& own = users_.at(number);
  if (own.type == socket_type::xpub && !own.publications->knows_all()) {
    report(violation::mistold, "the user does not know the topics of " + name(number));
  }
}

void history::check_rest(std::uint32_t number, std::size_t peers) {
  catch_up(number);
  const auto& own = users_.at(number);
  const auto all = own.socket->peers();
  const auto complain = [&](std::size_t figure, std::string_view what) {
    report(violation::stuck, name(number) + " has " + std::to_string(figure) + std::string{what});
  };
  if (all.size() != peers || own.attached != peers) {
    complain(all.size(), " peers, and should have " + std::to_string(peers));
  }
  for (const auto& p : all) {
    if (p.messages_to_send != 0) {
      complain(p.messages_to_send, " messages to write");
    }
    if (must_receive(own, p)) {
      complain(p.messages_to_receive, " messages to receive");
    }
  }
  check_told(number);
  if (own.type == socket_type::xpub && !own.publications->all_caught_up()) {
    report(violation::lost, "a peer of " + name(number) + " has not been sent all last values");
  }
}

void history::check_counters(std::uint32_t number, const socket_counters& counters) {
  const auto& own = users_.at(number);
  const auto equal = [&](std::uint64_t counted, std::size_t seen, std::string_view what,
                         std::size_t doubtful = 0) {
    if (counted < seen || counted > seen + doubtful) {
      report(violation::miscounted, name(number) + " counts " + std::to_string(counted) +
                                        " messages " + std::string{what} + ", seen " +
                                        std::to_string(seen));
    }
  };
  std::size_t waiting = 0;
  for (const auto& p : own.socket->peers()) {
    waiting += p.messages_to_send;
  }
  equal(counters.messages_sent, own.handed + counters.dropped_detached + waiting, "sent");
  equal(counters.messages_received, own.received, "received");
  equal(counters.dropped_unexpected, own.dropped, "dropped as unexpected", own.doubtful);
  if (!own.publications) {
    return;
  }
  equal(counters.messages_sent + counters.dropped_full, own.publications->owed(), "published",
        own.publications->doubtful());
  if (own.no_drop && own.publications->missed() != 0) {
    report(violation::lost, name(number) + " leaves out messages although it may drop none");
  }
}

void history::check_gone(std::uint32_t number) {
  catch_up(number);
  const auto& own = users_.at(number);
  const auto peers = own.socket->peers().size();
  if (peers != 0 || own.attached != 0) {
    report(violation::leaked, name(number) + " has " + std::to_string(peers) + " peers, and " +
                                  std::to_string(own.attached) + " connections");
  }
  check_told(number);
  for (const auto& [id, peer] : own.peers) {
    if (own.announces && (peer.here || peer.announcements != 0)) {
      report(violation::attach_order, name(number) + " is not told that a peer is gone");
    }
  }
}

}  // namespace zmtp::simulation
