#pragma once
// One side of a conversation: a connection with the parts of a shell around it. Events and received
// messages are text, so that tests can compare two runs.

#include "test/support/fixed_random.h"
#include "test/support/wire.h"
#include "zmtp/conversation/conversation.h"
#include "zmtp/mechanism/null.h"
#include "zmtp/mechanism/security.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace zmtp::test {

inline constexpr auto everything = static_cast<std::size_t>(-1);

// The text of each event in a side's `heard`.
inline std::string heard_ready() { return "ready"; }
inline std::string heard_request() { return "admission requested"; }
inline std::string heard_subscribe(std::string_view topic) { return "+" + std::string{topic}; }
inline std::string heard_cancel(std::string_view topic) { return "-" + std::string{topic}; }
inline std::string heard_not_reading() { return "not reading"; }
inline std::string heard_end(error_code why) { return "closed: " + why.message(); }
inline std::string heard_part(std::string_view part) {
  // Shows long parts by their hash, or a failure fills the screen.
  return part.size() <= 64 ? "[" + std::string{part} + "]"
                           : "[" + std::to_string(part.size()) + " bytes, hash " +
                                 std::to_string(std::hash<std::string_view>{}(part)) + "]";
}
template <class Parts>
std::string heard_message(const Parts& message) {
  std::string text;
  for (const auto& part : message) {
    text += heard_part(part);
  }
  return text;
}

// The acknowledgements of TCP for earlier bytes.
inline constexpr conversation::acknowledgement all_taken{.bytes = 100, .complete = true};
inline constexpr conversation::acknowledgement nothing_taken{.bytes = 100, .complete = false};

struct side_options {
  socket_type type = socket_type::dealer;
  std::string identity = {};
  limits limit = {};
  heartbeat_options beat = {};
  high_water_mark send_mark = {};
  high_water_mark receive_mark = {};
  bool admits = true;    // every peer, at once
  bool receives = true;  // the user takes each message as it comes
  security_options security = {};
};

class side {
public:
  using time_point = conversation::time_point;

  explicit side(const side_options& how = {})
      : options{how},
        limit{how.limit},
        beat{how.beat},
        out{how.send_mark},
        in{how.receive_mark},
        receives{how.receives},
        talk{begin()} {}
  side(const side&) = delete;
  side& operator=(const side&) = delete;

  // The connection is lost and another one begins; the queues stay.
  void connect_again() {
    out.rewind();
    talk = begin();
  }

  // Reads as a shell does, at most `at_most` bytes at a time; returns how many it took, fewer than
  // all only where it reads no further.
  std::size_t hear(std::string_view bytes, std::size_t at_most = everything) {
    std::size_t taken = 0;
    while (taken < bytes.size()) {
      const auto to = talk.prepare();
      if (to.empty()) {
        break;
      }
      const auto count = std::min({to.size(), at_most, bytes.size() - taken});
      std::memcpy(to.data(), bytes.data() + taken, count);
      talk.commit(count, now);
      taken += count;
      digest();
    }
    return taken;
  }

  // Decodes what may be decoded, answers events.
  void digest() {
    for (;;) {
      talk.receive_into(in);
      if (receives) {
        receive_all();
      }
      const auto event = talk.next_event();
      if (event) {
        note(*event);
      } else if (!receives || !talk.blocked()) {
        return;
      }
    }
  }

  void receive_all() {
    while (!in.empty()) {
      received.push_back(heard_message(in.pop()));
    }
  }

  // Writes up to `at_most` bytes of the output, and returns them.
  std::string say(std::size_t at_most = everything) {
    std::string said;
    while (said.size() < at_most) {
      const auto now_said = offer(at_most - said.size());
      if (now_said.empty()) {
        break;
      }
      talk.advance(now_said.size(), out);
      said += now_said;
    }
    return said;
  }

  // Returns the next output, up to `at_most` bytes, without writing it.
  std::string offer(std::size_t at_most = everything) {
    std::array<conversation::piece, conversation::max_pieces> pieces;
    const auto count = talk.output(pieces, out);
    std::string bytes;
    for (std::size_t i = 0; i < count && bytes.size() < at_most; ++i) {
      const auto taken = std::min(pieces[i].size(), at_most - bytes.size());
      bytes.append(reinterpret_cast<const char*>(pieces[i].data()), taken);
    }
    return bytes;
  }

  // Returns the events since the last call.
  std::vector<std::string> news() { return std::exchange(received, {}); }

  const side_options options;
  limits limit;
  heartbeat_options beat;
  time_point now = time_point{} + std::chrono::hours{1};
  send_queue out;
  receive_queue in;
  bool receives;
  std::vector<std::string> received;
  conversation talk;

private:
  conversation begin() {
    metadata own;
    own.add("Socket-Type", to_string(options.type));
    own.add("Identity", options.identity);
    // With NULL, sends READY without waiting for the peer.
    auto security =
        std::holds_alternative<null_security>(options.security)
            ? std::unique_ptr<mechanism>{std::make_unique<null_mechanism>(std::move(own), limit)}
            : make_mechanism(options.security, handshake_role::accepting, std::move(own), limit,
                             fixed_random(1));
    return conversation{options.type, std::move(security), limit, beat, now};
  }

  void note(const conversation::event& event) {
    struct {
      side& self;
      void operator()(const conversation::authentication_requested&) const {
        self.talk.authenticated();
      }
      void operator()(const conversation::admission_requested&) const {
        self.received.push_back(heard_request());
        if (self.options.admits) {
          self.talk.admit();
        }
      }
      void operator()(const conversation::ready&) const { self.received.push_back(heard_ready()); }
      void operator()(const conversation::subscription& s) const {
        self.received.push_back(s.subscribe ? heard_subscribe(s.topic) : heard_cancel(s.topic));
      }
      void operator()(const conversation::not_reading&) const {
        self.received.push_back(heard_not_reading());
      }
      void operator()(const conversation::closed& c) const {
        self.received.push_back(heard_end(c.reason));
      }
    } write{*this};
    std::visit(write, event);
  }
};

// Carries bytes between two sides until neither has more output or each has closed.
inline void pump(side& a, side& b, std::size_t at_most = everything) {
  for (bool moved = true; moved;) {
    moved = false;
    for (const auto& [from, to] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
      while (from->talk.has_output(from->out)) {
        // Writes no more than the other side reads at once: the rest would be lost.
        const auto said = from->say(std::min(at_most, to->talk.prepare().size()));
        if (said.empty()) {
          break;
        }
        to->hear(said);
        moved = true;
      }
    }
  }
}

// Completes the handshake, and clears its output and events.
inline void shake_hands(side& s, std::string_view peer_type, unsigned peer_minor = 1) {
  s.hear(greeting_of(3, peer_minor) + ready_of(peer_type));
  s.say();
  s.news();
}

}  // namespace zmtp::test
