#pragma once
// Interface of the store of requests and replies: slots with dense numbers, each empty or with one
// request.

#include "mdp/titanic/request_id.h"
#include "zmtp/duration_histogram.h"
#include "zmtp/message.h"
#include "zmtp/storage/error.h"

#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mdp::titanic {

enum class outcome : std::uint8_t {
  pending,   // must be executed
  answered,  // has a reply
  given_up,  // will have no reply
};

// The content of a slot when the store is opened, without bodies.
struct stored_request {
  std::uint64_t number = 0;    // number of the slot, from 1
  std::uint64_t accepted = 0;  // position in the order of acceptance; 0: an empty slot
  request_id id{};
  outcome state = outcome::pending;
  std::uint32_t attempts = 0;
  std::string service{};
  std::string principal{};  // the client that made the request; empty: anonymous
  // Time since the last write to this state, when the store is opened. Never negative: if the clock
  // was set back, it is 0.
  std::chrono::seconds age{0};
};

enum class operation {
  accept,         // puts a request into an empty slot; creates skipped slots, empty
  count_attempt,  // changes only the number of attempts
  answer,         // stores the reply as the outcome
  give_up,        // stores the outcome without a reply
  close,          // empties the slot
  read_request,
  read_reply,
};

struct store_operation {
  operation what;
  std::uint64_t ticket = 0;  // comes back in the result
  std::uint64_t number = 0;
  std::uint64_t accepted = 0;  // accept
  request_id id{};             // accept, count_attempt, answer, give_up
  std::uint32_t attempts = 0;  // count_attempt, give_up, answer
  std::string service{};       // accept
  std::string principal{};     // accept
  zmtp::message body{};        // accept, answer
};

struct store_result {
  std::uint64_t ticket = 0;
  // The errors are:
  // - store_full: nothing was written. A later try may succeed.
  // - store_failed: the store never writes again.
  // - read_failed: a read failed and nothing was written. A later try may succeed.
  // - row_damaged: a read found that the row is missing or altered.
  boost::system::error_code ec{};
  zmtp::message body{};  // result of a read
};

// Stores requests. Operations take effect in the order of the calls. Operations that are submitted
// during a write are written together, with one sync. When an operation without an error completes,
// its change is on the disk, and a read returns only data that is on the disk.
//
// Thread safety: not safe. Call it only in the executor of its results.
class request_database {
public:
  using load_handler =
      std::function<void(boost::system::error_code, std::vector<stored_request> slots)>;
  using result_handler = std::function<void(std::vector<store_result>)>;

  virtual ~request_database() = default;

  // Opens the store. Must be the first call, and made once. `on_loaded` gets all slots by number.
  // Both handlers run in the executor of the store, never inside a call.
  virtual void open(load_handler on_loaded, result_handler on_results) = 0;
  // Each operation has one result, in order.
  virtual void submit(std::vector<store_operation>&& batch) = 0;
  // Returns the times of the writes with their sync. A store without a disk counts none.
  [[nodiscard]] virtual zmtp::duration_histogram sync_times() const { return {}; }
};

}  // namespace mdp::titanic
