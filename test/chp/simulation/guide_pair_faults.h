#pragma once
// The faults of a pair of a Zinc server and a server of the Guide.

#include "test/chp/simulation/client_process.h"
#include "test/chp/simulation/guide_server_process.h"
#include "test/chp/simulation/server_process.h"
#include "zmtp/simulation/world.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace chp::simulation {

class guide_pair_faults {
public:
  // All must outlive the faults, which end by themselves, after at most `longest`.
  guide_pair_faults(zmtp::simulation::world& in, server_process& ours, guide_server_process& theirs,
                    const std::vector<std::unique_ptr<client_process>>& clients,
                    std::chrono::milliseconds longest)
      : world_{in}, ours_{ours}, theirs_{theirs}, clients_{clients}, longest_{longest} {}

  // Begins one at random. A killed server comes back.
  void make();

  [[nodiscard]] std::size_t made() const noexcept { return made_; }
  [[nodiscard]] std::size_t open() const noexcept { return open_; }

private:
  using end = std::function<void()>;

  [[nodiscard]] zmtp::simulation::random_source& random() noexcept { return world_.random(); }
  [[nodiscard]] end kill();
  [[nodiscard]] end pause();
  [[nodiscard]] end part_servers();
  [[nodiscard]] end part_client();

  zmtp::simulation::world& world_;
  server_process& ours_;
  guide_server_process& theirs_;
  const std::vector<std::unique_ptr<client_process>>& clients_;
  std::chrono::milliseconds longest_;
  std::size_t made_ = 0;
  std::size_t open_ = 0;
};

}  // namespace chp::simulation
