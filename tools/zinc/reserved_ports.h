#pragma once
// Consecutive ports that only a listener with SO_REUSEADDR can bind. Servers of Zinc set it.

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <vector>

namespace zinc {

// Ports of 127.0.0.1 that the system chooses. They stay bound, without listening, while this object exists.
// Throws boost::system::system_error if there are no such ports.
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
