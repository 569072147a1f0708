#pragma once
// The programs of the participants: each opens the socket of its type, and sends, receives or
// answers parcels.

#include "test/zmtp/simulation/history.h"
#include "test/zmtp/simulation/participant.h"
#include "zmtp/message.h"
#include "zmtp/simulation/world.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace zmtp::simulation {

class programs {
public:
  // A planted fault: what a receiver records instead of a message that it received.
  using edit = std::function<std::vector<message>(message)>;

  programs(world& in, const participants& all, const pair_of_types& types, history& of,
           edit planted)
      : world_{in}, all_{all}, types_{types}, history_{of}, edit_{std::move(planted)} {}
  programs(const programs&) = delete;
  programs& operator=(const programs&) = delete;

  // The process of `p` must not be running.
  void start(participant& p);

private:
  template <class T = void>
  using awaitable = boost::asio::awaitable<T>;

  template <class Socket>
  awaitable<> live(participant& p);
  template <class Socket>
  awaitable<> speak(participant& p, Socket& socket);
  template <class Socket>
  awaitable<> listen(participant& p, Socket& socket);
  awaitable<> ask(participant& p, req_socket& socket);
  awaitable<> answer(participant& p, rep_socket& socket);
  awaitable<> answer(participant& p, router_socket& socket);
  awaitable<bool> wait_for_turn(participant& p);
  std::optional<parcel> record(const participant& p, routed_message m);
  [[nodiscard]] message wrap_next(const participant& p, parcel& next, bool delimited);

  world& world_;
  const participants& all_;
  const pair_of_types& types_;
  history& history_;
  edit edit_;
};

}  // namespace zmtp::simulation
