#pragma once
// Titanic's requests, by the numbers of their slots, and by id and principal. Pure.

#include "mdp/titanic/request_database.h"
#include "mdp/titanic/request_id.h"
#include "zmtp/routing/keyed_hash.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace mdp::titanic {

struct service_record;

// The phase of a request.
enum class request_phase : std::uint8_t {
  empty,      // no request in the slot
  accepting,  // being stored
  waiting,    // for the service
  reading,    // its body is being read for the next attempt
  given,      // in flight at the service
  storing,    // its outcome is being stored
  answered,
  given_up,
  closing,  // its slot is being emptied
};

struct request_slot {
  request_id id;
  request_phase at = request_phase::empty;
  std::uint32_t attempts = 0;
  std::uint64_t accepted = 0;
  const std::string* principal = nullptr;           // the client that made the request
  service_record* asked = nullptr;                  // null once there is an outcome
  std::chrono::steady_clock::time_point expires{};  // valid if has_outcome(); see retention
};

// Returns whether a client can ask for the outcome of this request.
[[nodiscard]] inline bool has_outcome(const request_slot& one) noexcept {
  return one.at == request_phase::answered || one.at == request_phase::given_up;
}

// Requests in slots. Each principal has ids of its own: a client neither finds nor hinders the
// requests of another principal, even if it knows their ids. References to slots are valid until the next add().
class request_table {
public:
  // `seed` has 64 random bits, so that clients cannot choose ids that collide.
  explicit request_table(std::uint64_t seed) : by_id_{0, id_hash{zmtp::keyed_hash{seed}}} {}

  // Adds all slots, by number. Must be the first call. Slots without an outcome have no phase and
  // no service yet.
  void recover(const std::vector<stored_request>& slots);

  // Slots that are not empty.
  [[nodiscard]] std::size_t size() const noexcept { return by_id_.size(); }
  [[nodiscard]] bool contains(const request_id& id, std::string_view principal) const;
  [[nodiscard]] request_slot& at(std::uint64_t number) { return slots_[number - 1]; }
  [[nodiscard]] const request_slot& at(std::uint64_t number) const { return slots_[number - 1]; }
  // Returns null if the request is in another phase, or has been closed since then.
  [[nodiscard]] request_slot* find(std::uint64_t number, std::uint64_t accepted, request_phase in);
  // Returns null if this principal has no request with this id.
  [[nodiscard]] request_slot* find(const request_id& id, std::string_view principal,
                                   std::uint64_t& number);

  // Adds a request, as the last in the order of acceptance, and returns its number.
  [[nodiscard]] std::uint64_t add(const request_id& id, std::string_view principal,
                                  service_record& asked);
  // Frees the slot of the request.
  void remove(std::uint64_t number);

private:
  struct owned_id {
    request_id id;
    const std::string* principal;  // in principals_

    friend bool operator==(const owned_id&, const owned_id&) = default;
  };
  struct id_hash {
    zmtp::keyed_hash keyed;
    [[nodiscard]] std::size_t operator()(const owned_id& of) const noexcept {
      return keyed({reinterpret_cast<const char*>(of.id.bytes.data()), of.id.bytes.size()});
    }
  };
  struct text_hash {
    using is_transparent = void;
    [[nodiscard]] std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>{}(text);
    }
  };

  [[nodiscard]] const std::string* find_principal(std::string_view name) const;
  [[nodiscard]] const std::string* add_principal(std::string_view name);

  std::vector<request_slot> slots_;
  std::vector<std::uint64_t> empty_;
  // The principals that have made a request, each one once for all its requests. Forgets none.
  std::unordered_set<std::string, text_hash, std::equal_to<>> principals_;
  boost::unordered_flat_map<owned_id, std::uint64_t, id_hash> by_id_;
  std::uint64_t last_accepted_ = 0;
};

}  // namespace mdp::titanic
