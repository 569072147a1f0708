#include "mdp/blocking/client.h"

#include "zmtp/blocking/operations.h"

#include <boost/system/system_error.hpp>

#include <future>
#include <utility>

namespace mdp::blocking {

using boost::system::error_code;
using zmtp::blocking::run_in;

client::client(zmtp::blocking::context& in, std::string_view broker, const client_options& options)
    : client{in, std::vector<std::string>{std::string{broker}}, options} {}

client::client(zmtp::blocking::context& in, std::vector<std::string> brokers,
               const client_options& options)
    : executor_{in.get_executor()} {
  run_in(executor_,
         [&] { client_ = std::make_unique<mdp::client>(executor_, std::move(brokers), options); });
}

client::~client() {
  run_in(executor_, [&] { client_.reset(); });
}

zmtp::message client::request(std::string service, zmtp::message body, const request_options& how) {
  error_code ec;
  const auto name = service;
  auto reply = request(std::move(service), std::move(body), how, ec);
  if (ec) {
    throw boost::system::system_error{ec, "request to " + name};
  }
  return reply;
}

zmtp::message client::request(std::string service, zmtp::message body, const request_options& how,
                              error_code& ec) {
  std::promise<zmtp::message> over;
  auto reply = over.get_future();
  run_in(executor_, [&] {
    client_->async_request(std::move(service), std::move(body), how,
                           [&](error_code why, zmtp::message&& m) {
                             ec = why;
                             over.set_value(std::move(m));
                           });
  });
  return reply.get();
}

void client::stop() {
  run_in(executor_, [&] { client_->stop(); });
}

}  // namespace mdp::blocking
