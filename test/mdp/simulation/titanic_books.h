#pragma once
// The ledger of the requests that Titanic stores: the accepted requests, their outcomes, and the contradictions
// between the two.

#include "mdp/titanic/request_database.h"
#include "mdp/titanic/request_id.h"
#include "test/mdp/simulation/ledger.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mdp::simulation {

class titanic_books {
public:
  using request_id = titanic::request_id;

  // Titanic gives a request up after `attempts` failed attempts. `places` is the number of slots of all
  // services.
  titanic_books(ledger& books, unsigned attempts, std::size_t places)
      : books_{&books}, attempts_{attempts}, places_{places} {}

  // Titanic assigns this id to the call, answers 200, receives a close, and answers 200 to the close.
  void on_asked(const request_id& id, std::uint32_t call);
  void on_promised(const request_id& id) { at(id).promised = true; }
  void on_closing(const request_id& id);
  void on_closed(const request_id& id);
  // Titanic answers 200 with this reply, or that the request was given up, or that there is no such request.
  void on_reply(const request_id& id, const zmtp::message& reply);
  void on_given_up(const request_id& id);
  void on_unknown(const request_id& id);
  void on_dispatched(std::uint32_t call);
  // An attempt has ended, with a reply or without.
  void on_dispatch_end(std::uint32_t call, bool answered);
  // Titanic was killed; these are the requests that it finds after the restart.
  void on_crash();
  void on_recovered(const std::vector<titanic::stored_request>& slots);
  // The network works, and has for a long time. `status` is that of Titanic.
  void check_rest(std::size_t pending, std::size_t in_flight);
  // How many requests.
  [[nodiscard]] std::size_t kept_so_far() const noexcept { return kept_.size(); }

private:
  struct kept {
    std::uint32_t call = 0;
    bool promised = false;
    bool closing = false;
    bool closed = false;
    bool given_up = false;
    std::optional<zmtp::message> reply{};
  };
  struct attempts_at {
    std::size_t copies = 0;     // requests with this body
    std::size_t under_way = 0;  // in this life
    std::size_t made = 0;
    std::size_t failed = 0;
  };

  [[nodiscard]] kept& at(const request_id& id) { return kept_[id]; }
  [[nodiscard]] static std::string name(const request_id& id, const kept& of);

  ledger* books_;
  unsigned attempts_;
  std::size_t places_;
  std::map<request_id, kept> kept_;
  std::map<std::uint32_t, attempts_at> calls_;
  std::size_t crashes_ = 0;
};

}  // namespace mdp::simulation
