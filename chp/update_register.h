#pragma once
// The updates that a server has applied, so that resent ones are not applied again. Pure.

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

// Limits of a register.
struct register_limits {
  std::size_t max_sessions =
      100'000;  // above it, the session without an update for longest is forgotten
  std::size_t max_others = 100'000;  // ids without a session; above it, the oldest is forgotten
};

// Stores the largest counter of each session and the gaps below it, and the latest ids without a
// session. A counter that would exceed the limit of gaps is stored like an id without a session. So
// no update counts as applied that is not.
class update_register {
public:
  static constexpr std::size_t max_piece_size = 64 * 1024;

  // Peers choose the ids, so `seed` must be random.
  explicit update_register(std::uint64_t seed = 0, const register_limits& limits = {});
  update_register(const update_register&) = delete;
  update_register& operator=(const update_register&) = delete;

  // An empty id is never known.
  [[nodiscard]] bool contains(const update_id& id) const noexcept;
  // Returns false, without a change, if the id is known. An empty id is always new. Throws
  // std::bad_alloc, after which the id is not known.
  bool insert(const update_id& id);

  // The same for an update of a session that will never be made. It counts as applied. The reasons
  // of the last refusals of a session are stored.
  bool refuse(const update_id& id, errc why);

  // The applied updates of a session, or a counter of zero if it is not known. Valid until the next
  // change.
  struct session_view {
    std::uint64_t counter = 0;
    std::span<const counter_range> gaps;    // below the counter; ascending, and not touching
    std::span<const refusal> refused = {};  // ascending
    std::uint64_t unsure = 0;               // up to here, forgotten refusals are possible
  };
  [[nodiscard]] session_view find(std::uint64_t session) const noexcept;

  // Adds the updates and refusals of a session from another register, except updates that it may
  // have refused and forgotten. Throws std::bad_alloc, after which a part is added, which is safe.
  void add_known(std::uint64_t session, const update_register& of);

  [[nodiscard]] std::size_t sessions() const noexcept { return by_session_.size(); }
  [[nodiscard]] std::size_t others() const noexcept { return by_id_.size(); }

  // A packed copy of the current content for another server, made while the register changes.
  class image;
  // The image must be destroyed before the register. Throws std::bad_alloc.
  [[nodiscard]] image open_image();
  // Returns all pieces of an image.
  [[nodiscard]] std::vector<std::string> pieces() const;
  // Returns the piece of a session, if it is known.
  [[nodiscard]] std::string piece_of(std::uint64_t session) const;
  // Adds the content of a piece. Throws std::bad_alloc. After an error or exception a part of the
  // piece is added, which is safe.
  // Errors: malformed_register.
  [[nodiscard]] boost::system::error_code unpack(std::string_view piece);

private:
  static constexpr std::uint32_t none = 0xffff'ffff;

  struct refusals {
    std::vector<refusal> last;  // at most max_refusals
    std::uint64_t forgotten = 0;
    void add(const refusal& one) noexcept;  // does not allocate
  };
  struct record {
    std::uint64_t session = 0;
    std::uint64_t counter = 0;
    boost::container::small_vector<counter_range, 1> gaps = {};
    std::unique_ptr<refusals> refused = {};  // null if there are none
    std::uint64_t changed = 0;   // number of images that were opened before its last change
    std::uint32_t older = none;  // links the records by their last change
    std::uint32_t newer = none;
  };
  struct slot {
    std::uint64_t session;
    std::uint32_t at;  // index of its record
  };
  struct session_of_slot {
    std::uint64_t operator()(const slot& s) const noexcept { return s.session; }
  };
  struct itself {
    const update_id& operator()(const update_id& id) const noexcept { return id; }
  };
  struct hash_of_id {
    zmtp::keyed_hash of;
    std::size_t operator()(const update_id& id) const noexcept { return of(id.bytes()); }
  };
  // The progress of an image.
  struct progress {
    std::uint64_t opened = 0;  // number of images opened so far, with this one
    std::size_t record = 0;
    std::size_t records_end = 0;
    std::uint64_t other = 0;
    std::uint64_t others_end = 0;
    std::deque<std::string> kept = {};  // records that have changed since, packed before the change
  };

  [[nodiscard]] const record* find_record(std::uint64_t session) const noexcept;
  // Returns the record of the session, as the newest. Creates it if necessary.
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
  std::vector<update_id> others_;  // the n-th id is at n modulo the limit
  std::uint64_t others_ever_ = 0;
  divided_set<update_id, itself, hash_of_id> by_id_;
  std::vector<progress*> images_;
  std::uint64_t images_ever_ = 0;
};

// Packs the content as it was when the image was opened. A record that changes earlier is packed
// before its change.
class update_register::image {
public:
  image(image&& other) noexcept : of_{other.of_}, at_{std::move(other.at_)} {}
  image& operator=(image&& other) noexcept {
    std::swap(of_, other.of_);
    std::swap(at_, other.at_);
    return *this;
  }
  ~image();

  // Returns a piece of at most max_piece_size, or an empty one at the end. Throws std::bad_alloc.
  [[nodiscard]] std::string next() { return of_->next_piece(*at_); }

private:
  friend update_register;
  image(update_register& of, std::unique_ptr<progress> at) noexcept
      : of_{&of}, at_{std::move(at)} {}

  update_register* of_;
  std::unique_ptr<progress> at_;
};

}  // namespace chp
