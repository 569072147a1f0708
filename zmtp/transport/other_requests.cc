#include "zmtp/transport/other_requests.h"

#include <boost/asio/query.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace zmtp::transport {

namespace {

class takers final : public asio::execution_context::service {
public:
  using key_type = takers;
  static inline asio::execution_context::id id;

  explicit takers(asio::execution_context& context) : asio::execution_context::service{context} {}

  struct taker {
    ws_address at;
    connection_taker call;
  };
  std::vector<taker> all;

private:
  void shutdown() noexcept override { all.clear(); }
};

}  // namespace

void give_other_requests(asio::execution_context& context, const ws_address& at,
                         connection_taker to) {
  asio::use_service<takers>(context).all.push_back({at, std::move(to)});
}

const connection_taker* taker_of_other_requests(const asio::any_io_executor& executor,
                                                const ws_address& at) {
  auto& all = asio::use_service<takers>(asio::query(executor, asio::execution::context)).all;
  const auto found = std::ranges::find(all, at, &takers::taker::at);
  return found == all.end() ? nullptr : &found->call;
}

}  // namespace zmtp::transport
