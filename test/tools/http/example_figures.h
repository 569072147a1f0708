#pragma once
// Figures of several kinds.

#include "zmtp/figure.h"

namespace zinc::http::test {

inline constexpr zmtp::figure requests{"requests", zmtp::figure::kind::counter,
                                       "accepted requests"};
inline constexpr zmtp::figure active{"active", zmtp::figure::kind::flag, "accepts updates"};
inline constexpr zmtp::figure stored{"stored", zmtp::figure::kind::word, "the part in the store"};
inline constexpr zmtp::figure queue_time{"queue_time", zmtp::figure::kind::histogram,
                                         "time in the queue", zmtp::figure::unit::seconds};

}  // namespace zinc::http::test
