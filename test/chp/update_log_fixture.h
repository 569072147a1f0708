#pragma once
// One or two servers of the map without their shells, with a manual clock.

#include "chp/command.h"
#include "chp/proposal.h"
#include "chp/store.h"
#include "chp/update_id.h"
#include "chp/update_log.h"
#include "test/chp/update_ids.h"

#include <boost/system/error_code.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace chp::test {

using namespace std::chrono_literals;

inline constexpr update_log::time_point time_zero{};

inline update_id id(std::uint64_t counter, std::uint64_t session = 1) {
  return session_id(session, counter);
}

inline update published(const zmtp::message_view& m) {
  return std::get<update>(parse_publication(m, form::kvmsg, {}).value());
}

// A server with a store that writes when it is told.
class server {
public:
  explicit server(update_log_options options = {}, std::uint64_t random = 1, bool discard = false)
      : log{options, random, replica{options.state, random}, discard} {}

  void set(std::string_view key, std::string_view value, const update_id& of = {},
           std::string_view text = {}) {
    const auto m = make_set(form::kvmsg, key, of, text, value);
    log.propose(parse_proposal(m, form::kvmsg, {}), out);
  }
  log_actions turn(update_log::time_point now = time_zero) {
    log.end_turn(now, out);
    unwritten += out.write.size();
    return std::exchange(out, {});
  }
  void write(boost::system::error_code ec = {}, update_log::time_point now = time_zero) {
    for (; unwritten != 0; --unwritten) {
      log.on_written(ec, now);
    }
  }
  [[nodiscard]] std::map<std::string, std::string> map() const {
    std::map<std::string, std::string> all;
    log.state().past().map().for_each("", [&](const store::entry& e) {
      all.emplace(e.key(), e.value());
      return true;
    });
    return all;
  }

  update_log log;
  log_actions out;
  std::size_t unwritten = 0;
};

inline update_log_options paired() {
  update_log_options o;
  o.is_paired = true;
  o.piece = 500;
  return o;
}

// Delivers what two servers say to each other, until they are silent. Returns the number of messages.
inline std::size_t talk(server& active, server& passive, std::size_t most = 1'000'000) {
  std::size_t messages = 0;
  for (bool more = true; std::exchange(more, false) && messages < most;) {
    auto from_active = active.turn();
    for (const auto& m : from_active.to_peer) {
      passive.log.on_peer_message(m, time_zero, passive.out);
    }
    auto from_passive = passive.turn();
    if (from_passive.lost) {
      passive.log.on_lost_written(*from_passive.lost, {}, passive.out);
    }
    for (const auto& m : from_passive.to_peer) {
      active.log.on_peer_message(m, time_zero, active.out);
    }
    if (from_active.stream_copy) {
      active.log.on_peer_writable(active.out);
    }
    active.write();
    passive.write();
    const auto count = from_active.to_peer.size() + from_passive.to_peer.size();
    messages += count;
    more = count != 0 || from_active.stream_copy || from_passive.lost;
  }
  return messages;
}
inline void connect(server& active, server& passive) {
  passive.log.on_peer_connected(passive.out);
  for (const auto& m : passive.turn().to_peer) {
    active.log.on_peer_message(m, time_zero, active.out);
  }
  talk(active, passive);
}

}  // namespace chp::test
