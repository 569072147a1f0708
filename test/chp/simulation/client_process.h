#pragma once
// chp::client in virtual time, and its user.

#include "chp/client_options.h"
#include "chp/client_state.h"
#include "test/chp/simulation/town.h"
#include "zmtp/message.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace chp::simulation {

// How a client sets keys.
struct manners {
  std::chrono::milliseconds pace{200};  // between bursts, at most
  std::size_t burst = 3;
  std::size_t updates = 40;
  std::vector<std::string> keys{};
  unsigned erases = 15;  // percent of the updates
  unsigned mortal = 25;  // … are for a time
};

class client_process final : public process {
public:
  // Faults to put in, to see that they are noticed.
  struct planted_fault {
    // May change the actions before they are carried out, and may notify the state.
    std::function<void(client_state&, client_actions&)> edit{};
    bool keeps_snapshot_connection = false;  // takes an answer that does not count
    bool tells_no_difference = false;        // does not report the difference of a snapshot
  };

  client_process(town& in, std::string name, std::vector<std::string> servers,
                 const client_options& options, manners how)
      : process{in, std::move(name)},
        servers_{std::move(servers)},
        options_{options},
        how_{std::move(how)} {}

  [[nodiscard]] planted_fault& faults() noexcept { return faults_; }
  // Makes one update now; its number. It must be running.
  std::uint32_t make_update(std::optional<std::chrono::seconds> ttl = {});
  // No more of its own accord.
  void be_quiet() noexcept { how_.updates = 0; }
  // The client follows a server, and none of its operations is pending. Its map is at the update `last`.
  void check_rest(sequence last);
  // No update is pending any more.
  [[nodiscard]] bool has_made_all() const {
    const auto s = life_->state.status();
    return s.sent + s.unsent == 0;
  }
  [[nodiscard]] std::size_t losses_told() const noexcept { return losses_told_; }
  [[nodiscard]] std::size_t failovers() const noexcept { return failovers_; }

private:
  struct collector {
    sim_socket* socket = nullptr;
    std::optional<zmtp::peer_id> peer;
  };
  struct waiting_update {
    client_state::ticket ticket;
    std::uint32_t update;
  };
  struct life {
    life(client_process& of, std::uint64_t session, std::uint32_t seed);

    std::uint64_t session;
    client_state state;
    client_actions actions;
    std::vector<collector> collectors;
    sim_socket* subscriber = nullptr;
    sim_socket* snapshot = nullptr;
    sim_alarm alarm;
    std::deque<waiting_update> unsent;                      // in their order
    std::map<client_state::ticket, std::uint32_t> updates;  // by ticket: those that are open
    std::uint64_t last_counter = 0;
    replica notified;  // the map that a watcher has
    sequence number = 0;
  };

  void begin() override;
  void end() override;
  void wake_later();
  [[nodiscard]] zmtp::socket_options visitor_options() const;
  [[nodiscard]] bool collect_subscriptions(std::size_t server);
  [[nodiscard]] bool hear_subscriber();
  [[nodiscard]] bool hear_snapshot();
  [[nodiscard]] bool alive(const sim_socket& one) const noexcept;
  void open_snapshot(std::size_t server);
  void connect(const client_actions::connecting& c);
  void publish(client_actions::publication&& p);
  void complete(const client_actions::completion& c);
  void on_event(const client_event& e);
  void carry_out();
  void perform(client_actions& actions);

  std::vector<std::string> servers_;
  client_options options_;
  manners how_;
  planted_fault faults_;
  std::optional<life> life_;
  std::size_t losses_told_ = 0;
  std::size_t failovers_ = 0;
};

}  // namespace chp::simulation
