#pragma once
// What of a server's map is to be written to its map_store, and how much of it has been. Pure.

#include "chp/error.h"
#include "chp/keeping.h"
#include "chp/map_store.h"
#include "chp/sequence.h"
#include "chp/store.h"
#include "chp/tombstones.h"
#include "chp/update_id.h"
#include "chp/update_register.h"

#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chp {

// Each turn's changes are one write. Where the store is not what the map was before them, because it had no
// room or the map is another one, nothing is written but the whole map: read a piece at a time, while what
// changes meanwhile waits, and given as one write, so that a crash leaves what was or what is.
class map_writer {
public:
  using time_point = std::chrono::steady_clock::time_point;

  // `stored`: the number of what is in the store. `retry`: the first pause before a store that had no room
  // is tried again.
  map_writer(sequence stored, std::chrono::milliseconds retry)
      : retry_{retry}, pause_{retry}, durable_{stored} {}

  // The map's changes, each with its update's number and id.
  void set(const store::change& to, sequence number, time_point now);
  void erase(std::string_view key, const update_id& id, sequence number);
  // The key is erased, and that is to be known.
  void bury(std::string_view key, const update_id& id, sequence number);
  // What was buried need not be known any more.
  void forget(std::string_view key);
  // An update that leaves nothing.
  void note(const update_id& id, sequence number);
  // An update that is never made, and the notice by which that is told, which rise.
  void refuse(const update_id& id, errc why, std::uint64_t notice);
  // A piece of a register, all of which is applied.
  void add_applied(std::string piece);
  // They are another one's from now on, and may be lower than those before.
  void begin_notices() noexcept;
  // With the next change.
  void remember(std::string_view memo);

  // The map is another one now, of which nothing is stored.
  void replace();
  // The whole map is to be written.
  [[nodiscard]] bool wants_whole(time_point now) const noexcept {
    return step_ == step::waiting && how_ != keeping::failed && now >= retry_at_;
  }
  // Reads so many entries at most of the map as it was when this was called first, or a piece of the register. True if
  // that was all. Map and register must be the same until then, or replace() comes before.
  [[nodiscard]] bool read_whole(store& map, update_register& applied, const tombstones& erased,
                                std::string_view memo, std::size_t most, time_point now);
  [[nodiscard]] bool reading() const noexcept { return step_ == step::reading; }

  // Appends what is to be given to the store.
  void take(std::vector<std::vector<map_change>>& out);
  // The result of the first write that has had none.
  void on_written(boost::system::error_code ec, time_point now);

  [[nodiscard]] keeping how() const noexcept { return how_; }
  // Everything up to this update is on the disk.
  [[nodiscard]] sequence durable() const noexcept { return durable_; }
  // … and everything up to this notice.
  [[nodiscard]] std::uint64_t durable_notice() const noexcept { return durable_notice_; }
  // Of changes that wait for the disk, as they take memory; but for a whole map.
  [[nodiscard]] std::size_t octets() const noexcept { return octets_; }
  // When the whole map may be written.
  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept {
    return step_ == step::waiting && how_ != keeping::failed ? std::optional{retry_at_}
                                                             : std::nullopt;
  }

private:
  enum class step : std::uint8_t {
    following,  // changes are written as they come
    waiting,    // the whole map is to be written; changes will be in it
    reading,    // it is being read; changes wait until it is given to the store
    given,      // it has been, and changes go behind it
  };
  struct write_order {
    sequence number;
    std::uint64_t notice;
    std::size_t octets;
    bool whole;
    bool of_this_map = true;
  };

  void add(map_change&& change);
  void drop_changes() noexcept;
  void drop_whole() noexcept;
  void begin_whole(store& map, update_register& applied, const tombstones& erased,
                   std::string_view memo);
  [[nodiscard]] std::size_t read_buried(const tombstones& erased, std::size_t most);
  void on_refused(time_point now);

  const std::chrono::milliseconds retry_;
  std::chrono::milliseconds pause_;
  keeping how_ = keeping::all;
  step step_ = step::following;
  sequence durable_;
  std::uint64_t durable_notice_ = 0;
  time_point retry_at_{};
  std::string memo_;  // the last that was given
  std::string next_memo_;
  std::vector<map_change> changes_;
  std::size_t changes_octets_ = 0;
  sequence last_ = 0;  // of the changes
  std::uint64_t last_notice_ = 0;
  std::deque<write_order> on_the_way_;
  std::size_t octets_ = 0;

  // Of the moment at which it was begun to be read.
  std::optional<store::snapshot> cursor_;
  std::optional<update_register::image> applied_;
  sequence buried_to_ = 0;  // of what was erased, so far
  std::vector<map_change> whole_;
  std::string whole_memo_;
  std::uint64_t whole_notice_ = 0;
};

}  // namespace chp
