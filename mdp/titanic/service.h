#pragma once
// Titanic (9/TSP): the services titanic.request, titanic.reply and titanic.close on any Majordomo broker,
// and titanic.submit, which is titanic.request with an id of the client's.
// The decisions are titanic_state's.

#include "mdp/titanic/options.h"
#include "mdp/titanic/request_id.h"
#include "mdp/titanic/request_store.h"
#include "mdp/titanic/titanic_state.h"
#include "zmtp/socket/completion_handler.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/system/error_code.hpp>

#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace mdp::titanic {

// Opens its store, offers the services once it knows what is in it, and gives requests to their services
// as a client of the same broker. Comes back when the broker does.
//
// Thread safety: distinct objects safe, one object not; its executor must be serial, and the store's
// results must come in it.
class service {
public:
  // Called once, in the executor: without an error when the services are being offered, else when the
  // store could not be opened. What it throws reaches who runs the context.
  using open_handler = std::function<void(boost::system::error_code)>;

  // Called in the executor for each attempt to carry out a request. What it throws reaches who runs the
  // context.
  using dispatch_handler = std::function<void(const request_id&)>;

  // Throws what zmtp::socket::connect throws.
  service(boost::asio::any_io_executor executor, std::string_view broker,
          const service_options& options, std::shared_ptr<request_store> store,
          open_handler on_open = {}, dispatch_handler on_dispatch = {});
  service(const service&) = delete;
  service& operator=(const service&) = delete;
  // Stops.
  ~service();

  // Takes and gives nothing any more. What the store was given it still writes; who was not answered
  // does not learn of it.
  void stop();

  // Takes no more requests, answers the requests it has taken, stores the replies of services that are working,
  // and stops. Requests that wait for their service remain in the store.
  // Completes with error_code, when the replies are stored and the broker has read the answers.
  // Cancellation: none. stop() ends the wait.
  // Errors: operation_aborted (stopped before, or meanwhile).
  template <boost::asio::completion_token_for<void(boost::system::error_code)> Token =
                boost::asio::deferred_t>
  [[nodiscard]] auto async_drain(Token&& token = {}) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code)>(
        [this](drain_handler h) { start_drain(std::move(h)); }, token);
  }

  // Also to be had from the service titanic.status, and from brokers of this project as mmi.titanic.
  [[nodiscard]] titanic_status status() const noexcept;
  [[nodiscard]] std::vector<titanic_service_status> services() const;

private:
  class core;
  using drain_handler = zmtp::completion_handler<void(boost::system::error_code)>;

  void start_drain(drain_handler handler);

  std::shared_ptr<core> core_;
};

}  // namespace mdp::titanic
