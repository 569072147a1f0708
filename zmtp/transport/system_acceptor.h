#pragma once
// Listens at one endpoint of the operating system, for any transport.

#include "zmtp/runtime/reserved_memory.h"
#include "zmtp/transport/ipc.h"
#include "zmtp/transport/network.h"
#include "zmtp/transport/system_stream.h"

#include <memory>

namespace zmtp::transport {

class system_acceptor final : public acceptor {
public:
  system_acceptor(const asio::any_io_executor& executor, const transport_options& options);
  ~system_acceptor() override { close(); }

  [[nodiscard]] error_code open(const endpoint& at, int backlog) override;
  [[nodiscard]] const endpoint& bound() const noexcept override { return bound_; }
  void wait(std::shared_ptr<acceptor_user> user) override;
  [[nodiscard]] std::unique_ptr<stream> accept(error_code& ec) override;
  // Removes the file of an ipc endpoint.
  void close() noexcept override;

private:
  transport_options options_;
  reserved_memory for_wait_;
  listening_socket socket_;
  ipc_file file_;
  endpoint bound_;
};

}  // namespace zmtp::transport
