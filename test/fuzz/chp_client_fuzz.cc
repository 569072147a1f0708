// Servers send a client of the map anything, in any order, while the client sets keys.

#include "chp/answers.h"
#include "chp/client_state.h"
#include "chp/command.h"
#include "chp/lineage.h"
#include "chp/properties.h"
#include "chp/sequence.h"
#include "chp/update_id.h"
#include "test/fuzz/frames.h"
#include "test/fuzz/oracle.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace zmtp::fuzz {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t servers = 2;
constexpr std::size_t most_keys = 4;
constexpr auto session = chp::update_id::make_session(0x0123'4567'89ab'cdef);
constexpr std::array<std::string_view, 8> keys{"a",      "b",    "/s/a", "/s/b",
                                               "/s/t/c", "/u/d", "e",    "f"};

chp::client_options options(std::string_view subtree) {
  chp::client_options o;
  o.subtree = subtree;
  o.pending_updates = 3;
  o.kept_updates = 2;
  o.most_keys = most_keys;
  o.most_value_bytes = 1'000;
  o.most_bytes_behind_snapshot = 2'000;
  return o;
}

class run {
public:
  explicit run(std::string_view subtree)
      : subtree_{subtree}, client_{servers, options(subtree), session} {
    client_.tell_changes(true);
    client_.start(now_, actions_);
    finish();
  }

  void step(std::string_view& bytes) {
    const auto what = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    const std::size_t more = what / 16;
    switch (what % 16) {
      case 0:
        if (open_ && !std::exchange(subscribed_, true)) {
          client_.on_subscriber_attached(more % 2 == 0, now_, actions_);
        }
        break;
      case 1:
        if (asking_ && !std::exchange(snapshot_, true)) {
          client_.on_snapshot_attached(now_, actions_);
        }
        break;
      case 2:
        if (subscribed_ || snapshot_) {
          client_.on_lost(now_, actions_);
        } else if (open_) {
          client_.on_unreachable(now_, actions_);
        }
        break;
      case 3: now_ += 200ms * (1 + more); break;
      case 4: client_.on_deadline(now_, actions_); break;
      case 5: set(take_message(bytes, 1), more); break;
      case 6:
        more % 4 == 0
            ? client_.on_collector_detached(more / 4 % servers)
            : client_.on_collector_subscribed(more / 4 % servers, more > 127, now_, actions_);
        break;
      case 7:
        if (!marks_.empty()) {
          const auto [server, mark] = *marks_.begin();
          marks_.erase(marks_.begin());
          client_.on_written(server, mark, now_, actions_);
        }
        break;
      case 8:
        if (!open_tickets_.empty()) {
          const auto ticket = *open_tickets_.begin();
          open_tickets_.erase(ticket);
          static_cast<void>(client_.cancel(ticket));
        }
        break;
      case 9:
        answer(chp::make_entry(chp::form::kvmsg, keys[more % 8], number_, {}, {}, text(bytes)));
        break;
      case 10:
        if (more % 4 != 0) {
          chp::lineage rows;
          rows.begin_reign(chp::epoch_of(number_), more / 4, number_ + more);
          answer(chp::make_lineage(rows, number_ + more));
        }
        answer(chp::make_snapshot_end(chp::form::kvmsg, number_, subtree_, text(bytes)));
        break;
      case 11: answer(take_message(bytes, 1 + more % 6)); break;
      case 12:
      case 13: {
        number_ += more / 8 + (what % 16 == 12 ? 1U : 0U);
        const auto value = text(bytes);
        tell(chp::make_entry(chp::form::kvmsg, keys[more % 8], number_,
                             chp::update_id::of_session(session, more).bytes(), {}, value));
        break;
      }
      case 14: {
        std::string properties;
        if (more % 2 == 0) {
          const chp::answer_range one{{1 + more / 4, 1 + more / 2},
                                      number_,
                                      static_cast<chp::truth>(1 + more % 4),
                                      more % 3 == 0 ? chp::errc::too_many_keys : chp::errc{}};
          chp::append_answers(properties, {&one, 1});
        } else if (more % 4 == 1) {
          chp::append_property(properties, chp::property_name::degraded, more / 8);
        } else if (more == 15) {
          chp::append_property(properties, chp::property_name::unknown, 1);
        }
        tell(chp::make_heartbeat(properties));
        break;
      }
      default: tell(take_message(bytes, 1 + more % 6)); break;
    }
    finish();
    while (!client_.tidy(1)) {
    }
  }

private:
  static std::string text(std::string_view& bytes) {
    const auto m = take_message(bytes, 1);
    return m.empty() ? std::string{} : std::string{m.front()};
  }
  void set(const message& value, std::size_t more) {
    const auto given = client_.add_update(
        std::string{keys[more % 8]},
        more % 7 == 0 || value.empty() ? std::nullopt : std::optional{std::string{value.front()}},
        {.ttl = more / 8 == 0 ? std::nullopt : std::optional{1s},
         .for_both = more % 5 == 0,
         .end = more % 3 == 0 ? std::optional{now_ + 500ms} : std::nullopt},
        now_, actions_);
    if (given) {
      require(open_tickets_.insert(*given).second, "no ticket is given twice");
    }
  }
  void answer(const message& m) {
    if (snapshot_ && !m.empty()) {
      client_.on_snapshot_message(m, now_, actions_);
    }
  }
  void tell(const message& m) {
    if (subscribed_ && !m.empty()) {
      client_.on_subscriber_message(m, now_, actions_);
    }
  }

  void finish() {
    const auto actions = std::exchange(actions_, {});
    for (const auto& c : actions.connections) {
      connect(c);
    }
    require(actions.asks.empty() || snapshot_, "what is asked has a connection");
    for (const auto& p : actions.publications) {
      require(p.server < servers, "what is published goes to a server");
      require(chp::parse_set(p.content, chp::form::kvmsg, {}).has_value(), "… and can be read");
    }
    for (const auto& w : actions.await_written) {
      marks_.emplace(w.server, w.mark);
    }
    for (const auto& c : actions.changes) {
      require(c.key.starts_with(subtree_), "a change is of our subtree");
      if (c.erased()) {
        require(notified_.erase(c.key) == 1, "what is erased was there");
      } else {
        notified_[c.key] = c.value;
      }
    }
    for (const auto& c : actions.completions) {
      require(open_tickets_.erase(c.ticket) == 1, "an update ends once");
    }
    if (actions.needs_session) {
      client_.begin_session(chp::update_id::make_session(++sessions_), now_, actions_);
      finish();
    }
    require(!actions.became_ready || !std::exchange(ready_, true), "it becomes ready once");
    check();
  }
  void connect(const chp::client_actions::connecting& c) {
    using enum chp::client_actions::connection;
    require(c.server < servers, "a connection is to a server");
    switch (c.what) {
      case close: open_ = asking_ = subscribed_ = snapshot_ = false; break;
      case open:
        require(!open_, "there is one server at a time");
        open_ = asking_ = true;
        break;
      case renew_snapshot:
        asking_ = true;
        snapshot_ = false;
        break;
      case close_snapshot: asking_ = snapshot_ = false; break;
    }
  }
  void check() const {
    std::map<std::string, std::string> content;
    client_.map().for_each({}, [&](const chp::store::entry& e) {
      content.emplace(e.key(), e.value());
      return true;
    });
    require(content.size() <= most_keys, "the limit of keys holds");
    require(content == notified_, "the map is what was told");
    require(client_.ready() == ready_, "that it is ready is told");
    const auto s = client_.status();
    require(s.keys == content.size() && s.sent <= 3 && s.kept <= 2, "what is counted is so");
  }

  std::string_view subtree_;
  std::uint64_t sessions_ = 0;
  chp::client_state client_;
  chp::client_actions actions_;
  chp::client_state::time_point now_{1h};
  bool open_ = false;        // to the current server
  bool asking_ = false;      // … the DEALER too
  bool subscribed_ = false;  // they are attached
  bool snapshot_ = false;
  bool ready_ = false;
  chp::sequence number_ = 0;
  std::set<std::uint64_t> open_tickets_;
  std::set<std::pair<std::size_t, std::uint64_t>> marks_;
  std::map<std::string, std::string> notified_;
};

}  // namespace
}  // namespace zmtp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const std::string_view subtree : {"", "/s/"}) {
    zmtp::fuzz::run one{subtree};
    for (auto bytes = zmtp::fuzz::text_of(data, size); !bytes.empty();) {
      one.step(bytes);
    }
  }
  return 0;
}
