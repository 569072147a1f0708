#pragma once
// Where requests and their replies are kept: slots with dense numbers, each empty or of one request.

#include "mdp/titanic/request_id.h"
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
  pending,   // to be carried out
  answered,  // there is a reply
  given_up,  // there will be none
};

// What is known of a slot when the store is opened; bodies are read when they are needed.
struct kept_request {
  std::uint64_t number = 0;    // of the slot, from 1
  std::uint64_t accepted = 0;  // its place in the order of acceptance; 0 is an empty slot
  request_id id{};
  outcome state = outcome::pending;
  std::uint32_t attempts = 0;
  std::string service{};
  // The time since the last write to this state, when the store is opened. Never negative: a clock that was
  // set back counts as 0.
  std::chrono::seconds age{0};
};

enum class operation {
  accept,         // a request into an empty slot; slots that are skipped are made, empty
  count_attempt,  // only the number of attempts
  answer,         // the reply: the outcome
  give_up,        // the outcome without a reply
  close,          // the slot is empty again
  read_request,
  read_reply,
};

struct store_operation {
  operation what;
  std::uint64_t ticket = 0;  // comes back with the result
  std::uint64_t number = 0;
  std::uint64_t accepted = 0;  // accept
  request_id id{};             // accept, count_attempt, answer, give_up
  std::uint32_t attempts = 0;  // count_attempt, give_up, answer
  std::string service{};       // accept
  zmtp::message body{};        // accept, answer
};

struct store_result {
  std::uint64_t ticket = 0;
  // store_full: nothing was written. There may be room later.
  // store_failed: the store never writes again.
  // read_failed: a read failed and nothing was written. A later try may succeed.
  // row_damaged: a read found that the row is missing or altered.
  boost::system::error_code ec{};
  zmtp::message body{};  // of a read
};

// Operations take effect in the order they are given in, and what is given while others are being written
// is written with one sync. An operation without an error is on the disk when its result comes, whatever
// happens then; and what is read was there before.
//
// Thread safety: to be called by one thread at a time, that of the executor its results come in.
class request_store {
public:
  using load_handler =
      std::function<void(boost::system::error_code, std::vector<kept_request> slots)>;
  using result_handler = std::function<void(std::vector<store_result>)>;

  virtual ~request_store() = default;

  // To be called first, and once. `on_loaded` gets all slots by number, in the executor that the store
  // was made for; `on_results` is called there for what is submitted, never from within a call.
  virtual void open(load_handler on_loaded, result_handler on_results) = 0;
  // There is one result for each, in order.
  virtual void submit(std::vector<store_operation>&& batch) = 0;
};

}  // namespace mdp::titanic
