// A user's own file, with Asio without macros. Its handlers take memory from Asio's cache of the thread, as the code of
// Zinc does.
#include <boost/asio.hpp>

int use_asio() {
  boost::asio::io_context context{1};
  boost::asio::steady_timer timer{context, std::chrono::steady_clock::time_point::min()};
  int handled = 0;
  timer.async_wait([&](boost::system::error_code) { ++handled; });
  context.run();
  return handled;
}
