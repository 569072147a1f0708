#pragma once
// The ledger of a simulation: the messages that each user sent, that each connection got and
// delivered, and that each user received. It reports every disagreement.

#include "test/zmtp/simulation/parcel.h"
#include "test/simulation/publication_check.h"
#include "test/simulation/run_result.h"
#include "test/simulation/socket_watcher.h"
#include "test/zmtp/simulation/violation.h"
#include "test/simulation/wire_tap.h"
#include "zmtp/message.h"
#include "zmtp/peer.h"
#include "zmtp/simulation/virtual_connection.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp::simulation {

class ledger final : public stream_observer, public socket_watcher {
public:
  using finding = simulation::finding<violation>;
  // Whether a socket may drop a message that begins so, although it came.
  using excuse = std::function<bool(std::string_view first_part)>;

  // For users of sockets. The next parcel of a sender; nothing is known to have been sent yet.
  [[nodiscard]] parcel next(std::uint32_t sender, std::uint32_t destination = 0,
                            std::uint32_t answers = 0);
  // The socket has queued `p`, as wrapped. `topic` is its prefix, for PUB.
  void queued(const parcel& p, std::string_view topic = {});
  // Returns the parcel in `m` if it is one that was sent. `from` names the pipe, if that is known.
  std::optional<parcel> received(std::uint32_t socket, const message& m,
                                 std::optional<peer_id> from = {});
  // The same with attach and detach.
  std::optional<parcel> received(std::uint32_t socket, const routed_message& m);
  void excuse_drops(std::uint32_t socket, excuse e) { excuses_[socket] = std::move(e); }
  // Treats every message that has arrived as received or, as the excuse allows now, as dropped.
  void pass_over_all(std::uint32_t socket);
  // From now on, no loss of a queued message is excused.
  void expect_all() noexcept { expect_all_ = true; }
  [[nodiscard]] bool has_received(std::uint32_t socket, const parcel& p) const;
  [[nodiscard]] bool has_received(const parcel& p) const;
  // How often; a last value comes more than once.
  [[nodiscard]] std::size_t times_received(std::uint32_t socket, std::uint32_t sender,
                                           std::uint32_t sequence) const;
  // The socket is a PUB, an XPUB or an XSUB: it sends each message to many peers.
  void expect_publications(std::uint32_t socket, const publishing& how) {
    publications_.try_emplace(socket, how);
  }
  [[nodiscard]] const publication_check& publications_of(std::uint32_t socket) const {
    return publications_.at(socket);
  }
  // The user of an XPUB gives a topic to a peer, or takes it back.
  void given(std::uint32_t socket, peer_id to, bool subscribe, std::string_view topic) {
    publications_.at(socket).on_given(to, subscribe, topic);
  }

  // The socket has one peer: messages arrive in the order of sending, on any connections.
  void expect_one_stream(std::uint32_t socket) { last_of_stream_[socket]; }

  void report(violation what, std::string text);
  [[nodiscard]] const std::vector<finding>& findings() const noexcept { return findings_; }
  // Nothing happens any more: what should have arrived has.
  void close();
  // The counters of a socket that has been idle since close().
  void check_counters(const sim_socket& socket);
  // Checks that nothing waits to be sent or received: the user of an XPUB knows the subscriptions
  // of its peers, and the peers have its last values.
  void check_subscribers(const sim_socket& socket);
  // All users have received all; attached and detached enclose it.
  void check_all_detached();

  [[nodiscard]] std::size_t parcels_received() const noexcept { return parcels_received_; }
  [[nodiscard]] std::size_t bytes_written() const noexcept { return bytes_written_; }

  void on_written(std::uint64_t stream, end_of_stream from,
                  std::span<const std::byte> bytes) override;
  void on_read(std::uint64_t stream, end_of_stream at, std::size_t count) override;
  void on_link(const sim_socket& socket, std::uint64_t stream, end_of_stream e) override;
  void on_connected(const sim_socket& socket, peer_id pipe) override;
  void on_disconnected(const sim_socket& socket, peer_id pipe) override;
  void on_decoded(const sim_socket& socket, std::uint64_t stream, end_of_stream e,
                  std::size_t messages) override;
  void on_attached(const sim_socket& socket, peer_id pipe, std::uint64_t stream,
                   end_of_stream e) override;
  void on_subscription(const sim_socket& socket, peer_id pipe, bool subscribe,
                       std::string_view topic) override;
  void on_detached(const sim_socket& socket, peer_id pipe) override;
  void on_ended(const sim_socket& socket, std::uint64_t stream, end_of_stream e,
                error_code reason) override;
  void on_turn(const sim_socket& socket) override;

private:
  // A parcel on a connection.
  struct handing {
    std::uint32_t reader;
    std::size_t lane;
    std::size_t position;
    bool received = false;
  };
  struct entry {
    parcel what;
    std::string topic;
    bool queued = false;
    bool expected = false;
    std::vector<handing> handings;
  };
  struct written {
    std::uint32_t sequence;
    std::size_t end;  // the byte
  };
  // One direction of one connection.
  struct lane {
    std::uint32_t writer = 0;
    std::uint32_t reader = 0;
    peer_id pipe;         // the writer's
    peer_id reader_pipe;  // the reader's
    wire_tap tap;
    std::vector<written> messages;
    std::size_t read = 0;         // bytes
    std::size_t decoded = 0;      // messages
    std::size_t next = 0;         // message that the user is to get
    bool ended = false;           // one of its ends has closed
    bool dropped_unread = false;  // the reader's end has closed by itself

    // Returns the number of messages that the reader's socket has received. If the stream is not
    // ZMTP, the socket may count more messages than exist.
    [[nodiscard]] std::size_t came() const noexcept { return std::min(decoded, messages.size()); }
  };
  struct account {
    std::size_t handed = 0;
    std::size_t received = 0;
    std::size_t dropped = 0;
  };
  struct presence {
    bool here = false;
    std::size_t announcements = 0;  // not received yet
  };

  [[nodiscard]] lane& lane_of(std::uint64_t stream, end_of_stream writer);
  [[nodiscard]] entry* find(const parcel& p);
  [[nodiscard]] const entry* find(const parcel& p) const;
  void on_handed(std::size_t lane_number, std::span<const std::string_view> parts, std::size_t end);
  void pass_over(lane& of, std::size_t position);
  void announce(const sim_socket& socket, peer_id pipe);
  [[nodiscard]] handing* receivable(entry& e, std::uint32_t socket, std::optional<peer_id> from);
  void notified(std::uint32_t socket, publication_check& of, peer_id by, const message& m);
  [[nodiscard]] static std::string name(const parcel& p);

  std::map<std::uint32_t, std::vector<entry>> sent_;
  std::vector<lane> lanes_;
  std::map<std::uint32_t, account> accounts_;
  std::map<std::pair<std::uint32_t, peer_id>, std::uint32_t> last_on_pipe_;
  std::map<std::pair<std::uint32_t, peer_id>, presence> presences_;
  std::map<std::uint32_t, publication_check> publications_;
  std::map<std::uint32_t, std::uint32_t> last_of_stream_;
  std::map<std::uint32_t, excuse> excuses_;
  std::vector<finding> findings_;
  bool expect_all_ = false;
  std::size_t largest_ = 512;  // message, in memory, with what may be put in front of it
  std::size_t parcels_received_ = 0;
  std::size_t bytes_written_ = 0;
};

}  // namespace zmtp::simulation
