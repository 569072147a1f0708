// Checks of one socket: its high-water marks at all times, its counters at the end.
#include "test/simulation/ledger.h"
#include "test/simulation/sim_socket.h"

#include <algorithm>

namespace zmtp::simulation {

namespace {

std::string of(const sim_socket& socket) {
  return " of socket " + std::to_string(socket.number()) + " (" +
         std::string{to_string(socket.state().type())} + ")";
}

}  // namespace

void ledger::on_turn(const sim_socket& socket) {
  const auto& options = socket.state().options();
  socket.state().for_each_pipe([&](const pipe& p) {
    std::size_t announcements = 0;
    if (options.announce_peers) {
      announcements = presences_[{socket.number(), p.id}].announcements;
    }
    const auto check = [&](const high_water_mark& mark, std::size_t messages, std::size_t bytes,
                           const char* which) {
      if ((mark.messages && messages > *mark.messages + announcements) ||
          (mark.bytes && bytes >= *mark.bytes + largest_)) {
        report(violation::above_mark, std::string{which} + of(socket) + " holds " +
                                          std::to_string(messages) + " messages, " +
                                          std::to_string(bytes) + " bytes");
      }
    };
    check(options.receive_mark, p.in.size(), p.in.bytes(), "the receive queue");
    announcements = 0;
    check(options.send_mark, p.out.messages(), p.out.bytes(), "the send queue");
  });
}

void ledger::check_counters(const sim_socket& socket) {
  const auto& counters = socket.state().counters();
  const auto& own = accounts_[socket.number()];
  const auto equal = [&](std::uint64_t counted, std::size_t seen, const char* what,
                         std::size_t doubtful = 0) {
    if (counted < seen || counted > seen + doubtful) {
      report(violation::miscounted, std::string{what} + of(socket) + ": it says " +
                                        std::to_string(counted) + ", seen " + std::to_string(seen));
    }
  };
  std::size_t waiting = 0;
  socket.state().for_each_pipe([&](const pipe& p) { waiting += p.out.messages(); });
  equal(counters.messages_sent, own.handed + counters.dropped_detached + waiting, "messages sent");
  equal(counters.messages_received, own.received, "messages received");
  equal(counters.dropped_unexpected, own.dropped, "messages dropped as unexpected");
  if (const auto known = publications_.find(socket.number()); known != publications_.end()) {
    equal(counters.messages_sent + counters.dropped_full, known->second.owed(),
          "messages published", known->second.doubtful());
    if (socket.state().type() != socket_type::xsub && socket.state().options().no_drop &&
        known->second.missed() != 0) {
      report(violation::lost, "messages are missed although none may be dropped" + of(socket));
    }
  }
}

void ledger::check_subscribers(const sim_socket& socket) {
  const auto known = publications_.find(socket.number());
  if (socket.state().type() != socket_type::xpub || known == publications_.end()) {
    return;
  }
  if (!known->second.knows_all()) {
    report(violation::mistold, "its user does not know the topics" + of(socket));
  }
  if (!known->second.all_caught_up()) {
    report(violation::lost, "a peer has not been sent all last values" + of(socket));
  }
}

void ledger::check_all_detached() {
  for (const auto& [who, peer] : presences_) {
    if (peer.here || peer.announcements != 0) {
      report(violation::attach_order,
             "socket " + std::to_string(who.first) + " has not heard that a peer is gone");
    }
  }
}

}  // namespace zmtp::simulation
