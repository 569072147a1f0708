#pragma once
// The replies of a broker's mmi services as a report, which has the form of /status. Pure.

#include "tools/zinc/http/report.h"
#include "zmtp/message.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace zinc::status {

// Each function adds the records of one reply. It throws status::fault if the reply is not one of a Zinc broker.
class mmi_report {
public:
  // `endpoint`: the broker's, a label of the records.
  explicit mmi_report(std::string endpoint) : endpoint_{std::move(endpoint)} {}

  void add_broker(const zmtp::message& reply);
  // These return the argument for the next page, or nothing after the last one.
  [[nodiscard]] std::optional<std::string> add_services(const zmtp::message& reply);
  [[nodiscard]] std::optional<std::string> add_workers(const zmtp::message& reply);
  [[nodiscard]] std::optional<std::string> add_clients(const zmtp::message& reply);
  // Adds nothing if the broker has no Titanic.
  [[nodiscard]] std::optional<std::string> add_titanic(const zmtp::message& reply);

  [[nodiscard]] const http::report& all() const noexcept { return all_; }

private:
  std::string endpoint_;
  http::report all_{.component = "broker", .not_ready = {}, .records = {}};
};

// The order of the names in a list: services by their bytes, peers by their slots.
[[nodiscard]] bool is_service_after(std::string_view name, std::string_view previous) noexcept;
[[nodiscard]] bool is_peer_after(std::string_view name, std::string_view previous) noexcept;

// The pages of one list, of which a hostile or slow broker could send any number.
class paging {
public:
  using order = bool (*)(std::string_view name, std::string_view previous) noexcept;
  using clock = std::chrono::steady_clock;

  // `service`: the list. `after`: the order of its names.
  paging(std::string service, order after, clock::time_point deadline)
      : service_{std::move(service)}, after_{after}, deadline_{deadline} {}

  // The argument for the next page; nothing after the last one.
  [[nodiscard]] const std::optional<std::string>& next() const noexcept { return next_; }
  // Call it with what a page tells. Throws status::fault at a limit.
  void take(std::size_t bytes, std::optional<std::string> next, clock::time_point now);

private:
  std::string service_;
  order after_;
  clock::time_point deadline_;
  std::size_t bytes_ = 0;
  std::optional<std::string> next_{std::string{}};
};

}  // namespace zinc::status
