#pragma once
// A log_store in memory, for tests.

#include "chp/log_store.h"
#include "test/chp/stored_state.h"

#include <boost/asio/any_io_executor.hpp>

#include <memory>

namespace chp::test {

class memory_log_store final : public log_store {
public:
  // `content` outlives the store, for a store that is opened after this one. Must be destroyed before
  // the context of `executor`.
  explicit memory_log_store(
      boost::asio::any_io_executor executor,
      std::shared_ptr<stored_state> content = std::make_shared<stored_state>());
  // The rest of an unfinished transaction never comes.
  ~memory_log_store() override;

  void load(std::unique_ptr<history> into, history::time_point now,
            load_handler on_loaded) override;
  void write(state_write&& change, write_handler on_written) override;

  // The next writes fail with this error. error_code{} repairs the disk.
  void fail_with(boost::system::error_code fault) noexcept { fault_ = fault; }

private:
  [[nodiscard]] boost::system::error_code take(const state_write& change);

  boost::asio::any_io_executor executor_;
  std::shared_ptr<stored_state> content_;
  boost::system::error_code fault_;
  boost::system::error_code rejected_;  // the result of the last write
};

}  // namespace chp::test
