#pragma once
// The books of what Titanic was given to keep: what it has promised, what came of it, and what of that
// does not agree.

#include "mdp/titanic/request_id.h"
#include "mdp/titanic/request_store.h"
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

  // `attempts` that fail are to be made before a request is given up; `places` are those of all services.
  titanic_books(ledger& books, unsigned attempts, std::size_t places)
      : books_{&books}, attempts_{attempts}, places_{places} {}

  // Titanic gives the call this id; says 200; is asked to close it, and says 200.
  void on_asked(const request_id& id, std::uint32_t call);
  void on_promised(const request_id& id) { at(id).promised = true; }
  void on_closing(const request_id& id);
  void on_closed(const request_id& id);
  // It says 200 with this reply, or that it was given up, or that there is no such request.
  void on_reply(const request_id& id, const zmtp::message& reply);
  void on_given_up(const request_id& id);
  void on_unknown(const request_id& id);
  void on_dispatched(std::uint32_t call);
  // An attempt has ended, with a reply or without.
  void on_dispatch_end(std::uint32_t call, bool answered);
  // It was killed; what it finds when it starts again.
  void on_crash();
  void on_recovered(const std::vector<titanic::kept_request>& slots);
  // All is well, and has been for long. `status` is that of Titanic.
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
