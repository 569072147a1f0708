#include "mdp/titanic/random_id.h"

#include <cstddef>
#include <sys/random.h>

namespace mdp::titanic {

// Reads all bits with one system call, because std::random_device takes longer than the rest of a
// request.
request_id random_id() {
  request_id id;
  std::size_t filled = 0;
  while (filled < id.bytes.size()) {
    const auto got = ::getrandom(id.bytes.data() + filled, id.bytes.size() - filled, 0);
    filled += got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  return id;
}

}  // namespace mdp::titanic
