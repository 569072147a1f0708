#pragma once
// The history of a simulation: the messages that each user sent, that each connection carried, and
// that each user received. It reports every disagreement. It knows the sockets by their public calls
// and by the bytes that they write and read.

#include "test/simulation/run_result.h"
#include "test/zmtp/simulation/parcel.h"
#include "test/zmtp/simulation/publication_check.h"
#include "test/zmtp/simulation/violation.h"
#include "test/zmtp/simulation/wire_record.h"
#include "zmtp/counters.h"
#include "zmtp/message.h"
#include "zmtp/monitor_event.h"
#include "zmtp/options.h"
#include "zmtp/peer.h"
#include "zmtp/socket/monitor.h"
#include "zmtp/socket/socket.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp::simulation {

class history final : public wire_record::listener {
public:
  using finding = simulation::finding<violation>;
  // The properties that the checks use.
  struct user {
    socket_type type{};
    high_water_mark send_mark{};
    high_water_mark receive_mark{};
    bool no_drop = false;
    bool announces = false;                    // gets attach and detach of peers
    std::optional<publishing> publishes = {};  // sends each message to many peers
  };

  explicit history(simulated_network& net) : wires_{net, *this} {}

  // See wire_record::add().
  void add(std::uint32_t number, process& of, const user& what, false_layer layer);
  // The participant has opened its socket, which lives until end_life().
  void begin_life(std::uint32_t number, const zmtp::socket& socket);
  // The process is about to be killed.
  void end_life(std::uint32_t number);

  // The next parcel of a sender; nothing is known to have been sent yet.
  [[nodiscard]] parcel next(std::uint32_t sender, std::uint32_t destination = 0,
                            std::uint32_t answers = 0);
  // `p` is about to be sent, as wrapped.
  void offered(const parcel& p, std::string_view topic = {});
  // A socket has taken `p`, and its process has not been killed since. `receivers`: how many must
  // receive a publication, if that is known.
  void queued(const parcel& p, std::size_t receivers = 0);
  // From now on, each parcel that is queued must be received.
  void expect_all() noexcept { expect_all_ = true; }
  [[nodiscard]] bool expects_all() const noexcept { return expect_all_; }

  // Returns the parcel in `m` if it is one that was sent.
  std::optional<parcel> received(std::uint32_t number, const routed_message& m);
  [[nodiscard]] std::size_t times_received(std::uint32_t number, std::uint32_t sender,
                                           std::uint32_t sequence) const;

  // The topics of a SUB or XSUB, as its user sets them.
  void subscribed(std::uint32_t number, std::string_view topic);
  void unsubscribed(std::uint32_t number, std::string_view topic);
  [[nodiscard]] const std::multiset<std::string, std::less<>>& topics_of(
      std::uint32_t number) const {
    return users_.at(number).topics;
  }
  // The user of a manual XPUB grants a topic to a peer, or takes it back.
  void granted(std::uint32_t number, peer_id to, bool begins, std::string_view topic);
  // A participant connects to the endpoint of another, or no longer.
  void connected(std::uint32_t number, std::uint32_t accepting);
  void disconnected(std::uint32_t number, std::uint32_t accepting);
  // Returns the participant at the other end, or 0.
  [[nodiscard]] std::uint32_t participant_at(std::uint32_t number, peer_id peer);
  [[nodiscard]] const publication_check& publications_of(std::uint32_t number) const {
    return *users_.at(number).publications;
  }

  // Returns the number of the last parcel of this sender.
  [[nodiscard]] std::uint32_t last_of(std::uint32_t sender) const {
    return static_cast<std::uint32_t>(sent_.at(sender).size());
  }
  // Returns whether the socket is attached to this number of peers by connections that work, and
  // nothing is queued or under way.
  [[nodiscard]] bool is_settled(std::uint32_t number, std::size_t peers);

  // Call often: no queue holds more than its mark and one message.
  void check_marks(std::uint32_t number);
  // Call when nothing is under way, and the socket is attached to this number of peers.
  void check_rest(std::uint32_t number, std::size_t peers);
  // Call after close(), while nothing is under way.
  void check_counters(std::uint32_t number, const socket_counters& counters);
  // Call after the last connection has ended.
  void check_gone(std::uint32_t number);
  // Nothing happens any more: what should have arrived has.
  void close();

  void report(violation what, std::string text);
  [[nodiscard]] const std::vector<finding>& findings() const noexcept { return findings_; }
  // Returns how many parcels were received.
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  // Returns how many that must arrive are on their way.
  [[nodiscard]] std::size_t missing() const noexcept { return missing_; }
  // Returns the bytes of a sender's queued parcels that were not received. The first such parcel
  // does not count, because the receiver may have read a part of it.
  [[nodiscard]] std::size_t bytes_lost(std::uint32_t sender) const;
  [[nodiscard]] wire_record& wires() noexcept { return wires_; }

private:
  struct entry {
    parcel what;
    std::string topic;
    bool offered = false;
    bool queued = false;
    bool written = false;
    std::size_t expected = 0;
    std::map<std::uint32_t, std::size_t> received_by;  // times
  };
  struct presence {
    std::vector<std::uint64_t> streams;  // its connections, the first first
    std::size_t over = 0;                // from those before, nothing more is received
    // Messages and bytes queued at the attach of the last connection: the rest of the previous one. No mark applies to
    // this rest after the end of its connection.
    std::size_t rest = 0;
    std::size_t bytes_of_rest = 0;
    bool here = false;              // as the user knows
    std::size_t announcements = 0;  // not received yet
  };
  struct life : user {
    const zmtp::socket* socket = nullptr;
    std::optional<zmtp::monitor> monitor{};
    std::map<peer_id, presence> peers{};
    std::size_t attached = 0;
    std::optional<publication_check> publications{};
    std::multiset<std::string, std::less<>> topics{};
    std::set<std::string, std::less<>> ever{};  // all topics that were ever in `topics`
    std::map<lane, std::uint32_t> last_written{};
    std::uint32_t last_received = 0;  // from the only peer
    std::size_t handed = 0;
    std::size_t received = 0;
    std::size_t dropped = 0;
    std::size_t doubtful = 0;  // may have been dropped, or never decoded
  };

  void on_written(wire& on, std::span<const std::string_view> message, std::size_t end) override;
  void on_subscription(const wire& on, bool begins, std::string_view topic) override;
  void on_garbled(const wire& on) override;

  void catch_up(std::uint32_t number);
  void on_event(std::uint32_t number, const monitor_event& event);
  [[nodiscard]] entry* find(std::uint32_t sender, std::uint32_t sequence);
  [[nodiscard]] const entry* find(std::uint32_t sender, std::uint32_t sequence) const;
  [[nodiscard]] static bool may_drop(const life& reader, const wire::written& what);
  [[nodiscard]] bool take_back(wire& on, std::size_t position);
  void pass_over(wire& on, std::size_t position);
  void end_streams(std::uint32_t number, presence& of, std::size_t first);
  [[nodiscard]] bool take(std::uint32_t number, peer_id from, entry& e);
  void check_presence(std::uint32_t number, const routed_message& m);
  void notified(std::uint32_t number, const routed_message& m);
  void check_told(std::uint32_t number);
  [[nodiscard]] static bool must_receive(const user& who, const peer_status& from);
  [[nodiscard]] std::string name(std::uint32_t number) const;
  [[nodiscard]] static std::string name(const parcel& p);

  wire_record wires_;
  std::map<std::uint32_t, life> users_;
  std::map<std::uint32_t, std::vector<entry>> sent_;
  std::vector<finding> findings_;
  bool expect_all_ = false;
  std::size_t largest_ = 512;  // message, in memory, with what may be put in front of it
  std::size_t count_ = 0;
  std::size_t missing_ = 0;
};

}  // namespace zmtp::simulation
