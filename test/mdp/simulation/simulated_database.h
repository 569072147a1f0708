#pragma once
// Titanic's database in virtual time: its file on a faulty disk, without the thread of
// sqlite_request_database. Operations that arrive during a write are written together, as there.

#include "mdp/titanic/request_database.h"
#include "mdp/titanic/slot_file.h"
#include "test/mdp/simulation/setting.h"
#include "test/mdp/simulation/titanic_history.h"
#include "test/zmtp/storage/faulty_disk.h"

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

namespace mdp::simulation {

class simulated_database final : public titanic::request_database {
public:
  // Faults of the database, to plant in a test.
  struct planted_fault {
    // May change an operation before it is carried out, or its result.
    std::function<void(titanic::store_operation&)> edit{};
    std::function<void(titanic::store_result&)> edit_result{};
    bool never_syncs = false;
    bool loses_outcomes = false;  // says nothing of them
  };
  // Calls a function in the process after a time.
  using timer = std::function<void(std::chrono::nanoseconds, std::function<void()>)>;

  simulated_database(setting& in, const zmtp::runtime& of, zmtp::test::faulty_disk& disk,
                     titanic_history& stored, const planted_fault& faults, timer after);

  void open(load_handler on_loaded, result_handler on_results) override;
  void submit(std::vector<titanic::store_operation>&& batch) override;
  // The power or the process fails, perhaps in the middle of a write.
  void die();

private:
  void write_soon();
  void write();

  setting& in_;
  zmtp::test::faulty_disk& disk_;
  titanic_history& stored_;
  const planted_fault& faults_;
  timer after_;
  std::optional<titanic::slot_file> file_;
  result_handler on_results_;
  std::vector<titanic::store_operation> to_do_;
  bool writing_ = false;
};

}  // namespace mdp::simulation
