#pragma once
// A request_database in memory, for tests.

#include "mdp/titanic/request_database.h"

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <vector>

namespace mdp::titanic {

class memory_request_database final : public request_database {
public:
  // The content, for a store that is opened after another one.
  struct contents {
    struct slot {
      stored_request about{};
      zmtp::message request{};
      zmtp::message reply{};
    };
    std::vector<slot> slots;
  };

  explicit memory_request_database(boost::asio::any_io_executor executor,
                                   std::shared_ptr<contents> of = std::make_shared<contents>());

  void open(load_handler on_loaded, result_handler on_results) override;
  void submit(std::vector<store_operation>&& batch) override;

private:
  [[nodiscard]] store_result carry_out(store_operation&& what);

  boost::asio::any_io_executor executor_;
  std::shared_ptr<contents> contents_;
  std::shared_ptr<result_handler> on_results_;
};

}  // namespace mdp::titanic
