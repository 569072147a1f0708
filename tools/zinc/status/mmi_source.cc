#include "tools/zinc/status/mmi_source.h"

#include "mdp/client.h"
#include "tools/zinc/http/status_json.h"
#include "tools/zinc/outcome_code.h"
#include "tools/zinc/status/fault.h"
#include "tools/zinc/status/mmi_report.h"
#include "zmtp/message.h"

#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <fmt/core.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace zinc::status {

namespace asio = boost::asio;

namespace {

class mmi_source : public source {
public:
  mmi_source(const asio::any_io_executor& executor, std::string endpoint,
             const mdp::client_options& options)
      : endpoint_{std::move(endpoint)},
        timeout_{options.timeout},
        client_{executor, endpoint_, options} {}

  asio::awaitable<answer> read(wanted groups) override {
    mmi_report found{endpoint_};
    std::string remark;
    if (groups.totals) {
      found.add_broker(co_await ask("mmi.broker", ""));
    }
    if (groups.services) {
      co_await read_list("mmi.services", found, &mmi_report::add_services, is_service_after);
    }
    if (groups.totals) {
      // Titanic is a worker. If it does not answer, the state of the broker matters even more.
      try {
        co_await read_list("mmi.titanic", found, &mmi_report::add_titanic, is_service_after);
      } catch (const fault& e) {
        remark = e.what();
      }
    }
    if (groups.workers) {
      co_await read_list("mmi.workers", found, &mmi_report::add_workers, is_peer_after);
    }
    if (groups.clients) {
      co_await read_list("mmi.clients", found, &mmi_report::add_clients, is_peer_after);
    }
    // MMI does not have the version.
    co_return answer{.status = http::status_value(found.all(), ""), .remark = std::move(remark)};
  }

  void stop() override { client_.stop(); }

private:
  using add_page = std::optional<std::string> (mmi_report::*)(const zmtp::message&);

  asio::awaitable<void> read_list(std::string service, mmi_report& to, add_page add,
                                  paging::order after) {
    paging pages{service, after, paging::clock::now() + timeout_};
    while (pages.next()) {
      const auto reply = co_await ask(service, *pages.next());
      pages.take(reply.payload_size(), (to.*add)(reply), paging::clock::now());
    }
  }

  asio::awaitable<zmtp::message> ask(std::string service, std::string argument) {
    zmtp::message body{argument};
    try {
      co_return co_await client_.async_request(service, std::move(body), asio::use_awaitable);
    } catch (const boost::system::system_error& e) {
      throw fault{exit_code_of(e.code()),
                  fmt::format("{} of {}: {}", service, endpoint_, e.code().message())};
    }
  }

  const std::string endpoint_;
  const std::chrono::milliseconds timeout_;
  mdp::client client_;
};

}  // namespace

std::unique_ptr<source> open_mmi(const asio::any_io_executor& executor, const std::string& endpoint,
                                 const mdp::client_options& options) {
  try {
    return std::make_unique<mmi_source>(executor, endpoint, options);
  } catch (const boost::system::system_error& e) {
    throw fault{exit_code::misused, e.what()};
  }
}

}  // namespace zinc::status
