#include "tools/zinc/chp_server_files.h"

#include "bstar/epoch_file.h"
#include "chp/sequence.h"
#include "chp/sqlite_log_store.h"

#include <boost/system/system_error.hpp>
#include <spdlog/spdlog.h>

#include <memory>
#include <sys/stat.h>
#include <utility>

namespace zinc {

bstar::epoch next_epoch(const std::string& path) {
  if (path.empty()) {
    return 0;
  }
  const bstar::epoch_file file{path};
  boost::system::error_code ec;
  const auto last = file.load(ec);
  if (!ec && last == bstar::max_epoch) {
    ec = bstar::errc::epoch_too_large;
  }
  if (!ec) {
    file.store(last + 1, ec);
  }
  if (ec) {
    throw boost::system::system_error{ec, "epoch file " + path};
  }
  return last + 1;
}

std::optional<chp::loaded_log> load_store(boost::asio::io_context& context,
                                          const chp_server_arguments& arguments) {
  const auto& path = arguments.store;
  if (path.empty()) {
    return std::nullopt;
  }
  // Only the user of this process may read the map.
  ::umask(S_IRWXG | S_IRWXO);
  chp::loaded_log loaded;
  boost::system::error_code result;
  chp::load_log(context.get_executor(),
                std::make_shared<chp::sqlite_log_store>(context.get_executor(),
                                                        zmtp::sqlite_file_options{.path = path}),
                arguments.options, [&](boost::system::error_code ec, chp::loaded_log found) {
                  result = ec;
                  loaded = std::move(found);
                });
  context.run();
  context.restart();
  if (result) {
    throw boost::system::system_error{result, "store " + path};
  }
  const auto& past = *loaded.found.past;
  spdlog::info("store loaded: path={} keys={} number={} log_entries={}", path, past.map().keys(),
               chp::position_of(past.end()), past.log().entries());
  return loaded;
}

}  // namespace zinc
