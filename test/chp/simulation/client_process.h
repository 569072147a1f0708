#pragma once
// A client of a simulated pair: the production client, which updates and watches the map.

#include "chp/client.h"
#include "test/chp/simulation/map_history.h"
#include "zmtp/simulation/world.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace chp::simulation {

class client_process {
public:
  struct options {
    std::vector<server> servers{};
    client_options client{};
    std::chrono::milliseconds pace{100};  // between two updates, at most
    std::size_t shared_keys = 3;
    unsigned cancels = 0;  // percentage of updates after which an older one is cancelled
  };

  // `in` and `to` must outlive the client.
  client_process(zmtp::simulation::world& in, map_history& to, std::string host, options how)
      : world_{&in}, process_{&in.add(std::move(host))}, history_{&to}, options_{std::move(how)} {}
  client_process(const client_process&) = delete;
  client_process& operator=(const client_process&) = delete;
  ~client_process() { kill(zmtp::simulation::death::process); }

  void start();
  void kill(zmtp::simulation::death how);
  [[nodiscard]] zmtp::simulation::process& process() noexcept { return *process_; }
  // Begins no more updates.
  void stop_writing() noexcept { writes_ = false; }
  // Tells the history if the client cannot know all of its lost updates.
  void tell_limits();

  [[nodiscard]] bool reaches(server which) const;
  [[nodiscard]] const std::string& name() const noexcept { return process_->host(); }
  [[nodiscard]] std::size_t open() const noexcept { return open_.size(); }
  [[nodiscard]] bool is_following() const { return client_ && client_->status().following; }
  [[nodiscard]] client_status status() const { return client_->status(); }
  [[nodiscard]] map_history::content copy() const;

private:
  struct seen {
    bool present = false;
    std::size_t losses = 0;  // histories that were lost before the key was seen
  };

  [[nodiscard]] boost::asio::awaitable<void> write();
  [[nodiscard]] boost::asio::awaitable<void> watch();
  void update();
  void cancel_one();
  void on_event(const client_event& event);
  void on_change(const change& c);

  zmtp::simulation::world* world_;
  zmtp::simulation::process* process_;
  map_history* history_;
  options options_;
  std::shared_ptr<client> client_;
  bool writes_ = true;
  std::size_t last_ = 0;
  std::map<map_history::index, std::unique_ptr<boost::asio::cancellation_signal>> open_;
  std::size_t losses_ = 0;  // times that history_lost was told
  std::map<std::string, seen> seen_;
};

}  // namespace chp::simulation
