// Freelance server that echoes, for clients of either model, until SIGTERM. Prints `ready: ENDPOINT` once it serves.
#include "zmtp/pattern/freelance_server.h"

#include "bench/support/arguments.h"
#include "bench/support/steady_calls.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <csignal>
#include <cstdio>
#include <string>
#include <utility>

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "MODEL ENDPOINT", bench::longest_run_seconds};
  boost::asio::io_context context{1};
  const auto endpoint = arguments.endpoint(1);
  const bool directed = arguments.text(0) == "directed";
  if (!directed && arguments.text(0) != "shotgun") {
    bench::misused("the model is neither shotgun nor directed");
  }
  using form = zmtp::freelance_form;
  zmtp::freelance_server server{context.get_executor(),
                                directed ? endpoint : std::string{},
                                {.form = directed ? form::flp : form::sequenced},
                                [](zmtp::held_request request) {
                                  auto body = std::move(request.body());
                                  // The client may be gone.
                                  static_cast<void>(request.reply(std::move(body)));
                                }};
  server.bind(endpoint);
  boost::asio::signal_set signals{context, SIGTERM, SIGINT};
  signals.async_wait([&](boost::system::error_code, int) { server.stop(); });
  std::printf("ready: %s\n", endpoint.c_str());
  std::fflush(stdout);
  context.run();
}
