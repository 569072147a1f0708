// Clients and workers send a broker anything, in any order.

#include "mdp/broker_state.h"
#include "mdp/command.h"
#include "test/fuzz/frames.h"
#include "test/fuzz/oracle.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace zmtp::fuzz {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t peers = 4;
constexpr std::size_t requests_of_a_client = 3;
constexpr std::size_t capacity = 3;  // announced by workers
constexpr std::array<std::string_view, 8> services{
    "echo", "once", "hangs", "raw", "x", "mmi.broker", "mmi.services", "mmi.service"};
constexpr std::array<std::string_view, 4> announcements{"", "capacity=3", "mdp-errors",
                                                        "capacity=x"};

mdp::broker_options options() {
  mdp::broker_options o;
  o.client_limit.requests = requests_of_a_client;
  o.gathered_limit.parts = 4;
  o.unknown_services = 2;
  mdp::service_options once;
  once.idempotent = false;
  mdp::service_options hangs;
  hangs.busy_timeout = 2s;
  hangs.busy_expiry = 4s;
  hangs.queue_timeout = 3s;
  mdp::service_options raw;
  raw.raw_client_address = true;
  o.rules = {{"once", once}, {"hangs", hangs}, {"raw", raw}};
  return o;
}

class run {
public:
  void step(std::string_view& bytes) {
    const auto what = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    const std::size_t peer = what % peers;
    const std::size_t more = what / 32;
    switch (what / peers % 8) {
      case 0:
        detach(peer);
        attach(peer, announcements[more % announcements.size()]);
        break;
      case 1: detach(peer); break;
      case 2: now_ += 400ms * (1 + more); break;
      case 3: broker_.on_deadline(now_, actions_); break;
      case 4: say(peer, take_message(bytes, 1 + more)); break;
      case 5: {
        const auto attempt = attempt_of(bytes);
        auto m = take_message(bytes, 1 + more % 2);
        if (!m.empty()) {
          mdp::push_client_request(m, more % 2 == 0 ? mdp::version::v01 : mdp::version::v02,
                                   services[more], attempt);
          say(peer, with_empty_frame(std::move(m), more % 2 == 0));
        }
        break;
      }
      case 6: {
        const auto v = more % 2 == 0 ? mdp::version::v01 : mdp::version::v02;
        if (more == 7) {
          say(peer, mdp::make_drain(v));
        } else if (more / 2 % 2 == 0) {
          say(peer, mdp::make_ready(v, services[more % 4]));
        } else {
          say(peer, more / 4 == 0 ? mdp::make_heartbeat(mdp::dialect_of(v))
                                  : mdp::make_disconnect(mdp::dialect_of(v)));
        }
        break;
      }
      default: {
        auto& of = all_[peer];
        const bool refuses = !bytes.empty() && bytes.front() == '\xfe';
        const bool fails = !bytes.empty() && bytes.front() == '\xff';
        auto m = take_message(bytes, 1 + more % 2);
        if ((refuses || fails) && !of.given.empty()) {
          const auto given = of.given.front();
          of.given.pop_front();
          say(peer, mdp::make_nack(given.how,
                                   refuses ? mdp::nack_reason::refused : mdp::nack_reason::failed,
                                   given.address));
        } else if (!m.empty() && !of.given.empty()) {
          const auto given = of.given.front();
          const bool final = given.how == mdp::version::v01 || more / 2 % 2 == 0;
          if (final) {
            of.given.pop_front();
          }
          mdp::push_worker_reply(m, given.how, final, given.address);
          say(peer, std::move(m));
        }
        break;
      }
    }
    finish();
  }

  // After all peers have disconnected, nothing is left.
  void end() {
    for (std::size_t i = 0; i != peers; ++i) {
      detach(i);
      finish();
    }
    const auto s = broker_.status();
    require(s.waiting == 0 && s.working == 0, "no request is left without peers");
    require(s.peers == 0 && s.clients == 0 && s.workers == 0, "no peer is left");
  }

private:
  struct request {
    mdp::version how;
    std::string address;
  };
  struct peer_record {
    bool attached = false;
    bool closed = false;  // by the broker, and its detach has not come yet
    bool paused = false;
    std::uint32_t generation = 0;
    std::deque<request> given{};
  };

  // One of few keys, so that some come again, for a message whose first byte asks for it.
  static std::optional<mdp::keyed_attempt> attempt_of(std::string_view bytes) {
    const auto first = bytes.empty() ? 0U : static_cast<unsigned char>(bytes.front());
    if (first % 4 != 3) {
      return std::nullopt;
    }
    mdp::keyed_attempt attempt;
    attempt.key.fill(static_cast<char>('a' + first / 4 % 2));
    attempt.number = 1 + first / 8 % 4;
    attempt.may_begin = first / 32 % 2 == 0;
    return attempt;
  }
  static message with_empty_frame(message m, bool wanted) {
    if (wanted && !m.front().empty()) {
      m.push_front({});
    }
    return m;
  }
  [[nodiscard]] peer_id id_of(std::size_t peer) const {
    return {static_cast<std::uint32_t>(peer), all_[peer].generation};
  }
  void attach(std::size_t peer, std::string_view announced) {
    auto& of = all_[peer];
    const auto generation = of.generation + 1;
    of = {};
    of.attached = true;
    of.generation = generation;
    metadata said;
    if (!announced.empty()) {
      said.add("X-Zinc", announced);
    }
    broker_.on_attached(id_of(peer), std::to_string(peer), said, now_, actions_);
  }
  void detach(std::size_t peer) {
    if (std::exchange(all_[peer].attached, false)) {
      broker_.on_detached(id_of(peer), now_, actions_);
    }
  }
  // A shell does not read from a peer that is paused.
  void say(std::size_t peer, message&& m) {
    if (all_[peer].attached && !all_[peer].paused && !m.empty()) {
      broker_.on_message(id_of(peer), std::move(m), now_, actions_);
    }
  }
  [[nodiscard]] peer_record& known(peer_id id) {
    require(id.slot < peers && all_[id.slot].attached && !all_[id.slot].closed &&
                all_[id.slot].generation == id.generation,
            "what is done concerns a peer that is there");
    return all_[id.slot];
  }

  void finish() {
    const auto actions = std::exchange(actions_, {});
    for (const auto& [to, content] : actions.sends) {
      take(known(to), content);
    }
    for (const auto id : actions.pause) {
      require(!std::exchange(known(id).paused, true), "a peer is paused once");
    }
    for (const auto id : actions.resume) {
      require(std::exchange(known(id).paused, false), "what goes on was paused");
    }
    for (const auto id : actions.close) {
      known(id).closed = true;
    }
    broker_.compact();
    check();
  }
  // Checks that a sent message is a command. Keeps a request for its reply.
  static void take(peer_record& to, const message& content) {
    const std::size_t at = content.front().empty() ? 1 : 0;
    require(content.size() > at + 1, "a command has a header and more");
    const auto header = content[at];
    const bool worker = header == "MDPW01" || header == "MDPW02";
    require(worker || header == "MDPC01" || header == "MDPC02",
            "a command has one of four headers");
    if (worker && content[at + 1] == "\2") {
      require(content.size() > at + 4 && content[at + 3].empty(),
              "a request has an address, an empty frame and a body");
      to.given.push_back({header == "MDPW01" ? mdp::version::v01 : mdp::version::v02,
                          std::string{content[at + 2]}});
    }
  }
  void check() const {
    const auto s = broker_.status();
    const auto& c = s.counters;
    const auto ends = c.replies + c.expired + c.exhausted + c.declined + c.failed + c.stopped +
                      c.cut_short + c.abandoned + c.oversized;
    require(ends <= c.requests, "a request ends once");
    require(s.waiting <= c.requests - ends, "what waits has not ended");
    require(s.waiting <= requests_of_a_client * peers, "a client's limit holds");
    require(s.working <= capacity * peers, "a worker has as many as it announced");
    const auto attached = static_cast<std::size_t>(
        std::count_if(all_.begin(), all_.end(), [](const auto& one) { return one.attached; }));
    require(s.peers <= attached && s.clients + s.workers <= s.peers, "it knows its peers");
  }

  mdp::broker_state broker_{options(), 0x0123'4567'89ab'cdef};
  mdp::broker_actions actions_;
  mdp::broker_state::time_point now_{1h};
  std::array<peer_record, peers> all_{};
};

}  // namespace
}  // namespace zmtp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  zmtp::fuzz::run one;
  for (auto bytes = zmtp::fuzz::text_of(data, size); !bytes.empty();) {
    one.step(bytes);
  }
  one.end();
  return 0;
}
