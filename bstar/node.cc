#include "bstar/node.h"

#include "bstar/node_core.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/system/system_error.hpp>

#include <utility>

namespace bstar {

namespace asio = boost::asio;
using boost::system::error_code;
using boost::system::system_error;

node::node(asio::any_io_executor executor, const node_options& options, node_handlers handlers) {
  if (const auto ec = validate(options.pair)) {
    throw system_error{ec, "node"};
  }
  error_code ec;
  const epoch_file file{options.epoch_file};
  const auto last = file.load(ec);
  if (ec) {
    throw system_error{ec, "epoch file " + options.epoch_file};
  }
  // Without it the node works, and a full disk prevents that it becomes active.
  file.make_spare(ec);
  auto& time = zmtp::runtime::of(executor);
  const auto of = std::make_shared<shown>(shown{
      .as = options.pair.as,
      .machine = state_machine{options.pair, last, time.random<std::uint32_t>(), time.now()}});
  const auto own = std::make_shared<core>(executor, options, std::move(handlers), of);
  core_ = own;
  shown_ = of;
  asio::co_spawn(executor, core::hear_peer(own), zmtp::rethrow);
  asio::co_spawn(executor, core::hear_subscribers(own), zmtp::rethrow);
}

node::~node() { stop(); }

zmtp::endpoint node::bind(std::string_view at) {
  zmtp::error_code ec;
  auto bound = bind(at, ec);
  if (ec) {
    throw system_error{ec, "cannot bind " + std::string{at}};
  }
  return bound;
}

zmtp::endpoint node::bind(std::string_view at, zmtp::error_code& ec) {
  const auto own = core_.lock();
  if (!own || own->stopped()) {
    ec = errc::node_stopped;
    return {};
  }
  return own->publisher().bind(at, ec);
}

void node::connect(std::string_view to) {
  zmtp::error_code ec;
  connect(to, ec);
  if (ec) {
    throw system_error{ec, "cannot connect to " + std::string{to}};
  }
}

void node::connect(std::string_view to, zmtp::error_code& ec) {
  const auto own = core_.lock();
  if (!own || own->stopped()) {
    ec = errc::node_stopped;
    return;
  }
  own->subscriber().connect(to, ec);
}

zmtp::endpoint node::bind_voter(std::string_view at, voter handler) {
  zmtp::error_code ec;
  auto bound = bind_voter(at, std::move(handler), ec);
  if (ec) {
    throw system_error{ec, "cannot bind " + std::string{at}};
  }
  return bound;
}

zmtp::endpoint node::bind_voter(std::string_view at, voter handler, zmtp::error_code& ec) {
  const auto own = core_.lock();
  if (!own || own->stopped()) {
    ec = errc::node_stopped;
    return {};
  }
  auto* const router = own->make_voter();
  if (router == nullptr) {
    ec = errc::voter_taken;
    return {};
  }
  auto bound = router->bind(at, ec);
  if (ec) {
    own->drop_voter();
    return {};
  }
  const auto executor = router->get_executor();
  asio::co_spawn(executor, core::hear_clients(own, std::move(handler)), zmtp::rethrow);
  return bound;
}

bool node::vote() {
  const auto own = core_.lock();
  return own && own->vote();
}

void node::check_pause() {
  if (const auto own = core_.lock()) {
    own->check_pause();
  }
}

void node::set_position(std::uint64_t position, epoch of) {
  if (const auto own = core_.lock()) {
    own->set_position(position, of);
  }
}

void node::renew_epoch() {
  if (const auto own = core_.lock()) {
    own->renew_epoch();
  }
}

void node::set_declines(bool declines) {
  if (const auto own = core_.lock()) {
    own->set_declines(declines);
  }
}

void node::hand_over() {
  if (const auto own = core_.lock()) {
    own->hand_over();
  }
}

void node::set_data_lost(bool lost) {
  if (const auto own = core_.lock()) {
    own->set_data_lost(lost);
  }
}

node_status node::status() const {
  const auto& of = *shown_;
  const auto own = core_.lock();
  return {.as = of.as,
          .now = of.machine.current(),
          .current = of.machine.current_epoch(),
          .peer_alive = own && of.machine.peer_alive(own->now()),
          .data_lost = of.machine.data_lost(),
          .peer = of.machine.peer(),
          .states_received = of.states_received,
          .states_refused = of.states_refused,
          .bad_messages = of.bad_messages,
          .requests_accepted = of.requests_accepted,
          .requests_rejected = of.requests_rejected};
}

void node::stop() {
  if (const auto own = core_.lock()) {
    own->stop();
  }
}

}  // namespace bstar
