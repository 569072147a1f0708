#pragma once
// The programs of the participants: each opens the socket of its type, and sends, receives or
// answers parcels.

#include "test/zmtp/simulation/history.h"
#include "test/zmtp/simulation/participant.h"
#include "test/zmtp/simulation/planted_fault.h"
#include "zmtp/message.h"
#include "zmtp/simulation/world.h"
#include "zmtp/socket/pipeline_sockets.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp::simulation {

class programs {
public:
  programs(world& in, const participants& all, history& of, planted_fault fault)
      : world_{in}, all_{all}, history_{of}, fault_{std::move(fault)} {}
  programs(const programs&) = delete;
  programs& operator=(const programs&) = delete;

  // The process of `p` must not be running.
  void start(participant& p);
  void kill(participant& p, death how);
  // Adds a topic to a SUB or XSUB.
  void subscribe(participant& p, std::string_view topic);
  // Ends all endpoints, and so all connections.
  void leave(participant& p);
  // From now on subscriptions do not change, and each publication must come to its subscribers.
  void settle_down() noexcept { settled_ = true; }
  // Returns whether what `publisher` publishes under `topic` must come to a subscriber.
  [[nodiscard]] bool is_due(const participant& subscriber, const participant& publisher,
                            std::string_view topic) const;

private:
  template <class T = void>
  using awaitable = boost::asio::awaitable<T>;
  using batch = std::vector<routed_message>;
  struct answer {
    peer_id to;
    parcel request;
    std::vector<std::string> envelope;
  };

  template <class Socket>
  awaitable<> live(participant& p);
  awaitable<> pause(std::chrono::milliseconds most);
  awaitable<> wait_for_turn(participant& p);

  awaitable<> converse(participant& p, push_socket& socket);
  awaitable<> converse(participant& p, pull_socket& socket);
  awaitable<> converse(participant& p, dealer_socket& socket);
  awaitable<> converse(participant& p, pair_socket& socket);
  awaitable<> converse(participant& p, router_socket& socket);
  awaitable<> converse(participant& p, req_socket& socket);
  awaitable<> converse(participant& p, rep_socket& socket);
  awaitable<> converse(participant& p, pub_socket& socket);
  awaitable<> converse(participant& p, xpub_socket& socket);
  awaitable<> converse(participant& p, sub_socket& socket);
  awaitable<> converse(participant& p, xsub_socket& socket);

  template <class Socket>
  awaitable<> speak(participant& p, Socket& socket);
  template <class Socket>
  static awaitable<batch> receive(Socket& from);
  template <class Socket>
  awaitable<> listen(participant& p, Socket& socket);
  template <class Socket>
  awaitable<> publish(participant& p, Socket& socket);
  template <class Socket>
  awaitable<> follow(participant& p, Socket& socket);
  awaitable<> send_answers(participant& p, router_socket& socket, std::deque<answer>& answers);
  void send_to(participant& p, router_socket& socket, const answer& what);
  void grant(const participant& p, xpub_socket& socket, const routed_message& action);

  [[nodiscard]] message wrap_next(const participant& p, parcel& next,
                                  std::span<const std::string_view> envelope);
  [[nodiscard]] std::size_t receivers_of(const participant& p, std::string_view topic) const;
  void change_topic(participant& p, bool begins, std::string_view topic);
  void change_some_topic(participant& p);
  // Records what is received, after a planted fault.
  void edit(const participant& p, batch& got) const;
  void record(const participant& p, batch& got);

  world& world_;
  const participants& all_;
  history& history_;
  planted_fault fault_;
  bool settled_ = false;
};

}  // namespace zmtp::simulation
