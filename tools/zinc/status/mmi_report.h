#pragma once
// The replies of a broker's mmi services as a report, which has the form of /status. Pure.

#include "tools/zinc/http/report.h"
#include "zmtp/message.h"

#include <optional>
#include <string>

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

}  // namespace zinc::status
