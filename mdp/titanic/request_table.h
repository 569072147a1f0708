#pragma once
// Titanic's requests, by the numbers of their slots and by id. Pure.

#include "mdp/titanic/request_database.h"
#include "mdp/titanic/request_id.h"
#include "zmtp/routing/keyed_hash.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
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
  service_record* asked = nullptr;                  // null once there is an outcome
  std::chrono::steady_clock::time_point expires{};  // valid if has_outcome(); see retention
};

// Returns whether a client can ask for the outcome of this request.
[[nodiscard]] inline bool has_outcome(const request_slot& one) noexcept {
  return one.at == request_phase::answered || one.at == request_phase::given_up;
}

// Requests in slots. References to slots are valid until the next add().
class request_table {
public:
  // `seed` has 64 random bits, so that clients cannot choose ids that collide.
  explicit request_table(std::uint64_t seed) : by_id_{0, id_hash{zmtp::keyed_hash{seed}}} {}

  // Adds all slots, by number. Must be the first call. Slots without an outcome have no phase and
  // no service yet.
  void recover(const std::vector<stored_request>& slots);

  // Slots that are not empty.
  [[nodiscard]] std::size_t size() const noexcept { return by_id_.size(); }
  [[nodiscard]] bool contains(const request_id& id) const { return by_id_.contains(id); }
  [[nodiscard]] request_slot& at(std::uint64_t number) { return slots_[number - 1]; }
  // Returns null if the request is in another phase, or has been closed since then.
  [[nodiscard]] request_slot* find(std::uint64_t number, std::uint64_t accepted, request_phase in);
  // Returns null if the id is not known.
  [[nodiscard]] request_slot* find(const request_id& id, std::uint64_t& number);

  // Adds a request, as the last in the order of acceptance, and returns its number.
  [[nodiscard]] std::uint64_t add(const request_id& id, service_record& asked);
  // Frees the slot of the request.
  void remove(std::uint64_t number);

private:
  struct id_hash {
    zmtp::keyed_hash keyed;
    [[nodiscard]] std::size_t operator()(const request_id& id) const noexcept {
      return keyed({reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()});
    }
  };

  std::vector<request_slot> slots_;
  std::vector<std::uint64_t> empty_;
  boost::unordered_flat_map<request_id, std::uint64_t, id_hash> by_id_;
  std::uint64_t last_accepted_ = 0;
};

}  // namespace mdp::titanic
