#include "zmtp/transport/network.h"

#include "zmtp/transport/system_acceptor.h"
#include "zmtp/transport/system_connector.h"

#include <boost/asio/query.hpp>

#include <utility>

namespace zmtp::transport {

namespace {

class system_network final : public network {
public:
  std::unique_ptr<acceptor> make_acceptor(const asio::any_io_executor& executor,
                                          const transport_options& options) override {
    return std::make_unique<system_acceptor>(executor, options);
  }
  std::shared_ptr<connector> make_connector(const asio::any_io_executor& executor,
                                            const transport_options& options) override {
    return std::make_shared<system_connector>(executor, options);
  }
};

class network_service final : public asio::execution_context::service {
public:
  using key_type = network_service;
  static inline asio::execution_context::id id;

  explicit network_service(asio::execution_context& context)
      : network_service{context, std::make_unique<system_network>()} {}
  network_service(asio::execution_context& context, std::unique_ptr<transport::network> network)
      : asio::execution_context::service{context}, network_{std::move(network)} {}

  [[nodiscard]] transport::network& get() noexcept { return *network_; }

private:
  void shutdown() noexcept override {}

  std::unique_ptr<transport::network> network_;
};

}  // namespace

network& network::of(const asio::any_io_executor& executor) {
  auto& context = asio::query(executor, asio::execution::context);
  return asio::use_service<network_service>(context).get();
}

void network::install(asio::execution_context& context, std::unique_ptr<network> network) {
  asio::make_service<network_service>(context, std::move(network));
}

}  // namespace zmtp::transport
