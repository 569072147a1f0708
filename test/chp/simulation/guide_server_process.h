#pragma once
// A server that behaves as the Guide's clonesrv6 (protocols B9, B18), the other server of a pair.
// Without times to live.

#include "test/chp/simulation/map_history.h"
#include "zmtp/message.h"
#include "zmtp/simulation/world.h"

#include <boost/asio/awaitable.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>

namespace chp::simulation {

class guide_server_process {
public:
  struct options {
    std::chrono::milliseconds heartbeat{};
    std::chrono::milliseconds expiry{};
    zmtp::simulation::clock_rate clock{};
  };

  // `in` must outlive the server.
  guide_server_process(zmtp::simulation::world& in, server who, const options& how);

  // Begins with an empty map.
  void start();
  void kill(zmtp::simulation::death how) { process_->kill(how); }
  void pause() { process_->pause(); }
  void resume() { process_->resume(); }

  [[nodiscard]] zmtp::simulation::process& process() noexcept { return *process_; }
  [[nodiscard]] bool running() const noexcept { return process_->running(); }
  [[nodiscard]] bool is_active() const noexcept { return running() && state_ == active; }
  // The Guide's programs exit when both servers are active, or both passive.
  [[nodiscard]] bool has_given_up() const noexcept { return running() && gave_up_; }
  // The server does nothing else until the snapshot is complete: never, if its peer is lost.
  [[nodiscard]] bool is_copying() const noexcept { return running() && copies_; }
  // The server is passive and has read a snapshot.
  [[nodiscard]] bool has_copied() const noexcept {
    return running() && state_ == passive && has_snapshot_;
  }
  [[nodiscard]] map_history::content published() const;

private:
  // The digits on the wire.
  enum state : std::uint8_t { primary = 1, backup = 2, active = 3, passive = 4 };
  // The frames of an update, without its number.
  struct update {
    std::string key;
    std::string id;
    std::string properties;
    std::string value;
  };
  struct sockets;

  [[nodiscard]] boost::asio::awaitable<void> serve();
  void beat(sockets& s) const;
  void become(state next, sockets& s);
  void on_state(const zmtp::message& m, sockets& s);
  void on_request(const zmtp::message& m, sockets& s);
  void on_set(const zmtp::message& m, sockets& s);
  [[nodiscard]] boost::asio::awaitable<void> on_publication(const zmtp::message& m);
  [[nodiscard]] boost::asio::awaitable<void> copy();
  void store(const update& u, sockets& s);
  void apply(const update& u);
  [[nodiscard]] bool take_pending(const std::string& id);

  zmtp::simulation::world* world_;
  zmtp::simulation::process* process_;
  server who_;
  options options_;
  state state_ = primary;
  bool gave_up_ = false;
  bool copies_ = false;
  bool has_snapshot_ = false;
  std::uint64_t sequence_ = 0;
  std::map<std::string, update, std::less<>> map_;
  std::deque<update> pending_;
  zmtp::simulation::clock_rate::time_point silent_at_;  // the peer
};

}  // namespace chp::simulation
