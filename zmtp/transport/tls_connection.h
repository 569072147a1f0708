#pragma once
// The state behind a stream of TLS: the session of OpenSSL over the stream below.

#include "zmtp/error.h"
#include "zmtp/transport/network.h"
#include "zmtp/transport/stream_layer.h"
#include "zmtp/transport/tls_context.h"

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <unistd.h>

namespace zmtp::transport {

// See make_tls_stream(). OpenSSL reads and writes the stream below through a BIO, which never blocks
// a write: the rest waits in this layer, as far as the peer lets it be small.
class tls_connection final : public stream_layer {
public:
  tls_connection(std::unique_ptr<stream> over, tls_session session, asio::any_io_executor executor);

  [[nodiscard]] std::size_t read_some(std::span<std::byte> to, error_code& ec) noexcept override;
  [[nodiscard]] std::size_t write_some(std::span<const piece> pieces,
                                       error_code& ec) noexcept override;
  void close() noexcept override;
  [[nodiscard]] remote_end remote() const override;

  // For the BIO. Return the number of bytes, 0 at the end or after a fault, or -1 to try again.
  [[nodiscard]] int read_below(std::span<std::byte> to) noexcept;
  [[nodiscard]] int write_below(piece bytes) noexcept;

private:
  [[nodiscard]] bool opened() const noexcept override;
  [[nodiscard]] bool has_input() const noexcept override {
    return read_fault_ || (opened_ && !drained_);
  }
  [[nodiscard]] bool on_readable() override;
  void write_end() override;
  [[nodiscard]] bool open();
  [[nodiscard]] std::size_t read(std::span<std::byte> to);
  [[nodiscard]] std::size_t write(std::span<const piece> pieces);
  [[nodiscard]] bool write_record(piece bytes);
  void on_failure(int result, error_code& fault);
  void say_goodbye() noexcept;

  tls_session session_;
  std::string certificate_name_;
  error_code below_fault_;      // the stream below has this fault
  std::size_t reads_left_ = 0;  // how often this call may read the stream below
  bool opened_ = false;         // the handshake is complete
  bool drained_ = false;        // OpenSSL has nothing left that it could decrypt
  bool said_goodbye_ = false;
  const ::pid_t owner_ = ::getpid();  // the process that began the connection
};

// Returns a stream over `over`, which is connected and belongs to `executor`. The handshake happens
// in the waits, reads and writes of the user, and the peer's certificate is verified in it.
//
// Errors of reads: those of `over`, and errc::not_tls, bad_tls, tls_refused, certificate_missing,
// certificate_expired, certificate_not_trusted, certificate_name_wrong, certificate_refused,
// out_of_memory.
[[nodiscard]] std::unique_ptr<stream> make_tls_stream(std::unique_ptr<stream> over,
                                                      const tls_context& context,
                                                      const asio::any_io_executor& executor);

}  // namespace zmtp::transport
