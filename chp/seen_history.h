#pragma once
// The history of the followed server, and the place up to which the client has seen it. Pure.

#include "chp/command.h"
#include "chp/lineage.h"
#include "chp/sequence.h"

#include <optional>

namespace chp {

// A server with a log names its history before the end of its snapshot. Such a history must contain
// the place up to which the client has seen the previous one: publications, and also answers, which
// use another connection and can arrive first. Other servers have only numbers (protocols C1-25): a
// lower one means that the server lacks updates, unless it has no epochs.
class seen_history {
public:
  // Returns whether a snapshot has everything that was seen. `notice` is null for a server without
  // a log.
  [[nodiscard]] bool is_in(const lineage_notice* notice, sequence at) const noexcept;

  // A snapshot at this number is adopted. `lost`: it does not have everything that was seen.
  void follow(const lineage_notice* notice, sequence at, bool lost);
  // An update or an answer of the followed server.
  void see(sequence number) noexcept {
    if (number > place_.number) {
      place_.number = number;
      if (epoch_of(number) != place_.epoch) {
        place_ = rows_.place_of(number);
        place_.number = number;
      }
    }
  }

  // The history of the followed server. It has no rows if that is a server without a log.
  [[nodiscard]] const lineage& rows() const noexcept { return rows_; }

private:
  lineage rows_;
  position place_;
};

}  // namespace chp
