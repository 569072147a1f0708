#pragma once
// Which updates a server has applied, so that what is sent again is not applied again. Pure.

#include "chp/acknowledgement.h"
#include "chp/divided_set.h"
#include "chp/error.h"
#include "chp/update_id.h"
#include "zmtp/routing/keyed_hash.h"

#include <boost/container/small_vector.hpp>
#include <boost/system/error_code.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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

  // Adds what another one knows of a session, the refusals that it remembers too; but for updates that it may have
  // refused and remembers no more. Throws std::bad_alloc, and then a part is added, which is no harm.
  void add_known(std::uint64_t session, const update_register& of);

  [[nodiscard]] std::size_t sessions() const noexcept { return by_session_.size(); }
  [[nodiscard]] std::size_t others() const noexcept { return by_id_.size(); }

  // All that is known now, packed for another server while more becomes known.
  class image;
  // It is to end before this does. Throws std::bad_alloc.
  [[nodiscard]] image open_image();
  // The pieces of one, at once.
  [[nodiscard]] std::vector<std::string> pieces() const;
  // One that has a session alone, if it is known.
  [[nodiscard]] std::string piece_of(std::uint64_t session) const;
  // Adds what a piece has to what is known. Errors: malformed_register. Throws std::bad_alloc. After
  // either, a part of the piece is added, which is no harm.
  [[nodiscard]] boost::system::error_code unpack(std::string_view piece);

private:
  static constexpr std::uint32_t none = 0xffff'ffff;

  struct refusals {
    std::vector<refusal> last;  // max_refusals at most
    std::uint64_t forgotten = 0;
    void add(const refusal& one) noexcept;  // into memory that is there
  };
  struct record {
    std::uint64_t session = 0;
    std::uint64_t counter = 0;
    boost::container::small_vector<counter_range, 1> gaps = {};
    std::unique_ptr<refusals> refused = {};  // if there are any
    std::uint64_t changed = 0;               // images that had been opened when it was, last
    std::uint32_t older = none;              // of those that were silent longer
    std::uint32_t newer = none;
  };
  struct slot {
    std::uint64_t session;
    std::uint32_t at;  // of its record
  };
  struct session_of_slot {
    std::uint64_t operator()(const slot& s) const noexcept { return s.session; }
  };
  struct itself {
    const update_id& operator()(const update_id& id) const noexcept { return id; }
  };
  struct hash_of_id {
    zmtp::keyed_hash of;
    std::size_t operator()(const update_id& id) const noexcept { return of(id.octets()); }
  };
  // How far one has been packed.
  struct progress {
    std::uint64_t opened = 0;  // how many had been, with this one
    std::size_t record = 0;
    std::size_t records_end = 0;
    std::uint64_t other = 0;
    std::uint64_t others_end = 0;
    std::deque<std::string> kept = {};  // what has changed since, as it was
  };

  [[nodiscard]] const record* find_record(std::uint64_t session) const noexcept;
  // The session's, a new one if it has none, as the newest.
  [[nodiscard]] record& touch(std::uint64_t session);
  [[nodiscard]] std::uint32_t add(std::uint64_t session);
  void link_newest(std::uint32_t at) noexcept;
  void unlink(const record& r) noexcept;
  void insert_other(const update_id& id);
  void prepare_change(std::uint32_t at);
  void prepare_end_of_other(std::uint64_t number);
  static void pack(const record& r, std::string& onto);
  static void pack(const update_id& other, std::string& onto);
  [[nodiscard]] static std::string& room_for(std::size_t size, std::deque<std::string>& in);
  [[nodiscard]] progress begin() const;
  [[nodiscard]] std::string next_piece(progress& of) const;
  [[nodiscard]] std::size_t unpack_session(std::string_view rest);
  [[nodiscard]] std::size_t unpack_refusals(std::string_view rest);

  register_limits limits_;
  std::deque<record> records_;
  std::uint32_t oldest_ = none;
  std::uint32_t newest_ = none;
  divided_set<slot, session_of_slot, zmtp::keyed_hash> by_session_;
  std::vector<update_id> others_;  // the n-th there was is at n modulo their limit
  std::uint64_t others_ever_ = 0;
  divided_set<update_id, itself, hash_of_id> by_id_;
  std::vector<progress*> images_;
  std::uint64_t images_ever_ = 0;
};

// Each piece is as it would have been when it was opened: what changes before it is packed is packed then.
// Destroying it ends it.
class update_register::image {
public:
  image(image&& other) noexcept : of_{other.of_}, at_{std::move(other.at_)} {}
  image& operator=(image&& other) noexcept {
    std::swap(of_, other.of_);
    std::swap(at_, other.at_);
    return *this;
  }
  ~image();

  // Of max_piece_size at most; empty if there are no more. Throws std::bad_alloc.
  [[nodiscard]] std::string next() { return of_->next_piece(*at_); }

private:
  friend update_register;
  image(update_register& of, std::unique_ptr<progress> at) noexcept
      : of_{&of}, at_{std::move(at)} {}

  update_register* of_;
  std::unique_ptr<progress> at_;
};

}  // namespace chp
