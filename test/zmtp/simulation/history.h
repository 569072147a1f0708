#pragma once
// The messages that users of simulated sockets sent and received, and every disagreement.

#include "test/simulation/parcel.h"
#include "test/simulation/run_result.h"
#include "test/simulation/violation.h"
#include "zmtp/peer.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace zmtp::simulation {

class history {
public:
  using finding = simulation::finding<violation>;

  // `to_many`: a message may go to several receivers, but once to each.
  explicit history(bool to_many) : to_many_{to_many} {}

  // The next parcel of a sender; nothing is known to have been sent yet.
  [[nodiscard]] parcel next(std::uint32_t sender, std::uint32_t answers_to = 0,
                            std::uint32_t answers = 0);
  // `p` is about to be sent, as wrapped.
  void offered(const parcel& p);
  // A socket has taken `p`, and its process has not been killed since.
  void queued(const parcel& p) { entry_of(p).queued = true; }
  // From now on, each parcel that is queued must be received. Publications: by this number of
  // receivers.
  void expect_all(std::size_t receivers = 1) noexcept { expected_by_ = receivers; }
  // Returns the parcel in `m` if it is one that was sent.
  std::optional<parcel> received(std::uint32_t receiver, const routed_message& m);
  // The receiver starts again, without memory of its connections.
  void restarted(std::uint32_t receiver);
  // Nothing happens any more: what should have arrived has.
  void close();

  void report(violation what, std::string text) { findings_.push_back({what, std::move(text)}); }
  [[nodiscard]] const std::vector<finding>& findings() const noexcept { return findings_; }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  // Returns the bytes of a sender's queued parcels that were not received. The first such parcel
  // does not count, because the receiver may have read a part of it.
  [[nodiscard]] std::size_t bytes_lost(std::uint32_t sender) const;
  // Returns how many parcels that must arrive are on their way.
  [[nodiscard]] std::size_t missing() const;

private:
  struct entry {
    parcel what;
    bool queued = false;
    std::size_t expected_by = 0;
    std::set<std::uint32_t> received_by;
  };

  [[nodiscard]] entry& entry_of(const parcel& p) { return sent_[p.sender][p.sequence - 1]; }
  [[nodiscard]] static std::string name(const parcel& p);

  bool to_many_;
  std::size_t expected_by_ = 0;
  std::size_t count_ = 0;
  std::map<std::uint32_t, std::vector<entry>> sent_;
  // The last of each sender on each connection of each receiver.
  std::map<std::uint32_t, std::map<std::pair<peer_id, std::uint32_t>, std::uint32_t>> last_;
  std::vector<finding> findings_;
};

}  // namespace zmtp::simulation
