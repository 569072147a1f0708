#pragma once
// Servers of the map with a store, on real sockets, and a client.

#include "chp/client.h"
#include "chp/server.h"
#include "chp/sqlite_log_store.h"
#include "test/chp/memory_log_store.h"
#include "test/chp/pair_fixture.h"
#include "test/support/scratch_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace chp {

using boost::system::error_code;

// In memory, and sometimes slow or without room.
class small_store final : public log_store {
public:
  explicit small_store(const boost::asio::any_io_executor& executor) : kept_{executor} {}

  void load(std::unique_ptr<history> into, history::time_point now,
            load_handler on_loaded) override {
    kept_.load(std::move(into), now, std::move(on_loaded));
  }
  void write(state_write&& change, write_handler on_written) override {
    if (slow) {
      waiting.emplace_back(std::move(change), std::move(on_written));
    } else {
      kept_.write(std::move(change), std::move(on_written));
    }
  }
  void set_full(bool full) {
    kept_.fail_with(full ? error_code{zmtp::storage_errc::store_full} : error_code{});
  }
  void go_on() {
    slow = false;
    for (auto& [change, on_written] : std::exchange(waiting, {})) {
      kept_.write(std::move(change), std::move(on_written));
    }
  }

  bool slow = false;
  std::vector<std::pair<state_write, write_handler>> waiting;

private:
  test::memory_log_store kept_;
};

class server_store : public pair_test {
protected:
  ~server_store() override {
    client_.reset();
    server_.reset();
    primary.server.reset();
    backup.server.reset();
  }

  loaded_log load(std::shared_ptr<log_store> from, const server_options& options = {}) {
    std::optional<loaded_log> loaded;
    load_log(executor(), std::move(from), options, [&](error_code ec, loaded_log all) {
      EXPECT_FALSE(ec) << ec.message();
      loaded = std::move(all);
    });
    run_until([&] { return loaded.has_value(); });
    return std::move(*loaded);
  }
  [[nodiscard]] std::shared_ptr<log_store> file() {
    return std::make_shared<sqlite_log_store>(
        executor(), zmtp::sqlite_file_options{.path = folder_.path("map")});
  }
  // At the same ports again.
  void serve(std::shared_ptr<log_store> from, server_options options = {}) {
    server_.reset();
    options.heartbeat = 20ms;
    server_.emplace(
        executor(), options, load(std::move(from), options),
        server_handlers{.on_event = [this](server_event what) { events_.push_back(what); }});
    const auto& before = at_.snapshots;
    at_ = server_->bind(before.tcp() != nullptr && before.tcp()->port != 0 ? before.to_string()
                                                                           : "tcp://127.0.0.1:*");
  }
  void connect(const std::vector<server_endpoints>& servers) {
    client_options options;
    options.heartbeat = 50ms;
    options.retry = 5ms;
    options.longest_retry = 20ms;
    options.resend = 100ms;
    std::vector<server_address> all;
    for (const auto& at : servers) {
      all.push_back(server_address::at(at.snapshots.to_string()));
    }
    client_.emplace(executor(), all, options,
                    [this](const client_event& e) { received_.push_back(e.what); });
  }
  void set(std::string key, std::string value) {
    ++asked_;
    client_->async_set(std::move(key), std::move(value), {}, [this](error_code ec, truth) {
      EXPECT_FALSE(ec) << ec.message();
      ++committed_;
    });
  }
  void commit_all() {
    run_until([this] { return committed_ == asked_; });
  }
  [[nodiscard]] content copy() const {
    content all;
    client_->for_each(
        "", [&](std::string_view key, std::string_view value) { all.emplace(key, value); });
    return all;
  }
  [[nodiscard]] bool saw(server_event what) const {
    return std::find(events_.begin(), events_.end(), what) != events_.end();
  }

  const zmtp::test::scratch_folder folder_;
  std::optional<server> server_;
  server_endpoints at_;
  std::vector<server_event> events_;
  std::optional<chp::client> client_;
  std::vector<client_event::kind> received_;
  std::size_t asked_ = 0;
  std::size_t committed_ = 0;
};

}  // namespace chp
