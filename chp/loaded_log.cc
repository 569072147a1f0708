#include "chp/loaded_log.h"

#include "chp/server_state.h"
#include "zmtp/runtime/runtime.h"

#include <cstdint>
#include <utility>

namespace chp {

void load_log(const boost::asio::any_io_executor& executor, std::shared_ptr<log_store> store,
              const server_options& options,
              std::function<void(boost::system::error_code, loaded_log)> on_loaded) {
  auto& runtime = zmtp::runtime::of(executor);
  auto* const own = store.get();
  own->load(server_state::make_history(options, runtime.random<std::uint64_t>()), runtime.now(),
            [store = std::move(store), handler = std::move(on_loaded)](boost::system::error_code ec,
                                                                       loaded_state found) mutable {
              handler(ec, {std::move(store), std::move(found)});
            });
}

}  // namespace chp
