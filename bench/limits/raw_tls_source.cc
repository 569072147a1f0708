// As raw_stream_source, over Asio's TLS.
#include "bench/limits/frames.h"
#include "bench/limits/tcp.h"
#include "bench/support/arguments.h"
#include "bench/support/tls_file.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

#include <unistd.h>

namespace asio = boost::asio;
using asio::ip::tcp;

int main(int argument_count, char** values) {
  const bench::arguments arguments{argument_count, values, "ENDPOINT SIZE COUNT"};
  const auto endpoint = bench::parse_endpoint(arguments.text(0));
  bench::limits::frame_encoder encoder{arguments.number(1)};
  const std::uint64_t count = arguments.number(2);
  asio::io_context context{1};
  asio::ssl::context settings{asio::ssl::context::tls_client};
  settings.load_verify_file(bench::tls_file());
  settings.set_verify_mode(asio::ssl::verify_peer);
  settings.set_verify_callback(asio::ssl::host_name_verification{bench::tls_name});
  const auto connected = bench::limits::connect_to(endpoint);
  asio::ssl::stream<tcp::socket> sink{tcp::socket{context, tcp::v4(), ::dup(connected.number())},
                                      settings};
  sink.handshake(asio::ssl::stream_base::client);
  while (encoder.completed() < count) {
    const auto bytes = encoder.encode(count);
    asio::write(sink, asio::buffer(bytes.data(), bytes.size()));
  }
  // Reads until the sink has ended. TCP resets a connection that is closed with unread bytes, and the
  // session tickets of the sink are still unread.
  boost::system::error_code ended;
  sink.shutdown(ended);
}
