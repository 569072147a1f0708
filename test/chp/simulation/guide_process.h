#pragma once
// A program without Zinc's extensions, which sends each update to both servers, as the Guide's
// clients do, or to one of them.

#include "test/chp/simulation/map_history.h"
#include "zmtp/simulation/world.h"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace chp::simulation {

class guide_process {
public:
  struct options {
    bool has_ids = false;              // each update has an id
    bool expects_once = false;         // each update is executed once
    std::optional<server> sends_to{};  // this one alone; without a value, both
    std::chrono::milliseconds pace{100};
    zmtp::simulation::clock_rate clock{};
  };

  guide_process(zmtp::simulation::world& in, map_history& to, std::string host, const options& how)
      : world_{&in}, process_{&in.add(std::move(host))}, history_{&to}, options_{how} {
    process_->set_clock(options_.clock);
    process_->run([this] { return write(); });
  }
  void stop_writing() noexcept { writes_ = false; }
  [[nodiscard]] zmtp::simulation::simulated_host& machine() noexcept { return process_->machine(); }

private:
  [[nodiscard]] boost::asio::awaitable<void> write();

  zmtp::simulation::world* world_;
  zmtp::simulation::process* process_;
  map_history* history_;
  options options_;
  bool writes_ = true;
};

}  // namespace chp::simulation
