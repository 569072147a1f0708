// As raw_stream_sink, over Asio's TLS.
#include "bench/limits/frames.h"
#include "bench/limits/tcp.h"
#include "bench/support/arguments.h"
#include "bench/support/report.h"
#include "bench/support/tls_file.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>

#include <unistd.h>

namespace asio = boost::asio;
using asio::ip::tcp;

int main(int argument_count, char** values) {
  const bench::arguments arguments{argument_count, values, "ENDPOINT SIZE COUNT"};
  const auto listener = bench::limits::listen_at(bench::parse_endpoint(arguments.text(0)));
  const std::uint64_t size = arguments.number(1);
  const std::uint64_t count = arguments.number(2);
  asio::io_context context{1};
  asio::ssl::context settings{asio::ssl::context::tls_server};
  settings.use_certificate_chain_file(bench::tls_file());
  settings.use_private_key_file(bench::tls_file(), asio::ssl::context::pem);
  const auto accepted = bench::limits::accept_one(listener);
  asio::ssl::stream<tcp::socket> source{tcp::socket{context, tcp::v4(), ::dup(accepted.number())},
                                        settings};
  source.handshake(asio::ssl::stream_base::server);
  bench::limits::frame_decoder decoder{size};
  const auto receive = [&] {
    const auto room = decoder.room();
    return decoder.received(source.read_some(asio::buffer(room.data(), room.size())));
  };
  // The first bytes start the clock.
  std::uint64_t received = receive();
  const bench::stopwatch clock;
  while (received < count) {
    received += receive();
  }
  bench::print_throughput(size, count, clock.seconds());
}
