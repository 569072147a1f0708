#pragma once
// Titanic (9/TSP): keeps requests until they are carried out, and their replies until they are closed.
// Pure; the shell around it is `service`.

#include "mdp/titanic/command.h"
#include "mdp/titanic/options.h"
#include "mdp/titanic/request_id.h"
#include "mdp/titanic/request_store.h"
#include "zmtp/message.h"
#include "zmtp/routing/keyed_hash.h"

#include <boost/system/error_code.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mdp::titanic {

// Appended to by the state, carried out and cleared by the shell.
struct titanic_actions {
  struct answer {
    std::uint64_t caller;
    zmtp::message body;
  };
  struct dispatch {
    std::uint64_t id;  // to be named when it ends; never used twice
    std::string service;
    zmtp::message body;
    std::chrono::milliseconds deadline;
  };
  std::vector<store_operation> operations;
  std::vector<answer> answers;
  std::vector<dispatch> dispatches;  // one attempt each

  void clear() noexcept {
    operations.clear();
    answers.clear();
    dispatches.clear();
  }
};

struct titanic_counters {
  std::uint64_t accepted = 0;     // stored, and the client was told so
  std::uint64_t repeated = 0;     // submitted again, and stored already
  std::uint64_t refused = 0;      // 400
  std::uint64_t not_stored = 0;   // 500, for want of room or for a fault of the store
  std::uint64_t dispatched = 0;   // attempts
  std::uint64_t unanswered = 0;   // attempts that had no reply in time
  std::uint64_t interrupted = 0;  // attempts whose connection was lost, which do not count
  std::uint64_t answered = 0;     // replies that were stored
  std::uint64_t given_up = 0;     // after their last attempt
  std::uint64_t closed = 0;
  std::uint64_t unreadable = 0;  // rows that were found missing or altered
};

struct titanic_status {
  bool accepting = false;
  std::size_t requests = 0;   // stored, whatever their outcome
  std::size_t pending = 0;    // of them
  std::size_t in_flight = 0;  // with their services
  std::size_t services = 0;   // that requests wait for
  titanic_counters counters{};
};

// Of a service that requests wait for, or have waited for a moment ago.
struct titanic_service_status {
  std::string name;
  std::size_t pending = 0;    // requests without an outcome
  std::size_t in_flight = 0;  // of them, with the service, and those whose outcome is being stored
};

// Whether a service is there is asked of the broker (mmi.service) before anything is given to it, so that
// a request waits for its service without using up its attempts. A request is with one worker at a time
// and its dispatch ends before the next begins: there is one reply at most, and it is the outcome. It keeps
// its place among those of its service until that is stored, so that a crash makes no more requests run again
// than a service has at once.
//
// When the store has failed, nothing is accepted or dispatched any more; what can be read is answered.
class titanic_state {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using actions = titanic_actions;

  // `seed` are 64 random bits, by which clients that choose ids cannot make them collide.
  explicit titanic_state(titanic_options options, std::uint64_t seed = 0);
  titanic_state(const titanic_state&) = delete;
  titanic_state& operator=(const titanic_state&) = delete;

  // What the store had when it was opened, all slots by number. Before anything else.
  void on_recovered(std::vector<kept_request>&& slots, time_point now, actions& out);

  // What the services are asked. `caller` comes back with the answer, of which there is one.
  // `random` becomes the id: it must not be guessable.
  void on_request(std::uint64_t caller, zmtp::message&& asked, const request_id& random,
                  actions& out);
  // With an id of the client's. One that is known already names the request that it came with first,
  // until that is closed: whatever else is said this time is not looked at.
  void on_submit(std::uint64_t caller, zmtp::message&& asked, actions& out);
  void on_reply(std::uint64_t caller, const zmtp::message& asked, actions& out);
  void on_close(std::uint64_t caller, const zmtp::message& asked, time_point now, actions& out);

  void on_stored(store_result&& result, time_point now, actions& out);
  // A PARTIAL of an attempt's reply: it is kept with the last part, as one reply.
  void on_dispatch_part(std::uint64_t id, const zmtp::message& part);
  // An attempt has ended, with (the rest of) a reply or with an error of mdp::client.
  void on_dispatch_end(std::uint64_t id, boost::system::error_code ec, zmtp::message&& reply,
                       time_point now, actions& out);

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  void on_deadline(time_point now, actions& out);

  [[nodiscard]] titanic_status status() const noexcept;
  // In the order of their names, octet by octet: up to `count` from the first behind `after`.
  [[nodiscard]] std::vector<titanic_service_status> services(std::string_view after = {},
                                                             std::size_t count = SIZE_MAX) const;

private:
  enum class phase : std::uint8_t {
    empty,      // the slot has no request
    accepting,  // being stored
    waiting,    // for its service
    reading,    // its body is being read for the next attempt
    given,      // with its service
    storing,    // its outcome is being stored
    answered,
    given_up,
    closing,  // its slot is being emptied
  };
  struct service_record {
    std::string name;
    service_limits limits;
    std::deque<std::pair<std::uint64_t, std::uint64_t>> waiting;  // number, accepted
    std::size_t pending = 0;                                      // requests without an outcome
    std::size_t in_flight = 0;
    bool looking_up = false;
    time_point present_until{};
    time_point retry_at{};
    std::chrono::milliseconds backoff{0};
    std::optional<time_point> due{};
  };
  // By name what is due at the same time: the order does not depend on where a record lies.
  struct sooner {
    [[nodiscard]] bool operator()(const std::pair<time_point, service_record*>& a,
                                  const std::pair<time_point, service_record*>& b) const noexcept {
      return a.first != b.first ? a.first < b.first : a.second->name < b.second->name;
    }
  };
  struct slot {
    request_id id;
    phase at = phase::empty;
    std::uint32_t attempts = 0;
    std::uint64_t accepted = 0;
    service_record* asked = nullptr;  // while there is no outcome
  };
  // What a result of the store is about.
  struct ticket {
    operation what;
    std::uint64_t number;
    std::uint64_t accepted;
    std::uint64_t caller;
    service_record* service;  // in which a place is taken until then
  };
  // Until it is stored.
  struct kept_outcome {
    zmtp::message reply;  // empty: given up
    bool submitted = false;
  };
  struct attempt {
    service_record* service;
    std::uint64_t number;  // 0: asks whether the service is there
    std::uint64_t accepted;
    time_point begun;
    zmtp::message parts{};   // of the reply, so far
    bool too_large = false;  // … to be kept: they are dropped
  };

  struct id_hash {
    zmtp::keyed_hash keyed;
    [[nodiscard]] std::size_t operator()(const request_id& id) const noexcept {
      return keyed({reinterpret_cast<const char*>(id.octets.data()), id.octets.size()});
    }
  };

  [[nodiscard]] slot& at(std::uint64_t number) { return slots_[number - 1]; }
  // Null for one that has been closed since.
  [[nodiscard]] slot* find(std::uint64_t number, std::uint64_t accepted, phase in);
  [[nodiscard]] slot* find(const request_id& id, std::uint64_t& number);
  service_record& service_of(std::string_view name);
  // The request is the service and the body.
  void accept(std::uint64_t caller, const request_id& id, zmtp::message&& request, actions& out);
  void hold(std::uint64_t number, const zmtp::message& body);
  void release(std::uint64_t number);
  void operate(store_operation&& what, std::uint64_t caller, actions& out,
               service_record* service = nullptr);
  static void answer(std::uint64_t caller, std::string_view code, actions& out);
  static void answer_accepted(std::uint64_t caller, const request_id& id, actions& out);
  static void gather(attempt& of, const zmtp::message& part);
  void keep_outcome(std::uint64_t number, zmtp::message&& reply, actions& out);
  void store_outcome(std::uint64_t number, actions& out);
  void leave_service(slot& of, time_point now, actions& out);
  void leave_place(service_record& service, time_point now, actions& out);

  void on_accepted(const ticket& about, boost::system::error_code ec, time_point now, actions& out);
  void on_outcome_stored(const ticket& about, boost::system::error_code ec, time_point now,
                         actions& out);
  void on_closed(const ticket& about, boost::system::error_code ec, actions& out);
  void on_request_read(const ticket& about, store_result&& result, time_point now, actions& out);
  void on_looked_up(service_record& of, boost::system::error_code ec, const zmtp::message& reply,
                    time_point now, actions& out);

  void wait_in(service_record& service, std::uint64_t number, bool first);
  // Gives it what it can take, asks whether it is there, or notes when to look again.
  void look_at(service_record& service, time_point now, actions& out);
  void look_up(service_record& service, time_point now, actions& out);
  void give(std::uint64_t number, const zmtp::message& body, time_point now, actions& out);
  void back_off(service_record& service, time_point now) noexcept;
  void set_due(service_record& service, std::optional<time_point> due);
  [[nodiscard]] bool next_waiting(service_record& service);

  const titanic_options options_;
  bool failed_ = false;
  std::vector<slot> slots_;
  std::vector<std::uint64_t> empty_;
  boost::unordered_flat_map<request_id, std::uint64_t, id_hash> by_id_;
  // Who has submitted it again while it was being stored, by number.
  boost::unordered_flat_map<std::uint64_t, std::vector<std::uint64_t>> also_asked_;
  std::map<std::string, service_record, std::less<>> services_;
  std::set<std::pair<time_point, service_record*>, sooner> due_;
  std::deque<service_record*> to_be_looked_up_;
  std::size_t lookups_ = 0;
  boost::unordered_flat_map<std::uint64_t, zmtp::message> held_;  // bodies, by number
  std::size_t held_octets_ = 0;
  boost::unordered_flat_map<std::uint64_t, kept_outcome> outcomes_;  // by number
  std::set<std::pair<time_point, std::uint64_t>> to_be_stored_again_;
  boost::unordered_flat_map<std::uint64_t, ticket> tickets_;
  boost::unordered_flat_map<std::uint64_t, attempt> attempts_;
  std::uint64_t last_ticket_ = 0;
  std::uint64_t last_attempt_ = 0;
  std::uint64_t last_accepted_ = 0;
  std::size_t pending_ = 0;
  std::size_t in_flight_ = 0;
  titanic_counters counters_;
};

}  // namespace mdp::titanic
