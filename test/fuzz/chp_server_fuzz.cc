// Clients and the other server of a pair send a server of the map anything, in any order.

#include "chp/command.h"
#include "chp/lineage.h"
#include "chp/log_entry.h"
#include "chp/pair_messages.h"
#include "chp/sequence.h"
#include "chp/server_state.h"
#include "chp/update_id.h"
#include "test/fuzz/frames.h"
#include "test/fuzz/oracle.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace zmtp::fuzz {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t most_keys = 4;
constexpr std::uint32_t peers = 3;
constexpr std::array<std::string_view, 8> keys{"a",      "b",    "/s/a", "/s/b",
                                               "/s/t/c", "/u/d", "e",    "f"};
constexpr std::array<std::string_view, 4> announcements{
    "", "chp-ack=8123456789abcdef", "chp-ack=8123456789abcdef,chp-log", "chp-log,chp-backup"};
constexpr std::array<std::string_view, 4> topics{"", "/s/", "HUGZ", "/u/"};
constexpr std::array<std::string_view, 4> properties{"", "ttl=1\nlow=1\n", "low=1\nasks=1\n",
                                                     "x=y\nttl=bad\n"};

chp::server_options options() {
  chp::server_options o;
  o.limit.max_value_size = 1'000;
  o.map.max_keys = most_keys;
  o.snapshot_piece = 20;
  o.snapshots_of_a_peer = 2;
  o.log.entries = 8;
  o.clients.max_sessions = 3;
  o.ids = 4;
  o.backup_window = 500;
  o.waiting_bytes = 2'000;
  o.feed_bytes = 2'000;
  o.directories = 3;
  return o;
}

metadata metadata_of(std::size_t which) {
  metadata said;
  if (!announcements[which].empty()) {
    said.add("X-Zinc", announcements[which]);
  }
  return said;
}

class run {
public:
  explicit run(chp::server_state::kind as)
      : paired_{as == chp::server_state::kind::paired},
        server_{options(), as, 0x0123'4567'89ab'cdef} {}

  void step(std::string_view& bytes) {
    const auto what = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    const std::size_t more = what / 16;
    const auto peer = static_cast<std::uint32_t>(more % peers);
    was_active_ = server_.active();
    switch (what % 16) {
      case 0: change_subscriber(peer, more / 4); break;
      case 1: change_snapshot_client(peer, more / 4); break;
      case 2:
        if (subscribers_.contains({peer, generation_of_[peer]})) {
          server_.on_subscription({peer, generation_of_[peer]}, topics[more / 4], actions_);
        }
        break;
      case 3: ask(peer, chp::make_snapshot_request(topics[more / 4])); break;
      case 4: ask(peer, take_message(bytes, 1 + more)); break;
      case 5: more % 2 == 0 ? read_snapshot() : greet(peer, bytes, more / 2); break;
      case 6:
      case 7: {
        const auto value = take_message(bytes, 1);
        const auto id = what % 16 == 6 ? chp::update_id{} : next_id(more);
        server_.on_update(chp::make_set(chp::form::kvmsg, keys[more % 8], id, properties[more / 4],
                                        value.empty() ? std::string_view{} : value.front()));
        break;
      }
      case 8: server_.on_update(take_message(bytes, 1 + more % 6)); break;
      case 9:
        if (paired_ && !was_active_) {
          last_number_ = 0;  // it continues after the last update that it has copied
        }
        server_.activate(more % 2 == 0 ? 0 : ++epoch_, now_, actions_);
        break;
      case 10:
        // A server alone is never passive.
        if (paired_ && more % 4 == 0) {
          server_.deactivate(now_, actions_);
        } else {
          server_.suspend(actions_);
        }
        break;
      case 11: now_ += 300ms * (1 + more); break;
      case 12: server_.on_deadline(now_, actions_); break;
      case 13: publish_at_the_other(bytes, more); break;
      case 14: change_source(more); break;
      default: answer_of_the_other(bytes, more); break;
    }
    finish();
    server_.on_turn_end(now_, actions_);
    finish();
  }

private:
  [[nodiscard]] chp::update_id next_id(std::size_t more) {
    // Some come again, and some leave others out.
    counter_ += more % 4;
    return chp::update_id::of_session(chp::update_id::make_session(0x0123'4567'89ab'cdef),
                                      counter_);
  }
  void change_subscriber(std::uint32_t peer, std::size_t announced) {
    const peer_id id{peer, generation_of_[peer]};
    if (subscribers_.erase(id) != 0) {
      server_.on_subscriber_detached(id);
      return;
    }
    const peer_id now{peer, ++generation_of_[peer]};
    subscribers_.insert(now);
    server_.on_subscriber_attached(now, metadata_of(announced));
  }
  void change_snapshot_client(std::uint32_t peer, std::size_t announced) {
    const peer_id id{peer, snapshot_client_generation_of_[peer]};
    if (snapshot_clients_.erase(id) != 0) {
      streams_.erase(id);
      server_.on_snapshot_client_detached(id);
      return;
    }
    const peer_id now{peer, ++snapshot_client_generation_of_[peer]};
    snapshot_clients_.insert(now);
    server_.on_snapshot_client_attached(now, metadata_of(announced));
  }
  void ask(std::uint32_t peer, const message& m) {
    const peer_id id{peer, snapshot_client_generation_of_[peer]};
    if (snapshot_clients_.contains(id) && !m.empty()) {
      static_cast<void>(server_.is_vote(id, m));
      server_.on_snapshot_client_message(id, m, now_, actions_);
    }
  }
  // As the other server, while this one is active.
  void greet(std::uint32_t peer, std::string_view& bytes, std::size_t more) {
    const auto value = take_message(bytes, 1);
    switch (more % 4) {
      case 0:
        greeting_ = more + 1;
        ask(peer, chp::make_message(chp::hello{.greeting = greeting_,
                                               .end = other_number_,
                                               .durable = other_number_,
                                               .lacks_data = more == 0,
                                               .reigns = reigns(more / 4)}));
        break;
      case 1:
        greeting_ = more + 1;
        ask(peer, chp::make_message(chp::hello{.greeting = greeting_,
                                               .end = server_.number(),
                                               .durable = server_.number(),
                                               .reigns = own_reigns_}));
        break;
      default:
        ask(peer, chp::make_message(chp::confirmation{
                      .greeting = greeting_,
                      .durable = more % 4 == 2 ? server_.number() : other_number_}));
        break;
    }
  }
  [[nodiscard]] chp::lineage reigns(std::size_t rows) const {
    chp::lineage all;
    for (std::size_t n = 1; n <= rows; ++n) {
      all.begin_reign(n, n, chp::make_sequence(n, 1));
    }
    if (!all.empty() && all.end() < other_number_) {
      all.extend(other_number_);
    }
    return all;
  }
  void read_snapshot() {
    if (!streams_.empty()) {
      const auto id = *streams_.begin();
      streams_.erase(streams_.begin());
      server_.on_writable(id, actions_);
    }
  }

  // The other server of a pair, which is active.
  void publish_at_the_other(std::string_view& bytes, std::size_t more) {
    if (!paired_ || !feed_) {
      return;
    }
    if (more == 0) {
      server_.on_feed_detached(actions_);
    } else if (more < 8) {
      const auto value = take_message(bytes, 1);
      other_number_ += more % 3;
      server_.on_publication(
          chp::make_entry(chp::form::kvmsg, keys[more], other_number_, next_id(more).bytes(), {},
                          value.empty() ? std::string_view{} : value.front()),
          now_, actions_);
    } else {
      auto m = more < 12 ? chp::make_heartbeat() : take_message(bytes, 5);
      if (!m.empty()) {
        server_.on_publication(std::move(m), now_, actions_);
      }
    }
  }
  void change_source(std::size_t more) {
    if (!paired_) {
      return;
    }
    if (source_) {
      source_ = false;
      server_.on_source_detached();
      return;
    }
    server_.on_peer_state({more % 2 == 0, more % 3 == 0, more % 5 == 0}, other_number_);
    if (more % 5 == 0) {
      server_.on_peer_unresponsive();
    }
    source_ = true;
    server_.on_source_attached(metadata_of(more % announcements.size()), now_, actions_);
  }
  void answer_of_the_other(std::string_view& bytes, std::size_t more) {
    if (!source_) {
      return;
    }
    const auto value = take_message(bytes, more < 14 ? 1 : more - 9);
    const auto text = value.empty() ? std::string_view{} : value.front();
    auto m = more < 14 ? answer(more, text) : value;
    if (!m.empty()) {
      server_.on_source_message(m, now_, 1'700'000'000'000ms, actions_);
    }
  }
  [[nodiscard]] message answer(std::size_t more, std::string_view text) {
    switch (more) {
      case 0:
        return chp::make_message(
            chp::follow{.greeting = said_, .common = server_.number(), .needed = other_number_});
      case 1:
        return chp::make_message(
            chp::follow{.greeting = said_, .common = 0, .start = other_number_, .is_copy = true});
      case 2:
      case 3:
        return chp::make_message(chp::follow{.greeting = said_,
                                             .common = other_number_ / 2,
                                             .start = other_number_,
                                             .is_copy = more == 3});
      case 4: return entries_of(chp::entry_kind::reign, text, 1);
      case 5: return entries_of(chp::entry_kind::set, text, 1);
      case 6: return entries_of(chp::entry_kind::erasure, {}, 1);
      case 7: return entries_of(chp::entry_kind::refusal, {}, 2);
      case 8: {
        std::string row;
        chp::append_record(row, {.number = other_number_, .key = keys[1], .value = text});
        return chp::make_message(
            chp::copy_piece{.greeting = said_, .kind = chp::copied::map, .rows = row});
      }
      case 9:
        return chp::make_message(chp::copy_piece{
            .greeting = said_,
            .kind = static_cast<chp::copied>(1 + (text.empty() ? 0 : text.front() & 3)),
            .rows = text});
      case 10:
        return chp::make_message(
            chp::copy_end{.greeting = said_, .commit = other_number_, .reigns = reigns(1)});
      case 11: return chp::make_entry(chp::form::kvmsg, keys[2], other_number_, {}, {}, text);
      case 12: return chp::make_snapshot_end(chp::form::kvmsg, other_number_, {}, text);
      default: return chp::make_lineage(reigns(1), other_number_);
    }
  }
  [[nodiscard]] message entries_of(chp::entry_kind kind, std::string_view value,
                                   std::uint64_t step) {
    const bool begins = kind == chp::entry_kind::reign;
    other_number_ = begins ? chp::make_sequence(++epoch_, 1) : other_number_ + step;
    chp::log_entry e{.number = other_number_, .kind = kind, .argument = begins ? epoch_ : 0};
    if (!begins) {
      e.id = next_id(1);
      e.low = 1;
      e.key = keys[other_number_ % keys.size()];
      e.value = value;
    }
    std::string records;
    chp::append_record(records, e);
    return chp::make_message(
        chp::entries{.greeting = said_, .commit = other_number_, .records = records});
  }

  void finish() {
    const auto actions = std::exchange(actions_, {});
    require(actions.write.empty(), "without a store nothing is written");
    for (const auto m : actions.publish) {
      require(was_active_ || server_.active(), "only an active server publishes");
      follow(m.to_message());
    }
    for (const auto& [to, content] : actions.tell) {
      require(subscribers_.contains(to), "what is told has a subscriber");
      require(!content.empty(), "… and a content");
    }
    for (const auto& [to, content] : actions.reply) {
      require(snapshot_clients_.contains(to), "a reply has an requester");
      require(!content.empty(), "… and a content");
    }
    for (const auto id : actions.stream) {
      require(snapshot_clients_.contains(id), "a snapshot has an requester");
      streams_.insert(id);
    }
    for (const auto id : actions.close_snapshot_clients) {
      require(snapshot_clients_.contains(id), "who is closed is there");
    }
    for (const auto id : actions.close_subscribers) {
      require(subscribers_.contains(id), "who is closed is there");
    }
    require(paired_ || (actions.ask.empty() && !actions.follow_feed.value_or(false) &&
                        !actions.reconnect_source),
            "one that is alone asks nobody");
    feed_ = actions.follow_feed.value_or(feed_);
    source_ = source_ && !actions.reconnect_source;
    for (const auto& m : actions.ask) {
      const auto asked = chp::parse_pair_message(m);
      if (const auto* const greeting = asked ? std::get_if<chp::hello>(&*asked) : nullptr) {
        said_ = greeting->greeting;
        own_reigns_ = greeting->reigns;
      }
    }
    if (actions.lost) {
      std::string lines;
      while (server_.read_lost(*actions.lost, lines, 100) == chp::lost_read::more) {
      }
      server_.on_lost_written(*actions.lost, {});
    }
    check();
  }
  // A client that receives everything has the same map.
  void follow(const message& m) {
    const auto said = chp::parse_publication(m, chp::form::kvmsg, options().limit);
    require(said.has_value(), "what is published can be read");
    const auto* const u = std::get_if<chp::update>(&*said);
    if (u == nullptr) {
      return;
    }
    require(u->number > last_number_, "numbers rise");
    last_number_ = u->number;
    if (u->erases()) {
      followed_.erase(std::string{u->key});
    } else {
      followed_[std::string{u->key}] = u->value;
    }
  }
  void check() {
    const auto s = server_.status();
    const auto limit = paired_ ? 2 * most_keys : most_keys;
    require(s.keys <= limit, "the limit of keys holds");
    require(s.active == server_.active(), "the state is told");
    std::map<std::string, std::string> content;
    server_.map().for_each({}, [&](const chp::store::entry& e) {
      content.emplace(e.key(), e.value());
      return true;
    });
    require(content.size() == s.keys, "keys are counted");
    if (!paired_) {
      require(content == followed_, "the map is what was published");
    }
  }

  const bool paired_;
  chp::server_state server_;
  chp::server_actions actions_;
  chp::server_state::time_point now_{1h};
  std::array<std::uint32_t, peers> generation_of_{};
  std::array<std::uint32_t, peers> snapshot_client_generation_of_{};
  std::set<peer_id> subscribers_;
  std::set<peer_id> snapshot_clients_;
  std::set<peer_id> streams_;
  std::map<std::string, std::string> followed_;
  chp::sequence last_number_ = 0;
  chp::sequence other_number_ = 0;
  std::uint64_t counter_ = 0;
  std::uint64_t epoch_ = 0;
  std::uint64_t greeting_ = 0;  // in the last HELLO of the other server
  std::uint64_t said_ = 0;      // in the last HELLO of this server
  chp::lineage own_reigns_;     // what it said
  bool was_active_ = false;
  bool feed_ = false;
  bool source_ = false;
};

}  // namespace
}  // namespace zmtp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const auto as : {chp::server_state::kind::alone, chp::server_state::kind::paired}) {
    zmtp::fuzz::run one{as};
    for (auto bytes = zmtp::fuzz::text_of(data, size); !bytes.empty();) {
      one.step(bytes);
    }
  }
  return 0;
}
