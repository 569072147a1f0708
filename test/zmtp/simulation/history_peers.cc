// The peers of each socket, from the events of its monitor.
#include "test/zmtp/simulation/history.h"

namespace zmtp::simulation {

namespace {

// A simulated address ends with the number of the connection.
std::uint64_t stream_of(std::string_view address) {
  return std::stoull(std::string{address.substr(address.find(':') + 1)});
}

}  // namespace

// Takes the events of the socket so far.
void history::catch_up(std::uint32_t number) {
  auto& own = users_.at(number);
  monitor_event event;
  while (own.monitor && own.monitor->try_receive(event)) {
    on_event(number, event);
  }
}

void history::on_event(std::uint32_t number, const monitor_event& event) {
  const bool attached = event.what == monitor_event::kind::attached;
  if (!attached && event.what != monitor_event::kind::detached) {
    return;
  }
  auto& own = users_.at(number);
  const auto stream = stream_of(event.info.address);
  auto& peer = own.peers[*event.peer];
  ++peer.announcements;
  const auto to = wires_.written_by(number, stream)->of_writer;
  if (attached) {
    ++own.attached;
    peer.streams.push_back(stream);
    for (const auto& p : own.socket->peers()) {
      if (p.id == *event.peer) {
        peer.rest = p.messages_to_receive;
        peer.bytes_of_rest = p.bytes_to_receive;
      }
    }
  } else {
    --own.attached;
    // A socket that closes a connection drops what it has not decoded. A socket that finds the
    // connection closed has decoded everything.
    auto& in = *wires_.read_by(number, stream);
    in.given_up = in.given_up || event.reason != errc::connection_lost;
  }
  if (own.publications) {
    attached ? own.publications->on_opened(to, false) : own.publications->on_detached(to);
  }
}

std::uint32_t history::participant_at(std::uint32_t number, peer_id peer) {
  catch_up(number);
  const auto& peers = users_.at(number).peers;
  const auto known = peers.find(peer);
  return known == peers.end() || known->second.streams.empty()
             ? 0
             : wires_.read_by(number, known->second.streams.back())->writer;
}

void history::connected(std::uint32_t number, std::uint32_t accepting) {
  if (auto& of = users_.at(number).publications) {
    of->on_opened(wire_record::endpoint_of(accepting), true);
  }
}

void history::disconnected(std::uint32_t number, std::uint32_t accepting) {
  if (auto& of = users_.at(number).publications) {
    catch_up(number);
    of->on_closed(wire_record::endpoint_of(accepting));
  }
}

void history::granted(std::uint32_t number, peer_id to, bool begins, std::string_view topic) {
  catch_up(number);
  auto& own = users_.at(number);
  const auto stream = own.peers.at(to).streams.back();
  own.publications->on_given(wires_.written_by(number, stream)->of_writer, begins, topic);
}

}  // namespace zmtp::simulation
