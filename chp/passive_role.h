#pragma once
// The passive server: it copies the history of the active server, and confirms what its disk has.
// Pure.

#include "chp/log_actions.h"
#include "chp/log_parts.h"
#include "chp/pair_messages.h"
#include "chp/proposal.h"
#include "chp/store.h"

#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace chp {

class passive_role {
public:
  using time_point = std::chrono::steady_clock::time_point;

  // `discard` is the operator's decision that what both servers had may be lost, once.
  passive_role(log_parts& with, bool discard) noexcept : parts_{with}, discard_{discard} {}

  // The dialogue is connected to an active server. Sends HELLO. `greeting` is random.
  void greet(std::uint64_t greeting, log_actions& out);
  // The dialogue is lost, or must be closed.
  void leave() noexcept;
  // Keeps the updates that the active server may not get.
  void propose(const proposal& p);

  // These calls return false if the message does not fit, and the dialogue must begin again.
  [[nodiscard]] bool on(const follow& message, log_actions& out);
  [[nodiscard]] bool on(const copy_piece& message, time_point now);
  [[nodiscard]] bool on(const copy_end& message, log_actions& out);
  [[nodiscard]] bool on(const entries& message);
  // Appends the next lines of the file of lost updates: JSON objects. Looks at a part of the map.
  [[nodiscard]] lost_read read_lost(const lost_updates& which, std::string& lines,
                                    std::size_t most);
  // The file is on the disk, or could not be written. Does nothing if it was abandoned.
  void on_lost_written(const lost_updates& which, boost::system::error_code ec, log_actions& out);

  void end_turn(time_point now, log_actions& out);
  // A time in the past: the next turn has work to do.
  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;

  [[nodiscard]] bool following() const noexcept { return following_; }
  // The active server has answered HELLO.
  [[nodiscard]] bool has_answer() const noexcept { return following_ || copy_; }
  // The history of the active server lacks entries that both servers had. This server does nothing
  // more until it is started with the operator's decision.
  [[nodiscard]] bool stopped() const noexcept { return stopped_; }

private:
  // A copy that is being received.
  struct copy {
    std::unique_ptr<history> built;
    sequence start = 0;
    std::optional<copy_end> end{};
  };
  // The progress of read_lost().
  struct lost_reader {
    sequence common;
    entry_log::cursor log_at;
    std::optional<store::snapshot> map{};  // if the log has no longer all of them
    std::size_t lines = 0;
  };

  [[nodiscard]] bool needs(const lost_updates& which) const noexcept {
    return lost_ && which.dialogue == greeting_;
  }
  void install(log_actions& out);
  [[nodiscard]] bool refuse(errc why) noexcept;

  log_parts& parts_;
  bool discard_;
  bool stopped_ = false;
  std::optional<std::uint64_t> greeting_;
  bool following_ = false;
  bool peer_has_store_ = false;
  std::optional<copy> copy_;
  std::optional<lost_reader> lost_;  // until the file is written
  sequence confirmed_ = 0;
  sequence named_commit_ = 0;  // by the active server, since the last HELLO
};

}  // namespace chp
