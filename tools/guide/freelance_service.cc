#include "tools/guide/freelance_service.h"

#include "tools/guide/dump.h"

#include <boost/asio/this_coro.hpp>

#include <utility>

namespace guide {

namespace asio = boost::asio;

asio::awaitable<int> serve_freelance(zmtp::freelance_form form, std::string bind,
                                     std::string identity, std::string_view greeting,
                                     bool verbose) {
  const auto answer = [form](zmtp::held_request request) {
    auto reply = form == zmtp::freelance_form::plain ? std::move(request.body())
                                                     : zmtp::message{std::string_view{"OK"}};
    static_cast<void>(request.reply(std::move(reply)));
  };
  const auto executor = co_await asio::this_coro::executor;
  const zmtp::freelance_server_options options{.form = form};
  const auto show = [](std::string_view peer, const zmtp::message& m) { dump(m, peer); };
  zmtp::freelance_server server{
      executor, identity, options, answer,
      verbose ? zmtp::freelance_server_handlers{show, show} : zmtp::freelance_server_handlers{}};
  server.bind(bind);
  say("I: {} is ready at {}", greeting, bind);
  co_await until_stopped();
  say("W: interrupted");
  co_return exit_code::done;
}

}  // namespace guide
