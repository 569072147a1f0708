#pragma once
// A server of the map whose disk writes when the test tells it to.

#include "test/chp/memory_map_database.h"
#include "test/chp/server_fixture.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace chp {

using boost::system::error_code;
using zmtp::storage_errc;
using key_values = std::map<std::string, std::string>;

inline update_id id(std::uint64_t counter) { return update_id::of_session(test_session, counter); }
inline std::string client() { return "chp-ack=" + session_name(test_session); }

class kept_setting : public server_setting {
public:
  using disk = memory_map_database::contents;

  explicit kept_setting(std::shared_ptr<disk> from = std::make_shared<disk>(),
                        const server_options& options = {},
                        server_state::kind as = server_state::kind::alone)
      : server_setting{options, as}, disk_{std::move(from)} {
    restored = server.restore(disk_->all(), now);
  }

  // The next write of the store is on the disk.
  void store_one() {
    for (const auto& change : given.front()) {
      disk_->apply(change);
    }
    result({});
  }
  void store_all() {
    while (!given.empty()) {
      store_one();
    }
  }
  // Ends the next write with this result.
  void result(error_code ec) {
    given.pop_front();
    server.on_written(ec, now, actions);
    finish();
  }
  [[nodiscard]] const std::shared_ptr<disk>& on_disk() const noexcept { return disk_; }
  [[nodiscard]] key_values stored() const {
    key_values all;
    for (const auto& e : disk_->all().entries) {
      all.emplace(e.key, e.value);
    }
    return all;
  }
  std::uint64_t acked(zmtp::peer_id peer) {
    const auto ack = last_ack(peer);
    return ack ? ack->counter : 0;
  }

  error_code restored;

private:
  std::shared_ptr<disk> disk_;
};

// Options that refuse long values.
inline const std::string too_long(2'000, 'v');

inline server_options with_short_values() {
  server_options options;
  options.limit.max_value_size = 1'000;
  return options;
}

}  // namespace chp
