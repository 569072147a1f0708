#pragma once
// A map_database in memory, for tests.

#include "chp/map_database.h"
#include "chp/update_register.h"

#include <boost/asio/any_io_executor.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace chp {

class memory_map_database final : public map_database {
public:
  // The content, for a store that is opened after another one.
  class contents {
  public:
    void apply(const map_change& change);
    [[nodiscard]] stored_map all() const;

  private:
    std::map<std::string, stored_entry> entries_;
    std::unique_ptr<update_register> applied_ = std::make_unique<update_register>();
    sequence number_ = 0;
    std::string server_record_;
  };

  // Must be destroyed before the context of `executor`.
  explicit memory_map_database(boost::asio::any_io_executor executor,
                               std::shared_ptr<contents> of = std::make_shared<contents>());

  void load(load_handler on_loaded) override;
  void write(std::vector<map_change>&& changes, write_handler on_written) override;

private:
  boost::asio::any_io_executor executor_;
  std::shared_ptr<contents> contents_;
  bool refuses_ = false;
};

}  // namespace chp
