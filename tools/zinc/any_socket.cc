#include "tools/zinc/any_socket.h"

#include "zmtp/peer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <concepts>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace zinc {

namespace {

using enum zmtp::socket_type;

constexpr std::array all_types{pair, pub, sub, req, rep, dealer, router, pull, push, xpub, xsub};

template <class Socket>
concept receives_plainly = requires(Socket& s, zmtp::message& m) {
  { s.try_receive(m) } -> std::same_as<bool>;
};
template <class Socket>
concept receives = requires(Socket& s, zmtp::deadline until,
                            zmtp::completion_handler<void(zmtp::error_code)> h) {
  s.async_wait_readable(until, std::move(h));
};
template <class Socket>
concept sends_enveloped =
    requires(Socket& s, zmtp::message_batch& batch, zmtp::deadline until,
             zmtp::completion_handler<void(zmtp::error_code, std::size_t)> h) {
  s.async_send_enveloped(batch, until, std::move(h));
};
template <class Socket>
concept sends = requires(Socket& s, zmtp::message_batch& batch, zmtp::deadline until,
                         zmtp::completion_handler<void(zmtp::error_code, std::size_t)> h) {
  s.async_send(batch, until, std::move(h));
};

std::string lower_name(zmtp::socket_type type) {
  std::string name{zmtp::to_string(type)};
  for (auto& letter : name) {
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return name;
}

}  // namespace

std::string type_names() {
  std::string names;
  for (const auto type : all_types) {
    names += (names.empty() ? "" : ", ") + lower_name(type);
  }
  return names;
}

zmtp::socket_type type_named(const std::string& name) {
  auto upper = name;
  for (auto& letter : upper) {
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  if (const auto type = zmtp::parse_socket_type(upper)) {
    return *type;
  }
  throw std::invalid_argument{"'" + name + "' is not a socket type; give one of " + type_names()};
}

any_socket::sockets any_socket::make(const boost::asio::any_io_executor& executor,
                                     zmtp::socket_type type, const zmtp::socket_options& options) {
  switch (type) {
    case pair: return zmtp::pair_socket{executor, options};
    case pub: return zmtp::pub_socket{executor, options};
    case sub: return zmtp::sub_socket{executor, options};
    case req: return zmtp::req_socket{executor, options};
    case rep: return zmtp::rep_socket{executor, options};
    case dealer: return zmtp::dealer_socket{executor, options};
    case router: return zmtp::router_socket{executor, options};
    case pull: return zmtp::pull_socket{executor, options};
    case push: return zmtp::push_socket{executor, options};
    case xpub: return zmtp::xpub_socket{executor, options};
    case xsub: return zmtp::xsub_socket{executor, options};
  }
  throw std::invalid_argument{"unknown socket type"};
}

any_socket::any_socket(const boost::asio::any_io_executor& executor, zmtp::socket_type type,
                       const zmtp::socket_options& options)
    : socket_{make(executor, type, options)} {}

zmtp::socket& any_socket::base() {
  return visit([](zmtp::socket& one) -> zmtp::socket& { return one; });
}

std::vector<zmtp::endpoint> any_socket::attach(const std::vector<std::string>& endpoints,
                                               bool bind) {
  std::vector<zmtp::endpoint> bound;
  for (const auto& at : endpoints) {
    if (bind) {
      bound.push_back(base().bind(at));
    } else {
      base().connect(at);
    }
  }
  return bound;
}

void any_socket::subscribe(std::string_view prefix) {
  visit([&](auto& one) {
    if constexpr (requires { one.subscribe(prefix); }) {
      one.subscribe(prefix);
    }
  });
}

bool any_socket::try_receive(zmtp::message& to) {
  return visit([&]<class Socket>(Socket& one) {
    if constexpr (receives_plainly<Socket>) {
      return one.try_receive(to);
    } else if constexpr (receives<Socket>) {
      zmtp::routed_message item;
      while (one.try_receive(item)) {
        if (item.what == zmtp::routed_message::kind::message) {
          to = std::move(item.content);
          return true;
        }
      }
      return false;
    } else {
      return false;
    }
  });
}

void any_socket::wait_readable(zmtp::deadline until,
                               zmtp::completion_handler<void(zmtp::error_code)> handler) {
  visit([&]<class Socket>(Socket& one) {
    if constexpr (receives<Socket>) {
      one.async_wait_readable(until, std::move(handler));
    }
  });
}

void any_socket::send(zmtp::message_batch& batch, zmtp::deadline until,
                      zmtp::completion_handler<void(zmtp::error_code, std::size_t)> handler) {
  visit([&]<class Socket>(Socket& one) {
    if constexpr (sends_enveloped<Socket>) {
      one.async_send_enveloped(batch, until, std::move(handler));
    } else if constexpr (sends<Socket>) {
      one.async_send(batch, until, std::move(handler));
    }
  });
}

}  // namespace zinc
