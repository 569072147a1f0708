#pragma once
// Passes each fault of the files of an authenticator on once, until it is gone.

#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace zmtp {

class reported_faults {
public:
  explicit reported_faults(std::function<void(const std::string&)> handler)
      : handler_{std::move(handler)} {}

  // `now` are all faults that there are.
  void report(std::vector<std::string> now) {
    for (const auto& fault : now) {
      if (handler_ && !known_.contains(fault)) {
        handler_(fault);
      }
    }
    known_ = {std::make_move_iterator(now.begin()), std::make_move_iterator(now.end())};
  }

private:
  std::function<void(const std::string&)> handler_;
  std::set<std::string> known_;
};

}  // namespace zmtp
