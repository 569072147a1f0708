#pragma once
// zmtp/socket/socket_core in virtual time: a socket_state with its links, its listeners, its dialers
// and the turn, in the same order of calls. Its user is a function.

#include "test/chp/simulation/sim_dialer.h"
#include "test/chp/simulation/sim_link.h"
#include "zmtp/routing/socket_state.h"
#include "zmtp/simulation/simulated_host.h"
#include "zmtp/simulation/simulated_network.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp::simulation {

class sim_socket {
public:
  // Called in each round at the end of a turn; returns whether it did anything.
  using user = std::function<bool()>;

  // `number` names the socket in the trace.
  sim_socket(simulated_network& net, simulated_host& host, std::uint32_t number,
             std::unique_ptr<socket_state> state);
  sim_socket(const sim_socket&) = delete;
  sim_socket& operator=(const sim_socket&) = delete;
  ~sim_socket();

  [[nodiscard]] std::uint32_t number() const noexcept { return number_; }
  [[nodiscard]] simulated_network& net() const noexcept { return *net_; }
  [[nodiscard]] simulated_host& host() const noexcept { return *host_; }
  [[nodiscard]] socket_state& state() noexcept { return *state_; }
  [[nodiscard]] const socket_state& state() const noexcept { return *state_; }

  void bind(std::string_view name);
  void unbind(std::string_view name);
  void connect(std::string_view name);
  void disconnect(std::string_view name);
  void disconnect(peer_id peer);
  // Ends the socket: it no longer writes, and no longer calls a handler. Pending events may still
  // access it, so it must live as long as the network.
  void abandon();
  [[nodiscard]] bool abandoned() const noexcept { return abandoned_; }
  // Returns whether everything that was sent has arrived at a peer.
  [[nodiscard]] bool written() const;
  // SUB, XSUB: to all publishers, those that are connected later too.
  void subscribe(std::string_view topic);
  void unsubscribe(std::string_view topic);

  void serve(user u) { user_ = std::move(u); }
  // `told` is called when the socket gives up an endpoint (reconnect_options::stop_after).
  void on_stopped(std::function<void()> notified) { told_of_stop_ = std::move(notified); }
  // The user has a message that the socket could not queue.
  void wait_to_send(bool waits) noexcept { sender_waits_ = waits; }
  // Tries to send as try_send() does: once more after a write to the kernel.
  template <class Attempt>
  send_status send(Attempt&& attempt) {
    auto status = attempt(if_full::report);
    if (status == send_status::full && flush()) {
      status = attempt(if_full::drop);
    }
    schedule();
    return status;
  }
  // Moved from only if it is queued.
  send_status send(message&& m) {
    return send([&](if_full then) { return state_->send(std::move(m), then); });
  }
  // The user has received.
  void schedule();
  bool flush();

  // For links and dialers.
  template <class Body>
  void turn(Body&& body) {
    turn_number_ += turns_++ == 0 ? 1U : 0U;
    body();
    if (--turns_ == 0) {
      end_turn();
    }
  }
  [[nodiscard]] std::uint64_t turn_number() const noexcept { return turn_number_; }
  void attach(peer_id id, const std::shared_ptr<sim_link>& link);
  void detach(peer_id id) noexcept;
  void add(const std::shared_ptr<sim_link>& link) { links_.push_back(link); }
  void remove(const sim_link& link) noexcept;
  void give_up(const std::shared_ptr<sim_dialer>& gone);
  [[nodiscard]] sim_link* link_of(peer_id id) const noexcept;
  [[nodiscard]] std::uint32_t random();
  [[nodiscard]] std::size_t links() const noexcept { return links_.size(); }

private:
  void end_turn();
  [[nodiscard]] bool resume_drained();
  [[nodiscard]] bool end_overrun();
  void tell_peers();
  void post_turn();
  void drop(const sim_dialer& gone);
  template <class Body>
  void act(Body&& body);

  simulated_network* net_;
  simulated_host* host_;
  std::uint32_t number_;
  std::unique_ptr<socket_state> state_;
  user user_;
  std::function<void()> told_of_stop_;
  int turns_ = 0;
  std::uint64_t turn_number_ = 0;
  bool turn_posted_ = false;
  bool sender_waits_ = false;
  bool abandoned_ = false;
  std::vector<std::string> bound_;
  std::vector<std::shared_ptr<sim_dialer>> dialers_;
  std::vector<std::shared_ptr<sim_link>> links_;
  std::vector<sim_link*> by_slot_;
};

}  // namespace zmtp::simulation
