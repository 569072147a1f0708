#include "tools/zinc/gathered_report.h"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace zinc {

namespace asio = boost::asio;

gathered_report::gathered_report(asio::any_io_executor here, std::vector<part> parts)
    : here_{std::move(here)}, parts_{std::move(parts)} {}

void gathered_report::read(http::extent wanted, std::function<void(http::report)> take) {
  const auto id = ++last_id_;
  pending_.emplace(id, pending{.take = std::move(take),
                               .found = std::vector<http::report>(parts_.size()),
                               .missing = parts_.size()});
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    // The other contexts never own `take`, which belongs to this one.
    asio::post(parts_[i].executor, [this, id, i, wanted] {
      asio::post(here_, [this, id, i, found = parts_[i].read(wanted)]() mutable {
        on_read(id, i, std::move(found));
      });
    });
  }
}

void gathered_report::on_read(std::uint64_t id, std::size_t which, http::report&& found) {
  const auto at = pending_.find(id);
  at->second.found[which] = std::move(found);
  if (--at->second.missing == 0) {
    auto all = std::move(at->second);
    pending_.erase(at);
    all.take(merged(std::move(all.found)));
  }
}

http::report merged(std::vector<http::report>&& parts) {
  http::report all;
  std::vector<std::vector<zmtp::figure_record>> groups;
  for (auto& each : parts) {
    all.component = each.component;
    if (all.not_ready.empty()) {
      all.not_ready = std::move(each.not_ready);
    }
    for (auto& record : each.records) {
      auto to = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
        return group.front().group == record.group;
      });
      if (to == groups.end()) {
        to = groups.emplace(to);
      }
      to->push_back(std::move(record));
    }
  }
  for (auto& group : groups) {
    all.records.insert(all.records.end(), std::move_iterator{group.begin()},
                       std::move_iterator{group.end()});
  }
  return all;
}

}  // namespace zinc
