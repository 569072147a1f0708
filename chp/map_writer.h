#pragma once
// Decides which changes of a server's map are written to its map_database, and tracks which are
// stored. Pure.

#include "chp/error.h"
#include "chp/map_database.h"
#include "chp/sequence.h"
#include "chp/store.h"
#include "chp/store_status.h"
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

// The changes of each turn are one write. If the store does not match the map before these changes,
// because it was full or the map was replaced, only the whole map is written. It is read in pieces
// while changes wait, and submitted as one write. So a crash leaves the old or the new map.
class map_writer {
public:
  using time_point = std::chrono::steady_clock::time_point;

  // `stored` is the number of the store's content. `retry` is the first pause before a full store
  // is tried again.
  map_writer(sequence stored, std::chrono::milliseconds retry)
      : retry_{retry}, pause_{retry}, durable_{stored} {}

  // Changes of the map, each with the number and id of its update.
  void set(const store::change& to, sequence number, time_point now);
  void erase(std::string_view key, const update_id& id, sequence number);
  // The key is erased, and the erasure is recorded.
  void bury(std::string_view key, const update_id& id, sequence number);
  // The record of the erasure is no longer needed.
  void forget(std::string_view key);
  // An update without an effect on the map.
  void note(const update_id& id, sequence number);
  // An update that is never made, and the notice of its refusal. Notices increase.
  void refuse(const update_id& id, errc why, std::uint64_t notice);
  // A piece of a register whose updates are all applied.
  void add_applied(std::string piece);
  // Starts the notices of another server, which may be lower than earlier ones.
  void begin_notices() noexcept;
  // Stores the memo with the next change.
  void remember(std::string_view server_record);

  // The map was replaced, and nothing of it is stored.
  void replace();
  // Returns whether the whole map must be written.
  [[nodiscard]] bool wants_whole(time_point now) const noexcept {
    return step_ == step::waiting && how_ != store_status::failed && now >= retry_at_;
  }
  // Reads at most `most` entries of the map as it was at the first call, or a piece of the
  // register. Returns true when everything is read. Map and register must not be replaced before,
  // except with replace().
  [[nodiscard]] bool read_whole(store& map, update_register& applied, const tombstones& erased,
                                std::string_view server_record, std::size_t most, time_point now);
  [[nodiscard]] bool reading() const noexcept { return step_ == step::reading; }

  // Appends the writes for the store.
  void take(std::vector<std::vector<map_change>>& out);
  // Takes the result of the oldest write without one.
  void on_written(boost::system::error_code ec, time_point now);

  [[nodiscard]] store_status how() const noexcept { return how_; }
  // Everything up to this update is on the disk.
  [[nodiscard]] sequence durable() const noexcept { return durable_; }
  // Everything up to this notice is on the disk.
  [[nodiscard]] std::uint64_t durable_notice() const noexcept { return durable_notice_; }
  // Bytes of memory of changes that wait for the disk, without a whole map.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  // Returns when the whole map may be written.
  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept {
    return step_ == step::waiting && how_ != store_status::failed ? std::optional{retry_at_}
                                                                  : std::nullopt;
  }

private:
  enum class step : std::uint8_t {
    following,  // changes are written as they arrive
    waiting,    // the whole map must be written, and will include changes
    reading,    // the map is being read; changes wait
    given,      // the map was submitted; changes follow it
  };
  struct write_order {
    sequence number;
    std::uint64_t notice;
    std::size_t bytes;
    bool whole;
    bool of_this_map = true;
  };

  void add(map_change&& change);
  void drop_changes() noexcept;
  void drop_whole() noexcept;
  void begin_whole(store& map, update_register& applied, const tombstones& erased,
                   std::string_view server_record);
  [[nodiscard]] std::size_t read_buried(const tombstones& erased, std::size_t most);
  void on_refused(time_point now);

  const std::chrono::milliseconds retry_;
  std::chrono::milliseconds pause_;
  store_status how_ = store_status::all;
  step step_ = step::following;
  sequence durable_;
  std::uint64_t durable_notice_ = 0;
  time_point retry_at_{};
  std::string server_record_;  // the last one submitted
  std::string next_server_record_;
  std::vector<map_change> changes_;
  std::size_t changes_bytes_ = 0;
  sequence last_ = 0;  // the last change in changes_
  std::uint64_t last_notice_ = 0;
  std::deque<write_order> on_the_way_;
  std::size_t bytes_ = 0;

  // The state of the map when reading started.
  std::optional<store::snapshot> cursor_;
  std::optional<update_register::image> applied_;
  sequence buried_to_ = 0;  // erasures up to here were read
  std::vector<map_change> whole_;
  std::string whole_server_record_;
  std::uint64_t whole_notice_ = 0;
};

}  // namespace chp
