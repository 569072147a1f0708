#pragma once
// The production Titanic, with its database on a disk that loses and tears unsynced writes. It
// starts again after a failure of its disk.

#include "mdp/titanic/options.h"
#include "mdp/titanic/server.h"
#include "test/mdp/simulation/process.h"
#include "test/mdp/simulation/simulated_database.h"
#include "test/mdp/simulation/titanic_history.h"
#include "test/zmtp/storage/faulty_disk.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace mdp::simulation {

class titanic_process final : public process {
public:
  titanic_process(setting& in, std::string broker, titanic_history& stored,
                  titanic::server_options options)
      : process{in, "titanic"},
        broker_{std::move(broker)},
        stored_{&stored},
        options_{std::move(options)} {}
  ~titanic_process() override { kill(false); }

  [[nodiscard]] simulated_database::planted_fault& faults() noexcept { return faults_; }
  // The disk has no more room, or the next of its operations fail; and no more of that.
  void fill_disk();
  void fail_disk();
  void heal_disk();
  // While its database is open.
  [[nodiscard]] std::optional<titanic::titanic_status> status() const;
  void leave() { kill(false); }

private:
  struct life {
    std::shared_ptr<simulated_database> database;
    std::optional<titanic::server> server;
    bool open = false;
  };

  void begin() override;
  void end() override;
  void on_kill(bool without_power) override { without_power_ = without_power; }
  void watch();
  void start_again();

  std::string broker_;
  titanic_history* stored_;
  titanic::server_options options_;
  simulated_database::planted_fault faults_;
  zmtp::test::faulty_disk disk_;
  std::shared_ptr<life> life_;
  bool without_power_ = false;
};

}  // namespace mdp::simulation
