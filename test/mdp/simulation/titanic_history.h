#pragma once
// The history of the requests that Titanic stores: what it stored, what clients and services got,
// and the contradictions between these.

#include "mdp/titanic/request_database.h"
#include "mdp/titanic/request_id.h"
#include "mdp/titanic/titanic_status.h"
#include "test/mdp/simulation/history.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mdp::simulation {

class titanic_history {
public:
  using request_id = titanic::request_id;

  // Titanic gives a request up after `attempts` failed attempts. `places` is the number of slots of
  // all services.
  titanic_history(history& calls, unsigned attempts, std::size_t places)
      : calls_{&calls}, attempts_{attempts}, places_{places} {}

  // Operations of the database, and their results.
  void on_operation(const titanic::store_operation& one);
  void on_result(const titanic::store_operation& of, bool done);
  // The disk did not work, so that Titanic may answer 500 to anything.
  void on_disk_trouble() noexcept { disk_trouble_ = true; }
  // Titanic gives this request to its service.
  void on_dispatched(const request_id& id);
  // A client asks for the reply.
  void on_asked(const request_id& id) { requests_[id].asked_when_closed = requests_[id].closed; }
  // Titanic answers a client 200 with this reply, or that it has none and will have none, or that
  // there is no such request.
  void on_reply(const request_id& id, const zmtp::message& reply);
  void on_failed(const request_id& id);
  void on_unknown(const request_id& id);
  // Titanic was killed; these are the requests that it finds after the restart.
  void on_crash(const titanic::titanic_status& last);
  void on_recovered(const std::vector<titanic::stored_request>& slots);
  // The network works, and has for a long time.
  void check_rest(const titanic::titanic_status& s);
  // How many requests.
  [[nodiscard]] std::size_t stored_so_far() const noexcept { return requests_.size(); }

private:
  struct record {
    std::uint32_t call = 0;
    bool stored = false;
    bool closing = false;
    bool closed = false;
    bool asked_when_closed = false;  // the last time that a client asked for its reply
    bool ended = false;              // Titanic has its outcome
    bool answer_stored = false;      // … and so has the disk
    bool given_up = false;           // … without a reply
    bool failure_told = false;
    unsigned dispatched = 0;
    std::optional<zmtp::message> reply{};
  };

  [[nodiscard]] static std::string name(const request_id& id, const record& of);
  [[nodiscard]] static std::size_t failed(const titanic::titanic_status& s) noexcept {
    return s.counters.unanswered + s.counters.interrupted;
  }

  history* calls_;
  unsigned attempts_;
  std::size_t places_;
  std::map<request_id, record> requests_;
  std::map<std::uint64_t, request_id> slots_;
  std::size_t dispatched_ = 0;
  std::size_t failed_ = 0;  // attempts of former lives
  std::size_t crashes_ = 0;
  bool disk_trouble_ = false;
};

}  // namespace mdp::simulation
