#pragma once
// mdp::titanic::server in virtual time, with its store on a disk that loses and tears unsynced writes. The
// scenario restarts it after a failure of its store.

#include "mdp/titanic/options.h"
#include "mdp/titanic/slot_file.h"
#include "mdp/titanic/titanic_state.h"
#include "test/mdp/simulation/process.h"
#include "test/mdp/simulation/sim_client.h"
#include "test/mdp/simulation/sim_worker.h"
#include "test/mdp/simulation/titanic_books.h"
#include "test/simulation/sim_alarm.h"
#include "test/zmtp/storage/faulty_disk.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mdp::simulation {

class titanic_process final : public process {
public:
  // Faults to put in, to see that they are noticed.
  struct planted_fault {
    // May change the actions before they are carried out, or their results.
    std::function<void(titanic::titanic_actions&)> edit{};
    std::function<void(titanic::store_result&)> edit_result{};
    bool never_syncs = false;
    bool has_no_clock = false;
  };

  titanic_process(town& in, std::string broker, titanic_books& books,
                  titanic::server_options options)
      : process{in, "titanic"},
        broker_{std::move(broker)},
        books_{&books},
        options_{std::move(options)} {}

  [[nodiscard]] planted_fault& faults() noexcept { return faults_; }
  // The disk has no more room, or the next of its operations fail; and no more of that.
  void fill_disk();
  void fail_disk();
  void heal_disk();
  // While its store is open.
  [[nodiscard]] std::optional<titanic::titanic_status> status() const;
  void leave();

private:
  enum class asked_for { request, reply, close };
  struct caller {
    sim_worker* from;
    std::uint64_t request;
    asked_for what;
    titanic::request_id id;
  };
  struct life {
    life(titanic_process& of);

    titanic::slot_file file;
    titanic::titanic_state state;
    titanic::titanic_actions actions;
    sim_alarm alarm;
    sim_client client;
    std::vector<std::unique_ptr<sim_worker>> workers;
    std::map<std::uint64_t, caller> in_flight;
    std::uint64_t last_caller = 0;
    std::vector<titanic::store_operation> to_do;
    bool writing = false;
    bool open = false;
  };

  void begin() override;
  void end() override;
  void on_kill(bool without_power) override;
  void open_store();
  void offer(std::string_view name, asked_for what);
  void take(sim_worker& from, std::uint64_t request, asked_for what, zmtp::message&& asked);
  void carry_out();
  void tell(const titanic::titanic_actions::answer& one);
  void dispatch(titanic::titanic_actions::dispatch&& one);
  void write_soon();
  void write();
  void on_written(std::vector<titanic::store_result>&& results);
  void start_again_later();
  [[nodiscard]] titanic::request_id random_id();

  std::string broker_;
  titanic_books* books_;
  titanic::server_options options_;
  planted_fault faults_;
  zmtp::test::faulty_disk disk_;
  std::shared_ptr<life> life_;
  bool without_power_ = false;
};

}  // namespace mdp::simulation
