#pragma once
// Ports in a row at which nobody listens but who sets SO_REUSEADDR, as our servers do.

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <vector>

namespace zinc {

// Of 127.0.0.1, chosen by the system and held, bound but not listening, as long as this lives. Throws
// boost::system::system_error where there are none.
class reserved_ports {
public:
  reserved_ports(boost::asio::io_context& context, unsigned count) {
    for (int attempts = 100;; --attempts) {
      try {
        hold(context, 0);
        const unsigned begin = first();
        for (unsigned further = 1; further < count; ++further) {
          hold(context, static_cast<std::uint16_t>(begin + further));
        }
        return;
      } catch (const boost::system::system_error&) {
        holders_.clear();
        if (attempts == 0) {
          throw;
        }
      }
    }
  }
  [[nodiscard]] std::uint16_t first() const { return holders_.front().local_endpoint().port(); }

private:
  using tcp = boost::asio::ip::tcp;

  void hold(boost::asio::io_context& context, std::uint16_t port) {
    auto& holder = holders_.emplace_back(context);
    holder.open(tcp::v4());
    holder.set_option(tcp::acceptor::reuse_address{true});
    holder.bind({boost::asio::ip::address_v4::loopback(), port});
  }

  std::vector<tcp::acceptor> holders_;
};

}  // namespace zinc
