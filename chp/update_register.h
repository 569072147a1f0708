#pragma once
// Which updates a server has applied, so that what is sent again is not applied again. Pure.

#include "chp/acknowledgement.h"
#include "chp/error.h"
#include "chp/update_id.h"
#include "zmtp/routing/keyed_hash.h"

#include <boost/container/small_vector.hpp>
#include <boost/system/error_code.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace chp {

struct register_limits {
  std::size_t max_sessions = 100'000;  // above, the one that was silent longest is forgotten
  std::size_t max_others = 100'000;    // ids without a session; above, the oldest is forgotten
};

// Of each session the largest counter and the gaps below it; of ids without a session the last ones. A
// counter that would make more gaps than there may be is kept as an id without a session is, so that
// no update is taken for applied that is not.
class update_register {
public:
  static constexpr std::size_t max_piece_size = 64 * 1024;

  // Peers choose the ids: `seed` is random.
  explicit update_register(std::uint64_t seed = 0, const register_limits& limits = {});
  update_register(const update_register&) = delete;
  update_register& operator=(const update_register&) = delete;

  // An id that is empty is never known.
  [[nodiscard]] bool contains(const update_id& id) const noexcept;
  // False if it is known already, and then nothing changes. One that is empty is new each time. Throws
  // std::bad_alloc, and then it is not known.
  bool insert(const update_id& id);

  // The same of one with a session that will never be made: it counts as applied, and why is remembered of the
  // last ones of its session.
  bool refuse(const update_id& id, errc why);

  // What is known of a session; of one that is not, a counter of zero. It holds until the next change.
  struct session_view {
    std::uint64_t counter = 0;
    std::span<const counter_range> gaps;    // below the counter; they rise and do not touch
    std::span<const refusal> refused = {};  // they rise
    std::uint64_t unsure = 0;  // up to here some may have been refused that are not remembered
  };
  [[nodiscard]] session_view find(std::uint64_t session) const noexcept;

  [[nodiscard]] std::size_t sessions() const noexcept { return by_session_.size(); }
  [[nodiscard]] std::size_t others() const noexcept { return by_id_.size(); }

  // Packs it for another server, a piece at a time, until one is empty. It has all that was there at the
  // first piece; what is inserted meanwhile may be in a later piece or in none.
  struct pack_position {
    std::size_t session = 0;
    std::uint64_t other = 0;
    // Where it ends, once it has begun: what keeps coming has no end.
    std::size_t sessions_end = std::numeric_limits<std::size_t>::max();
    std::uint64_t others_end = std::numeric_limits<std::uint64_t>::max();
  };
  [[nodiscard]] std::string pack(pack_position& from) const;
  // Adds what a piece has to what is known. Errors: malformed_register. Throws std::bad_alloc. After
  // either, a part of the piece is added, which is no harm.
  [[nodiscard]] boost::system::error_code unpack(std::string_view piece);

private:
  static constexpr std::uint32_t none = 0xffff'ffff;

  struct record {
    std::uint64_t session = 0;
    std::uint64_t counter = 0;
    boost::container::small_vector<counter_range, 1> gaps = {};
    std::uint32_t older = none;  // of those that were silent longer
    std::uint32_t newer = none;
  };
  struct refusals {
    std::vector<refusal> last;  // max_refusals at most
    std::uint64_t forgotten = 0;
    void add(const refusal& one) noexcept;  // into memory that is there
  };
  struct hash {
    using is_avalanching = void;  // the tables need not mix it once more
    zmtp::keyed_hash of;
    std::size_t operator()(std::uint64_t session) const noexcept { return of(session); }
    std::size_t operator()(const update_id& id) const noexcept { return of(id.octets()); }
  };

  [[nodiscard]] const record* find_record(std::uint64_t session) const noexcept;
  // The session's, a new one if it has none, as the newest.
  [[nodiscard]] record& touch(std::uint64_t session);
  [[nodiscard]] std::uint32_t add(std::uint64_t session);
  void link_newest(std::uint32_t at) noexcept;
  void unlink(const record& r) noexcept;
  void insert_other(const update_id& id);
  [[nodiscard]] std::size_t unpack_session(std::string_view rest);
  [[nodiscard]] std::size_t unpack_refusals(std::string_view rest);

  register_limits limits_;
  std::vector<record> records_;
  std::uint32_t oldest_ = none;
  std::uint32_t newest_ = none;
  boost::unordered_flat_map<std::uint64_t, std::uint32_t, hash> by_session_;
  boost::unordered_flat_map<std::uint64_t, refusals, hash> refusals_;  // of those that have any
  std::vector<update_id> others_;  // the n-th there was is at n modulo their limit
  std::uint64_t others_ever_ = 0;
  boost::unordered_flat_set<update_id, hash> by_id_;
};

// All that it packs.
[[nodiscard]] std::vector<std::string> pieces_of(const update_register& all);

}  // namespace chp
