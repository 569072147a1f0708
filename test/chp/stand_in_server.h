#pragma once
// A minimal server of the clustered hashmap, so that a test controls each of its steps. The server has a map,
// answers requests, publishes and answers updates, each while the test allows it.

#include "chp/announcement.h"
#include "chp/answers.h"
#include "chp/command.h"
#include "chp/lineage.h"
#include "chp/properties.h"
#include "chp/server_address.h"
#include "chp/truth.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/any_io_executor.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chp::test {

class stand_in_server {
public:
  explicit stand_in_server(const boost::asio::any_io_executor& executor)
      : router_{executor, options()},
        publisher_{executor, publisher_options()},
        collector_{executor} {
    collector_.subscribe("");
    at_ = {router_.bind("tcp://127.0.0.1:*").to_string(),
           publisher_.bind("tcp://127.0.0.1:*").to_string(),
           collector_.bind("tcp://127.0.0.1:*").to_string()};
    hear_router();
    hear_publisher();
    hear_collector();
  }

  [[nodiscard]] const server_address& address() const noexcept { return at_; }

  void set(std::string_view key, std::string_view value, const update_id& id = {}) {
    value.empty() ? void(map.erase(std::string{key}))
                  : void(map.insert_or_assign(std::string{key}, std::string{value}));
    static_cast<void>(
        publisher_.try_send(make_entry(form::kvmsg, key, ++number, id.bytes(), {}, value)));
  }
  // Tells the outcome of all updates of each session.
  void acknowledge(errc why = {}) {
    for (const auto& [session, counter] : applied_) {
      const answer_range all{{1, counter}, number, says, why};
      std::string properties;
      append_answers(properties, {&all, 1});
      tell(session, properties);
    }
  }
  // Forgets all sessions. The client hears of it on the connection of its session.
  void forget_sessions() {
    std::string properties;
    append_property(properties, property_name::unknown, std::uint64_t{1});
    for (const auto& [session, counter] : std::exchange(applied_, {})) {
      tell(session, properties);
    }
  }
  [[nodiscard]] std::size_t sessions() const noexcept { return sessions_.size(); }

  // The server becomes active, and publishes that.
  void wake() {
    answers = true;
    static_cast<void>(publisher_.try_send(make_heartbeat()));
  }

  bool answers = true;
  bool acknowledges = true;
  truth says = truth::both_servers;
  lineage history;  // without the present reign, which has the epoch of `number` and the tag 7
  std::map<std::string, std::string> map;
  sequence number = 0;
  std::size_t sets = 0;             // KVSETs that came, each counted once
  std::vector<std::string> topics;  // topics in the order of their subscriptions
  std::array<std::set<zmtp::socket_type>, 3> peer_types;  // peers of its three ports

private:
  static zmtp::socket_options options() {
    zmtp::socket_options options;
    options.announce_peers = true;
    options.extensions = {"chp-ack", "chp-log"};
    options.linger = std::chrono::milliseconds{0};
    return options;
  }

  static zmtp::socket_options publisher_options() {
    auto own = options();
    own.xpub.announce_as_pub = true;
    own.send_mark.messages.reset();
    own.xpub.notifications = zmtp::xpub_options::notices::all;
    return own;
  }

  void note_type(std::size_t port, const zmtp::peer_info* info) {
    if (info != nullptr && info->type) {
      peer_types[port].insert(*info->type);
    }
  }

  void tell(std::uint64_t session, const std::string& properties) {
    if (const auto peer = sessions_.find(session); peer != sessions_.end()) {
      static_cast<void>(publisher_.try_send(peer->second, make_heartbeat(properties)));
    }
  }
  [[nodiscard]] lineage all_history() const {
    auto all = history;
    if (all.empty() || epoch_of(number) > all.last().epoch) {
      all.begin_reign(epoch_of(number), 7, number);
    }
    all.extend(std::max(all.end(), number));
    return all;
  }

  void hear_router() {
    router_.async_receive([this](zmtp::error_code ec, const zmtp::routed_message& m) {
      if (ec) {
        return;
      }
      note_type(0, router_.info(m.peer));
      if (m.what == zmtp::routed_message::kind::message && answers) {
        const auto subtree = *parse_snapshot_request(m.content);
        for (const auto& [key, value] : map) {
          if (key.starts_with(subtree)) {
            static_cast<void>(
                router_.try_send(m.peer, make_entry(form::kvmsg, key, number, {}, {}, value)));
          }
        }
        static_cast<void>(router_.try_send(m.peer, make_lineage(all_history(), number)));
        static_cast<void>(
            router_.try_send(m.peer, make_snapshot_end(form::kvmsg, number, subtree)));
      }
      hear_router();
    });
  }
  void hear_publisher() {
    publisher_.async_receive([this](zmtp::error_code ec, const zmtp::routed_message& m) {
      if (ec) {
        return;
      }
      if (m.what == zmtp::routed_message::kind::attached) {
        const auto* const info = publisher_.info(m.peer);
        note_type(1, info);
        if (info != nullptr) {
          if (const auto session = parse_announcement(info->properties).session) {
            sessions_[*session] = m.peer;
          }
        }
      } else if (m.what == zmtp::routed_message::kind::message &&
                 m.content.front().starts_with('\1')) {
        topics.emplace_back(m.content.front().substr(1));
        if (answers && topics.back() == "HUGZ") {
          static_cast<void>(publisher_.try_send(m.peer, make_heartbeat()));
        }
      }
      hear_publisher();
    });
  }
  void hear_collector() {
    collector_.async_receive([this](zmtp::error_code ec, const zmtp::message& m) {
      if (ec) {
        return;
      }
      for (const auto& each : collector_.peers()) {
        note_type(2, &each.info);
      }
      if (const auto set_to = parse_set(m, form::kvmsg, {})) {
        const auto id = update_id::of_frame(set_to->id);
        if (auto& counter = applied_[id.session()]; id.counter() > counter) {
          counter = id.counter();
          ++sets;
          set(set_to->key, set_to->value, id);
        }
        if (acknowledges) {
          acknowledge();
        }
      }
      hear_collector();
    });
  }

  zmtp::router_socket router_;
  zmtp::xpub_socket publisher_;
  zmtp::sub_socket collector_;
  server_address at_;
  std::map<std::uint64_t, zmtp::peer_id> sessions_;
  std::map<std::uint64_t, std::uint64_t> applied_;  // the last counter of each session
};

}  // namespace chp::test
